"""`plimsoll fio` from its words to fio's output."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

from plimsoll.declared import IoParameters
from plimsoll.errors import NothingMeasured, UsageError
from plimsoll.frontends import notes
from plimsoll.frontends.fio import (
    files,
    hooks,
    inquiry,
    iolog,
    json_output,
    latency_target,
    logs,
    normal_output,
    terse_output,
    verify_state,
)
from plimsoll.frontends.fio.command_line import VERSION, Invocation, parse
from plimsoll.frontends.fio.disks import disks_of
from plimsoll.frontends.fio.execution import Done, Member, check_member, check_waits, members_of, run_jobs
from plimsoll.frontends.fio.job_file import named
from plimsoll.frontends.fio.jobs import Job, jobs_of
from plimsoll.frontends.fio.layout import check_files
from plimsoll.frontends.fio.monitor import Monitor
from plimsoll.frontends.fio.plans import cut_short, plan_of, without_limit
from plimsoll.frontends.fio.section_options import Words
from plimsoll.frontends.fio.single_logs import inflated
from plimsoll.frontends.fio.statistics import entries
from plimsoll.frontends.merging import together
from plimsoll.frontends.recording import Places, Recorder
from plimsoll.frontends.results import check_result, open_result
from plimsoll.frontends.side_by_side import Stop
from plimsoll.model import RunStatus
from plimsoll.run.workers.execution import Execution
from plimsoll.run.workers.local import impossible
from plimsoll.store.store import Store
from plimsoll.units import MILLISECOND, SECOND

SHORTEST_NS = 50 * MILLISECOND
INTERRUPTED = 130
OUTPUT = re.compile(r'\A\s*\{\s*"fio version"|\A\d;fio-|\A.*: \(g=\d+\): rw=', re.MULTILINE)
"""How fio's own output begins."""
SOME_FAILED = 1


def run(words: Sequence[str], open_store: Callable[[], Store], say: Callable[[str], None]) -> int:
    """Carry out a command line of fio; returns the exit code. `say` gets messages for the user.

    Raises PlimsollError; the store is opened only when everything can be carried out.
    """
    asked = parse(words)
    if _answered(asked):
        return 0
    for line in inquiry.debug(asked.debug, [Words(section) for section in asked.sections or asked.begun]):
        print(line)
    if asked.parse_only and not asked.sections:
        return 0
    jobs = jobs_of(asked.sections)
    _check(jobs, asked, say)
    if asked.parse_only:
        return 0
    _check_files(jobs, asked, say)
    # Opened before the run: a result that cannot be written should not cost the time of measuring.
    output = _open(asked)
    try:
        return _measure(jobs, asked, words, open_store, say, output)
    finally:
        if output is not sys.stdout:
            output.close()


def _answered(asked: Invocation) -> bool:
    """Whether it was a question that no job is needed for; then the answer is printed."""
    if asked.want_version:
        print(VERSION)
    elif asked.engines_of is not None:
        print("\n".join(inquiry.engines(asked.engines_of)))
    elif asked.inflate is not None:
        sys.stdout.writelines(inflated(asked.inflate))
    elif asked.show_command:
        print(inquiry.command_of(asked.sections))
    else:
        return False
    return True


def _open(asked: Invocation) -> TextIO:
    if asked.output is None:
        return sys.stdout
    try:
        return open_result(asked.output, force=asked.force)
    except OSError as error:
        raise UsageError(f"--output: cannot write {asked.output}: {error.strerror}; name another file") from None


def _left(jobs: Sequence[Job], asked: Invocation) -> list[tuple[str, Path]]:
    """Options that leave a file, and the file."""
    logged = logs.paths(jobs, together=asked.bandwidth_log)
    return [*logged, *hooks.paths(jobs), *iolog.paths(jobs), *verify_state.paths(jobs)]


def _check_files(jobs: Sequence[Job], asked: Invocation, say: Callable[[str], None]) -> None:
    """What the command would write over."""

    def tell(note: str) -> None:
        say(f"plimsoll fio: {note}")

    if asked.output is not None:
        check_result(asked.output, "--output", tell, force=asked.force, looks_right=OUTPUT)
    for path, option in {path: option for option, path in _left(jobs, asked)}.items():
        check_result(path, option, tell)


def _check(jobs: Sequence[Job], asked: Invocation, say: Callable[[str], None]) -> None:
    told: dict[str, None] = {}
    hints: dict[str, None] = {}
    check_waits(jobs)
    for job in jobs:
        plan = plan_of(job)
        latency_target.target(job.words)
        check_member(job)
        if reason := impossible(plan, job.path):
            raise UsageError(f"{job.section.where}: {reason}")
        hints |= dict.fromkeys(f"{job.name}: {hint}" for hint in job.words.notes())
        told |= dict.fromkeys(f"{job.name}: {change}" for change in job.words.changes())
        if stays := files.stays_in_first(job.words, len(job.paths)):
            hints[f"{job.name}: {stays}"] = None
        if plan.values(IoParameters)["engine"] == "io_uring" and job.words.text("ioengine") == "posixaio":
            told[f"{job.name}: ioengine=posixaio runs as io_uring, at the same depth"] = None
        if limit := without_limit(job, plan):
            told[limit] = None
    logs.check(jobs, together=asked.bandwidth_log)
    if asked.warnings_fatal and (told or hints):
        raise UsageError(f"--warnings-fatal: {next(iter([*told, *hints]))}")
    for sentence in told:
        say(f"plimsoll fio: {sentence}")
    for sentence in hints:
        notes.note(say, f"plimsoll fio: {sentence}")
    check_files(jobs, asked.destroy, readonly=asked.readonly)


def _measure(
    jobs: Sequence[Job],
    asked: Invocation,
    words: Sequence[str],
    open_store: Callable[[], Store],
    say: Callable[[str], None],
    output: TextIO,
) -> int:
    normal = "normal" in asked.formats
    stop, started_ns = Stop(), time.time_ns()

    def told(line: str) -> None:
        if normal:
            print(line, file=output, flush=True)

    def results(done: Sequence[Done], eta: int, doubts: Sequence[str] = ()) -> None:
        for line in _results(done, asked, started_ns, eta, doubts):
            print(line, file=output)
        output.flush()

    for line in normal_output.header(jobs):
        told(line)
    with open_store() as store, Places(asked.destroy) as places:
        members = members_of(jobs, places, _finest_ns(asked), reported=bool(asked.status_ns))
        recorder = Recorder(store, "fio", f"fio {named(asked.sections)}", list(words), [each.place for each in members])
        for line in inquiry.seeds(asked.debug, [(each.job.number, each.plan) for each in members]):
            told(line)
        monitor = Monitor(members, results, asked.status_ns / SECOND, _eta_s(asked, output), asked.newline_ns / SECOND)
        try:
            done = run_jobs(members, stop, told, lambda found: _record(recorder, found), monitor.tick)
        finally:
            recorder.finish(interrupted=stop.interrupted)
    results([each for each in done if each.ended is not None], 0, recorder.doubts())
    logs.write(done)
    if asked.bandwidth_log:
        logs.write_together(done)
    _say_doubts(asked, done, recorder, say)
    return _ending(recorder, members, stop, say)


def _say_doubts(asked: Invocation, done: Sequence[Done], recorder: Recorder, say: Callable[[str], None]) -> None:
    """What stands against the result."""
    for each in done:
        elapsed_ns = each.ended.execution.outcome["elapsed_ns"] if each.ended else 0
        if sentence := cut_short(each.job, each.plan, elapsed_ns):
            say(f"plimsoll fio: {sentence}")
    if asked.formats == ("terse",) or sys.stderr.isatty():
        # Elsewhere they are in the result: programs take any text on standard error for a failure.
        for doubt in recorder.doubts():
            say(f"plimsoll fio: {doubt}")


def _finest_ns(asked: Invocation) -> int:
    """Intervals of the run: a status shows whole ones."""
    return min(SECOND, max(asked.status_ns // 4, SHORTEST_NS)) if asked.status_ns else SECOND


def _eta_s(asked: Invocation, output: TextIO) -> float:
    """How often the line of the ETA is due: never where it would be among results that programs read."""
    for_people = sys.stdout.isatty() and (output is not sys.stdout or "normal" in asked.formats)
    return asked.eta_ns / SECOND if asked.eta == "always" or (asked.eta == "auto" and for_people) else 0.0


def _record(recorder: Recorder, found: Sequence[Done]) -> None:
    """One run per section: its clones together."""
    sections: dict[int, list[Done]] = {}
    for each in found:
        if each.ended is not None:
            sections.setdefault(id(each.job.section), []).append(each)
    for members in sections.values():
        first = members[0]
        ended = [each.ended for each in members if each.ended is not None]
        merged = together([each.execution for each in ended])
        found_depth = {"depth": merged.outcome["depth_found"]} if "depth_found" in merged.outcome else {}
        merged = _without_parts(merged)
        changed = {**first.plan.parameters, **found_depth, "threads": len(ended)}
        if "replay" in changed:
            # The log itself is in its file.
            changed["replay"] = {
                "log": first.job.words.text("read_iolog"),
                "operations": len(first.job.log.lines if first.job.log else ()),
            }
        plan = first.plan.having(changed)
        facts = {"fio": {"jobs": len(ended), "options": first.job.section.options}}
        recorder.add(first.place, plan, merged, min(each.started_ns for each in ended), facts)


def _without_parts(execution: Execution) -> Execution:
    """Without times of submission and views by priority: runs of all front ends have the same kinds of latency."""
    histograms = execution.outcome["histograms"]
    kept = {
        name: text
        for name, text in histograms.items()
        if not name.endswith(("_submission", "_completion")) and "_priority_" not in name
    }
    return replace(execution, outcome={**execution.outcome, "histograms": kept, "latency_sums_ns": {}})


def _results(done: Sequence[Done], asked: Invocation, started_ns: int, eta: int, doubts: Sequence[str]) -> list[str]:
    """`doubts` are the guards' reasons against the runs."""
    found, disks = entries(done), disks_of(done)
    lines: list[str] = []
    for each in asked.formats:
        if each == "normal":
            lines += [*normal_output.text(found, disks), *(f"plimsoll: invalid: {doubt}" for doubt in doubts)]
        elif each == "terse":
            lines += terse_output.lines(found, disks, asked.terse_version)
        else:
            # Several global parts add up: the last one has all.
            shared: dict[str, str] = asked.sections[-1].shared
            bins = each == "json+"
            document: dict[str, Any] = json_output.document(found, shared, disks, started_ns, eta, bins=bins)
            if doubts:
                document["plimsoll"] = {"invalid": list(doubts)}
            lines.append(json.dumps(document, indent=2))
    return lines


def _ending(recorder: Recorder, members: Sequence[Member], stop: Stop, say: Callable[[str], None]) -> int:
    for failure in recorder.failures():
        say(f"plimsoll fio: {failure}")
    failed = [run for run in recorder.runs if run.status is RunStatus.FAILED]
    if stop.interrupted:
        say("plimsoll fio: interrupted; what was measured until then is above and in the store")
        return INTERRUPTED
    ended_by_limit = any(limit.enough() for member in members for limit in member.limits)
    if recorder.runs and len(failed) == len(recorder.runs) and not ended_by_limit:
        raise NothingMeasured("no job of this run finished")
    return SOME_FAILED if failed else 0
