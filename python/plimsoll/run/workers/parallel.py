"""Jobs that run at the same time on this machine: their files are there, and each begins as soon as it is set up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack

from plimsoll.run.outcome import OnProgress, Outcome, Parallel, answer
from plimsoll.run.workers.execution import Execution
from plimsoll.run.workers.sliced import Part, await_all, end
from plimsoll.targets.held import readable


def at_once(parts: Sequence[Part], on_progress: OnProgress, deadline_reached: Callable[[], bool]) -> list[Execution]:
    """Have the core carry out the jobs of a block at the same time, and wait for all of them.

    One that fails ends the others. KeyboardInterrupt stops all, waits for them, and is passed on: nothing is in use
    when it arrives.
    """
    with ExitStack() as stack:
        for part in parts:
            part.samples.append(part.sampler.sample())
        jobs = []
        for part in parts:
            jobs.append(part.start(part.spec))
            stack.callback(end, jobs[-1])
        answers = await_all(jobs, parts, on_progress, deadline_reached)
        for part in parts:
            part.samples.append(part.sampler.sample())
    outcomes = [answer(part.outcome, text) for part, text in zip(parts, answers, strict=True)]
    for outcome in outcomes:
        outcome["parallel"] = Parallel(shared_by=len(parts), overlap=_overlap(outcome, outcomes))
        if outcome["error"]:
            outcome["error"]["message"] = readable(outcome["error"]["message"])
    return [
        Execution(outcome, part.samples[0], part.samples[-1], tuple(part.samples[1:-1]))
        for outcome, part in zip(outcomes, parts, strict=True)
    ]


def _overlap(outcome: Outcome, outcomes: Sequence[Outcome]) -> float:
    """Share of the measured time of one in which all were measured."""
    begin_ns = max(each["started_ns"] for each in outcomes)
    end_ns = min(each["started_ns"] + each["elapsed_ns"] for each in outcomes)
    return max(0, end_ns - begin_ns) / outcome["elapsed_ns"] if outcome["elapsed_ns"] else 0.0
