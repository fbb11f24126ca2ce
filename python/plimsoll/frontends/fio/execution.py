"""Carries out fio's jobs: stages one after the other, the jobs of a stage side by side."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from plimsoll.errors import TargetError, UnsafeTarget, UsageError
from plimsoll.frontends.fio import latency_target, values
from plimsoll.frontends.fio.jobs import Job
from plimsoll.frontends.fio.lockmem import locked
from plimsoll.frontends.fio.plans import plan_of
from plimsoll.frontends.fio.single_logs import SingleLogs, wanted
from plimsoll.frontends.fio.steady import Steady, criterion
from plimsoll.frontends.recording import Places
from plimsoll.frontends.side_by_side import Ended, Stop, Task, run_together
from plimsoll.model import Plan
from plimsoll.run.places import Place
from plimsoll.run.workers.execution import failure
from plimsoll.run.workers.local import execute
from plimsoll.units import format_size

MARK = "user.plimsoll"
"""Extended attribute of files that this front end made: they may be written again without asking."""


@dataclass(frozen=True)
class Done:
    """One job with what came of it; nothing where it was stopped before it began."""

    job: Job
    plan: Plan
    place: Place
    ended: Ended | None
    steady: Steady | None


def check_files(jobs: Sequence[Job], destroy: Sequence[str], *, readonly: bool) -> None:
    """Refuse to overwrite what the user may want to keep, before anything is written. Raises UnsafeTarget."""
    for job in jobs:
        if readonly and job.changes:
            raise UsageError(f"{job.name}: rw={job.mode} writes, but --readonly is given")
        if not job.is_device:
            for path in job.paths:
                _check_file(job, path, destroy)


def _check_file(job: Job, path: Path, destroy: Sequence[str]) -> None:
    if not path.parent.is_dir():
        raise UsageError(f"{job.name}: there is no directory {path.parent}; make it, or name another")
    if not path.exists():
        if not job.words.on("allow_file_create"):
            raise UsageError(f"{job.name}: {path} does not exist and allow_file_create=0; make it first")
        return
    short = path.stat().st_size < job.end
    if (job.changes or short) and not _ours(path) and str(path) not in destroy:
        raise UnsafeTarget(
            f"{job.name}: {path} exists and was not made by `plimsoll fio`; its data would be lost. Remove it, "
            f"name another file, or add --destroy {path}"
        )


def _ours(path: Path) -> bool:
    try:
        return os.getxattr(path, MARK) == b"fio"
    except OSError:
        return path.stat().st_size == 0


def run_jobs(
    jobs: Sequence[Job],
    places: Places,
    stop: Stop,
    told: Callable[[str], None],
    stage_done: Callable[[list[Done]], None],
) -> list[Done]:
    """Run all jobs; `told` gets fio's remarks, `stage_done` each stage as it ends."""
    plans = [plan_of(job) for job in jobs]
    held = [hold(job, places) for job in jobs]
    done: list[Done] = []
    for stage in sorted({job.stage for job in jobs}):
        members = [index for index, job in enumerate(jobs) if job.stage == stage]
        if stop.interrupted:
            break
        for index in members:
            prepare(jobs[index], plans[index], held[index], told)
        if all(jobs[index].words.on("create_only") for index in members):
            continue
        steady = [criterion(jobs[index].words) for index in members]
        singles = [_single_logs(jobs[index]) for index in members]
        keep = _keeps(jobs, members)
        tasks = [
            _task(jobs[index], plans[index], held[index], each, log, keep)
            for index, each, log in zip(members, steady, singles, strict=True)
        ]
        stage_stop = Stop()
        with locked(sum(jobs[index].words.size("lockmem") for index in members)):
            ended = [_traced(end, log) for end, log in zip(run_together(tasks, stage_stop), singles, strict=True)]
        stop.interrupted = stage_stop.interrupted
        found = [
            Done(jobs[index], plans[index], held[index], end, each)
            for index, end, each in zip(members, ended, steady, strict=True)
        ]
        _clean_up(found)
        stage_done(found)
        done += found
        if any(_failed(each) and each.job.words.on("exitall_on_error") for each in found):
            break
    return done


def hold(job: Job, places: Places) -> Place:
    """The place of a job's first file; other folders and devices of the job are held with it."""
    for path in {path if job.is_device else path.parent: path for path in job.paths[1:]}.values():
        places.hold(path, writes=job.changes)
    return places.hold(job.path, writes=job.changes)


def _failed(each: Done) -> bool:
    return each.ended is not None and each.ended.execution.outcome["status"] == "failed"


def _keeps(jobs: Sequence[Job], members: Sequence[int]) -> tuple[str, ...]:
    """Histograms of intervals are for latency logs, and for percentiles of clones together."""
    logs = ("write_lat_log", "write_hist_log")
    several = any(jobs[index].clone for index in members)
    wanted = several or any(jobs[index].words.given(log) for index in members for log in logs)
    return ("interval_histograms",) if wanted else ()


def _single_logs(job: Job) -> SingleLogs | None:
    try:
        return SingleLogs(job) if wanted(job) else None
    except OSError as error:
        raise UsageError(f"{job.section.where}: cannot write {error.filename}: {error.strerror}") from None


def _traced(ended: Ended | None, log: SingleLogs | None) -> Ended | None:
    """With the last operations in the logs, which then are complete, and no more in the outcome."""
    if log is None:
        return ended
    if ended is not None:
        log.see(ended.execution.outcome)
        outcome = {**ended.execution.outcome, "trace": []}
        ended = replace(ended, execution=replace(ended.execution, outcome=outcome))
    log.close()
    return ended


def _task(
    job: Job, plan: Plan, place: Place, steady: Steady | None, log: SingleLogs | None, keep: Sequence[str]
) -> Task:
    seeing = [each.see for each in (steady, log) if each is not None]

    def see(progress: Mapping[str, Any]) -> None:
        for each in seeing:
            each(progress)

    return Task(
        plan=plan,
        path=job.path,
        chain=place.chain,
        delay_ns=job.words.read("startdelay", lambda text: values.time_ns(text, "s")),
        cpus=_cpus(job),
        keep=(*keep, "trace") if log else keep,
        carry_out=latency_target.carry_out(job),
        ends_all=job.words.on("exitall"),
        on_progress=see,
        enough=steady.attained if steady else lambda: False,
    )


def _cpus(job: Job) -> list[int]:
    if job.words.given("cpumask"):
        mask = job.words.read("cpumask", values.whole)
        cpus = [cpu for cpu in range(mask.bit_length()) if mask >> cpu & 1]
    elif job.words.given("cpus_allowed"):
        cpus = job.words.read("cpus_allowed", values.cpu_list)
    else:
        return []
    missing = set(cpus) - os.sched_getaffinity(0)
    if missing:
        raise UsageError(f"{job.section.where}: this process may not run on CPU {min(missing)}; choose others")
    return [cpus[job.clone % len(cpus)]] if job.words.text("cpus_allowed_policy") == "split" else cpus


def prepare(job: Job, plan: Plan, place: Place, told: Callable[[str], None]) -> None:
    """Make the files as fio does: blocks written where they will be read, otherwise space reserved."""
    if job.is_device or plan.parameters["engine"] == "null":
        return
    lacking = [path for path in job.paths if not path.exists() or path.stat().st_size < job.end]
    if lacking and job.needs_data:
        count, mib = len(job.paths), job.end * len(job.paths) // 2**20
        what = f"files ({count} files / total {mib}MiB)" if count > 1 else f"file (1 file / {mib}MiB)"
        told(f"{job.name}: Laying out IO {what}")
    for path in lacking:
        _make(job, path)
        if job.needs_data:
            laid = execute(_layout(plan, job.end), path, place.sampler, lambda _progress: None, lambda: False).outcome
            if laid["status"] == "failed":
                raise TargetError(f"{job.name}: {failure(laid)}")


def _make(job: Job, path: Path) -> None:
    """The file with its mark, and with the room that it will need."""
    end = job.end
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise TargetError(f"{job.name}: cannot make {path}: {error.strerror}") from None
    try:
        _mark(descriptor)
        if not job.needs_data:
            if job.words.text("fallocate") in ("native", "posix", "1"):
                os.posix_fallocate(descriptor, 0, end)
            os.ftruncate(descriptor, end)
    except OSError as error:
        raise TargetError(
            f"{job.name}: cannot make {path} {format_size(end)} long: {error.strerror}; free some space, or use a "
            "smaller size="
        ) from None
    finally:
        os.close(descriptor)


def _mark(descriptor: int) -> None:
    try:
        os.setxattr(descriptor, MARK, b"fio")
    except OSError:
        # Without extended attributes the next run asks before it overwrites.
        return


def _layout(plan: Plan, end: int) -> Plan:
    """Write the file once, then read one block of it: the core lays out only for a job."""
    changes = {
        "engine": "psync", "mode": "read", "block_size": [[4096.0 if end >= 4096 else 1.0, 1.0]], "depth": 1,
        "write_block_size": None, "direct": False, "sync": "none", "sync_at_end": False, "max_operations": 1,
        "max_bytes": None, "warmup": 0, "rate": None, "think_time": 0, "verify": False, "sqpoll": False,
        "iopoll": False, "offset": 0, "size": end, "layout": "fill", "alternate": False, "drop_each": "never",
    }  # fmt: skip
    kept = {name: value for name, value in plan.parameters.items() if name not in ("sequence", "files", "batch")}
    return plan.model_copy(update={"parameters": {**kept, **changes}})


def _clean_up(done: Sequence[Done]) -> None:
    """fsync_on_close and unlink, after everything is measured."""
    for each in done:
        for path in each.job.paths:
            if each.job.is_device or not path.is_file():
                continue
            if each.job.words.on("fsync_on_close") and each.job.writes:
                with path.open("rb+") as file:
                    os.fsync(file.fileno())
            if each.job.words.on("unlink"):
                path.unlink(missing_ok=True)
