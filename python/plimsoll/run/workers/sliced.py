"""Jobs that alternate in slices on this machine: all are set up first, and then work in turns that are known ahead."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any, TypedDict, cast

from plimsoll.errors import TargetError
from plimsoll.metrics import DATA_KINDS
from plimsoll.run.outcome import OnProgress, Outcome, Progress, Slices, answer
from plimsoll.run.sampler import HostSample, Sampler
from plimsoll.run.turns import Agreed, Turn, Turns, after_others
from plimsoll.run.workers.execution import POLL_S, STOP_S, Execution, Job, PausingJob
from plimsoll.targets.held import readable
from plimsoll.units import MILLISECOND, SECOND

AHEADS_NS = (30 * MILLISECOND, 300 * MILLISECOND, 3 * SECOND)
"""From "all are ready" to the first slice: long enough for every thread to hear of it. On a machine that kept us from
saying it in time, all are set up anew, and it is said longer ahead."""
READY_S = 60.0
"""How long all jobs together may take to set themselves up; their files are laid out before."""
READY_POLL_S = 0.01


class TooLate(Exception):
    """The moment at which all machines were to begin has passed here; they can agree upon another one."""


@dataclass
class Part:
    """What one target does in a block, and what comes of it."""

    start: Callable[[Any], PausingJob]
    spec: Mapping[str, Any]
    """What the core takes, without the slices."""
    outcome: type[Outcome]
    """What it answers."""
    what: str
    """The place, for the error of a job that does not end."""
    sampler: Sampler
    name: str
    """Of the target."""
    samples: list[HostSample] = field(default_factory=list)
    """Before the block, about once a second in it, and after it."""


def in_slices(spec: Mapping[str, Any], slices: Sequence[Turn], discard_ns: int) -> dict[str, Any]:
    """The same job, working in these slices only; its warm-up is the beginning of the first one."""
    return {**spec, "slices": slices, "discard_ns": discard_ns}


def alternate(
    parts: Sequence[Part], turns: Turns, on_progress: OnProgress, deadline_reached: Callable[[], bool]
) -> list[Execution]:
    """Have the core carry out the jobs of a block in their turns, and wait for all of them.

    One that fails ends the others: what is left of the block would compare nothing. KeyboardInterrupt stops all, waits
    for them, and is passed on: nothing is in use when it arrives. Raises TooLate where the moment that was agreed upon
    had passed.
    """
    for ahead_ns in AHEADS_NS:
        with ExitStack() as stack:
            jobs = [stack.enter_context(_set_up(part, turns)) for part in parts]
            if _all_ready(jobs, parts, deadline_reached) and not _told_to_go(jobs, turns.agreed, ahead_ns):
                if turns.agreed is not None:
                    raise TooLate
                continue
            answers = await_all(jobs, parts, on_progress, deadline_reached)
            for part in parts:
                part.samples.append(part.sampler.sample())
            break
    else:
        raise TargetError(
            f"{readable(parts[0].what)}: this machine is too busy to begin slices in time; wait until it is quiet, or "
            "use --interleave blocks"
        )
    followers = after_others(turns)
    return [_execution(part, text, turns, followers[part.name]) for part, text in zip(parts, answers, strict=True)]


@contextmanager
def _set_up(part: Part, turns: Turns) -> Iterator[PausingJob]:
    """The job of one target, which ends with the block."""
    part.samples[:] = [part.sampler.sample()]
    job = part.start(in_slices(part.spec, turns.of[part.name], turns.discard_ns))
    try:
        yield job
    finally:
        end(job)


def _told_to_go(jobs: Sequence[PausingJob], agreed: Agreed | None, ahead_ns: int) -> bool:
    """Tell all when to begin; False where one heard of it too late.

    One that has ended meanwhile is not told again: its answer says why.
    """
    begin_ns = time.monotonic_ns() + ahead_ns if agreed is None else agreed()
    try:
        for job in jobs:
            job.go(begin_ns)
    except ValueError:
        return any(job.result(0.0) is not None for job in jobs)
    return True


def end(job: Job) -> None:
    """Whatever happened, nobody may still use the file when its folder is removed; one that has ended stays so."""
    job.stop()
    job.result(STOP_S)


def _all_ready(jobs: Sequence[Job], parts: Sequence[Part], deadline_reached: Callable[[], bool]) -> bool:
    """Wait until every job can begin; False, and all are stopped, where one has ended before or the time is up."""
    until = time.monotonic() + READY_S
    waiting = list(zip(jobs, parts, strict=True))
    while waiting:
        job, part = waiting[0]
        if job.result(READY_POLL_S) is not None or deadline_reached():
            for each in jobs:
                each.stop()
            return False
        if answer(Progress, job.poll())["phase"] == "ready":
            waiting.pop(0)
        elif time.monotonic() > until:
            raise TargetError(f"{readable(part.what)} does not answer: the job was not ready after {READY_S:g} s")
    return True


def await_all(
    jobs: Sequence[Job], parts: Sequence[Part], on_progress: OnProgress, deadline_reached: Callable[[], bool]
) -> list[str]:
    """The answers of all jobs."""
    answers: list[str | None] = [None] * len(jobs)
    stopped_ns: int | None = None
    while None in answers:
        first = answers.index(None)
        jobs[first].result(POLL_S)
        answers = [text if text is not None else job.result(0.0) for text, job in zip(answers, jobs, strict=True)]
        progress = answer(Progress, jobs[first].poll())
        if progress["phase"] == "measure":
            for part in parts:
                if part.sampler.age_ns(part.samples[-1]) >= SECOND:
                    part.samples.append(part.sampler.sample())
        on_progress(progress)
        over = deadline_reached() or any(_failed(part, text) for part, text in zip(parts, answers, strict=True))
        if over and stopped_ns is None:
            stopped_ns = time.monotonic_ns()
            for job in jobs:
                job.stop()
        if stopped_ns is not None and time.monotonic_ns() - stopped_ns > STOP_S * SECOND:
            raise TargetError(
                f"{readable(parts[first].what)} does not answer: the job did not end {STOP_S:g} s after it was stopped"
            )
    return [text for text in answers if text is not None]


def _failed(part: Part, text: str | None) -> bool:
    return text is not None and answer(part.outcome, text)["status"] == "failed"


def _execution(part: Part, text: str, turns: Turns, followers: Sequence[bool]) -> Execution:
    outcome = answer(part.outcome, text)
    outcome["slices"] = Slices(
        slice_ns=turns.slice_ns,
        discard_ns=turns.discard_ns,
        shared_by=len(turns.of),
        drain_ns=[each.pop("drain_ns", 0) for each in outcome["intervals"]],
        **_neighbours(outcome, followers),
    )
    if outcome["error"]:
        outcome["error"]["message"] = readable(outcome["error"]["message"])
    before, *between, after = part.samples
    return Execution(outcome, before, after, tuple(between))


class _Neighbours(TypedDict):
    """What slices show by the one right before them; see `Slices`."""

    after_other: float | None
    after_own: float | None


def _neighbours(outcome: Outcome, followers: Sequence[bool]) -> _Neighbours:
    done, lasted = {True: 0, False: 0}, {True: 0, False: 0}
    # Of a transaction only the whole counts, not its parts.
    kinds: Sequence[str] = cast(Mapping[str, Any], outcome).get("whole", DATA_KINDS)
    # One that was stopped has fewer slices than it was given.
    for interval, follows in zip(outcome["intervals"], followers, strict=False):
        done[follows] += sum(
            interval["operations"][kind]["operations"] for kind in kinds if kind in interval["operations"]
        )
        lasted[follows] += interval["duration_ns"]
    if not all(done.values()):
        return {"after_other": None, "after_own": None}
    other, own = (math.log(done[each] / lasted[each]) for each in (True, False))
    return {"after_other": other - own, "after_own": own - math.log(sum(done.values()) / sum(lasted.values()))}
