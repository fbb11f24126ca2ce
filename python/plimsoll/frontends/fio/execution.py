"""Carries out fio's jobs: stages one after the other, the jobs of a stage side by side."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from plimsoll.errors import UsageError
from plimsoll.frontends.fio import hooks, iolog, latency_target, numa, priorities, values, verify_state
from plimsoll.frontends.fio.jobs import Job, caught_up, unlinks_each_loop
from plimsoll.frontends.fio.layout import JobFiles, clean_up, fill, prepare
from plimsoll.frontends.fio.least import Least, least
from plimsoll.frontends.fio.live import SO_FAR, TRACED, Live, planned_s
from plimsoll.frontends.fio.lockmem import locked
from plimsoll.frontends.fio.longest import Longest, longest
from plimsoll.frontends.fio.plans import plan_of
from plimsoll.frontends.fio.single_logs import SingleLogs, wanted
from plimsoll.frontends.fio.steady import Steady, criterion
from plimsoll.frontends.recording import Places
from plimsoll.frontends.side_by_side import Ended, Stop, Task, run_together
from plimsoll.model import Plan
from plimsoll.run.outcome import Progress
from plimsoll.run.places import Place
from plimsoll.run.workers.local import Keep
from plimsoll.units import SECOND


@dataclass(frozen=True)
class Done:
    """One job with what came of it; nothing where it was stopped before it began."""

    job: Job
    plan: Plan
    place: Place
    ended: Ended | None
    steady: Steady | None


@dataclass
class Member:
    """One job from its plan to its end."""

    job: Job
    plan: Plan
    place: Place
    files: JobFiles
    steady: Steady | None
    limits: Sequence[Least | Longest]
    reported: bool = False
    """Whether it may be asked what was measured so far."""
    log: SingleLogs | None = None
    kept: iolog.IoLogWriter | None = None
    delay_ns: int = 0
    cpus: Sequence[int] = ()
    locked_bytes: int = 0
    live: Live | None = None
    """Once its stage has begun."""
    finest_ns: int = SECOND
    """Intervals of its plan are not longer."""

    def catch_up(self, told: Callable[[str], None]) -> None:
        """Takes the files as they are, where only now it is known how long that is."""
        if self.job.region.late:
            fill(self.job, self.plan, self.place, self.files, told)
            self.job = caught_up(self.job)
            self.plan = plan_of(self.job, self.finest_ns)

    def so_far(self) -> Done:
        """As if all had ended now."""
        return Done(self.job, self.plan, self.place, self.live.ended() if self.live else None, self.steady)

    def left_s(self) -> float | None:
        """Seconds to its end, as far as can be told."""
        return self.live.left_s() if self.live else planned_s(self.plan)


def members_of(jobs: Sequence[Job], places: Places, finest_ns: int, *, reported: bool) -> list[Member]:
    """All jobs with their plans, of intervals not longer than `finest_ns`, and the places that they hold."""
    groups: dict[int, Steady] = {}
    return [
        Member(
            job,
            plan_of(job, finest_ns),
            hold(job, places),
            JobFiles.of(job, places),
            _steady(job, groups),
            limits_of(job),
            reported,
            delay_ns=delay_ns(job),
            cpus=cpus_of(job),
            locked_bytes=job.words.size("lockmem"),
            finest_ns=finest_ns,
        )
        for job in jobs
    ]


def _steady(job: Job, groups: dict[int, Steady]) -> Steady | None:
    """Jobs that are reported together are judged together."""
    found = criterion(job.words)
    if found is None or not job.words.on("group_reporting"):
        return found
    if job.group in groups:
        groups[job.group].members += 1
    return groups.setdefault(job.group, found)


def check_member(job: Job) -> None:
    """Refuse before anything is made what a member could not be made of. Raises UsageError."""
    limits_of(job)
    priorities.check(job.words)
    numa.check(job.words)
    criterion(job.words)
    delay_ns(job)
    cpus_of(job)
    job.words.size("lockmem")


def limits_of(job: Job) -> list[Least | Longest]:
    """What ends a job as a failure. Raises UsageError."""
    found = least(job.words, job.name), longest(job.words, job.name)
    return [each for each in found if each is not None]


def run_jobs(
    members: Sequence[Member],
    stop: Stop,
    told: Callable[[str], None],
    stage_done: Callable[[list[Done]], None],
    tick: Callable[[], None],
) -> list[Done]:
    """Run all jobs; `told` gets fio's remarks, `stage_done` each stage as it ends; `tick` is called often meanwhile."""
    done: list[Done] = []
    for stage in sorted({member.job.stage for member in members}):
        side_by_side = [member for member in members if member.job.stage == stage]
        if stop.interrupted:
            break
        for member in side_by_side:
            member.catch_up(told)
            prepare(member.job, member.plan, member.place, member.files, told)
        if all(member.job.words.on("create_only") for member in side_by_side):
            continue
        found = _stage(side_by_side, stop, told, tick)
        clean_up((member.job, member.files) for member in side_by_side)
        stage_done(found)
        done += found
        if any(_failed(each) and each.job.words.on("exitall_on_error") for each in found):
            break
        if any(_ends_everything(each) for each in found):
            break
    return done


def _stage(members: Sequence[Member], stop: Stop, told: Callable[[str], None], tick: Callable[[], None]) -> list[Done]:
    keep = _keeps([member.job for member in members])
    for member in members:
        member.log, member.live = _single_logs(member.job), Live(member.plan, member.place)
        member.kept = iolog.kept(member.job)
    tasks = [_task(member, member.live, keep, told) for member in members if member.live]
    stage_stop = Stop()
    # The time until a status counts from here, however late the machine comes to the first one.
    tick()
    with locked(sum(member.locked_bytes for member in members)):
        ended = run_together(tasks, stage_stop, tick)
    stop.interrupted = stage_stop.interrupted
    for member, end in zip(members, ended, strict=True):
        if end is not None:
            iolog.leave(member.job, member.kept, end.execution.outcome)
            verify_state.leave(member.job, end.execution.outcome)
    return [
        Done(member.job, member.plan, member.place, _judged(_traced(end, member.log), member.limits), member.steady)
        for member, end in zip(members, ended, strict=True)
    ]


def hold(job: Job, places: Places) -> Place:
    """The place of a job's first file; other folders and devices of the job are held with it."""
    for path in {path if job.is_device else path.parent: path for path in job.paths[1:]}.values():
        places.hold(path, writes=job.changes)
    return places.hold(job.path, writes=job.changes)


def _failed(each: Done) -> bool:
    return each.ended is not None and each.ended.execution.outcome["status"] == "failed"


def _keeps(jobs: Sequence[Job]) -> tuple[Keep, ...]:
    """Histograms of intervals are for latency logs, and for percentiles of clones together."""
    logs = ("write_lat_log", "write_hist_log")
    wanted = any(job.clone or any(map(job.words.given, logs)) for job in jobs)
    return ("interval_histograms",) if wanted else ()


def _single_logs(job: Job) -> SingleLogs | None:
    try:
        return SingleLogs(job) if wanted(job) else None
    except OSError as error:
        raise UsageError(f"{job.section.where}: cannot write {error.filename}: {error.strerror}") from None


def _traced(ended: Ended | None, log: SingleLogs | None) -> Ended | None:
    """With the last operations in the logs, which then are complete, and no more in the outcome."""
    if log is not None:
        if ended is not None:
            log.see(ended.execution.outcome)
        log.close()
    if ended is None or not ended.execution.outcome.get("trace"):
        return ended
    ended.execution.outcome["trace"] = []
    return ended


def _judged(ended: Ended | None, limits: Sequence[Least | Longest]) -> Ended | None:
    for each in limits:
        ended = each.judged(ended)
    return ended


def _task(member: Member, live: Live, keep: Sequence[Keep], told: Callable[[str], None]) -> Task:
    job, log = member.job, member.log
    judges = [*member.limits, *([member.steady] if member.steady else [])]
    seeing = [live.see, *(each.see for each in member.limits), *([log.see] if log else [])]
    if member.kept:
        seeing.append(member.kept.see)
    if member.steady:
        seeing.append(partial(member.steady.see, number=job.number))

    def see(progress: Progress) -> None:
        for each in seeing:
            each(progress)

    return Task(
        plan=member.plan,
        path=member.files.first,
        made=() if unlinks_each_loop(job) else member.files.known,
        chain=member.place.chain,
        delay_ns=member.delay_ns,
        cpus=member.cpus,
        keep=(*keep, *(TRACED if log or member.kept else ()), *(SO_FAR if member.reported or judges else ())),
        carry_out=hooks.between(job, live.carried_out(latency_target.carry_out(job)), told),
        name=job.section.name,
        group=job.group,
        ends=_ends(job),
        after=job.words.text("wait_for") or "",
        begin=partial(priorities.take, job.words),
        on_progress=see,
        enough=lambda: any(each.enough() for each in judges),
    )


def _ends(job: Job) -> str:
    """What the end of a job stops among those beside it: its group, as with fio, unless `exit_what` says otherwise."""
    if not job.words.on("exitall"):
        return ""
    return "group" if job.words.text("exit_what") == "group" else "all"


def _ends_everything(each: Done) -> bool:
    """Whether no later stage begins."""
    words = each.job.words
    return each.ended is not None and words.on("exitall") and words.text("exit_what") == "all"


def check_waits(jobs: Sequence[Job]) -> None:
    """Refuse a `wait_for` that never ends. Raises UsageError."""
    before: set[str] = set()
    for job in jobs:
        name = job.words.text("wait_for")
        if name is not None and name not in before:
            raise UsageError(
                f"{job.section.where}: wait_for={name}: a job waits for one of a section before it; there are "
                f"{', '.join(sorted(before)) or 'none'}"
            )
        if name == job.section.name:
            raise UsageError(f"{job.section.where}: wait_for={name}: a job cannot wait for itself")
        before.add(job.section.name)


def delay_ns(job: Job) -> int:
    """`startdelay`, where a range gives each clone a time of its own. Raises UsageError."""
    ends = job.words.read("startdelay", lambda text: [values.time_ns(part, "s") for part in text.split("-")])
    if len(ends) > 2 or ends[0] > ends[-1]:
        raise UsageError(f"{job.section.where}: startdelay={job.words.text('startdelay')}: a range is 2s-10s")
    return ends[0] if len(ends) == 1 else random.Random(job.number).randint(*ends)


def cpus_of(job: Job) -> list[int]:
    """The processors that a job may run on; none: all. Raises UsageError."""
    if job.words.given("cpumask"):
        mask = job.words.read("cpumask", values.whole)
        cpus = [cpu for cpu in range(mask.bit_length()) if mask >> cpu & 1]
    elif job.words.given("cpus_allowed"):
        cpus = job.words.read("cpus_allowed", values.cpu_list)
    elif job.words.given("numa_cpu_nodes"):
        cpus = numa.cpus_of(job.words)
    else:
        return []
    missing = set(cpus) - os.sched_getaffinity(0)
    if missing:
        raise UsageError(f"{job.section.where}: this process may not run on CPU {min(missing)}; choose others")
    return [cpus[job.clone % len(cpus)]] if job.words.text("cpus_allowed_policy") == "split" else cpus
