"""What comes back from one execution, wherever it took place, and how a running job is watched."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol

from typing_extensions import TypeVar

from plimsoll.errors import PlimsollError, TargetError
from plimsoll.model import Artefact
from plimsoll.run.outcome import OnProgress, Outcome, Progress, answer
from plimsoll.run.sampler import HostSample, Sampler
from plimsoll.targets.held import readable
from plimsoll.units import SECOND

POLL_S = 0.1
STOP_S = 10.0
"""How long a stopped job may take to come back before it is given up (a stalled device can hold it in the kernel)."""

UNMEASURED = frozenset({"layout", "warmup", "prepare", "verify", "waiting", "cleanup", "finished"})
"""Phases of jobs in which nothing is counted."""


Measured = TypeVar("Measured", bound=Outcome, covariant=True, default=Outcome)
Spec = TypeVar("Spec")


@dataclass(frozen=True)
class Execution(Generic[Measured]):
    """What came back from one execution: the core's outcome and the host's counters around it."""

    outcome: Measured
    before: HostSample
    after: HostSample
    samples: tuple[HostSample, ...]
    artefacts: tuple[Artefact, ...] = ()
    """Raw files to keep with the run."""


class Job(Protocol):
    """A running job of the core."""

    def poll(self) -> str:
        """How far it is, as JSON."""

    def stop(self) -> None:
        """Ask it to end."""

    def result(self, timeout_s: float | None = None) -> str | None:
        """The outcome as JSON; None when the time is over first."""


class PausingJob(Job, Protocol):
    """One that can work in slices."""

    def go(self, begin_ns: int) -> None:
        """The moment on the monotonic clock from which its slices count."""


def measured(
    start: Callable[[Spec], Job],
    spec: Spec,
    kind: type[Measured],
    what: str,
    sampler: Sampler,
    on_progress: OnProgress,
    deadline_reached: Callable[[], bool],
) -> Execution[Measured]:
    """Have the core carry out a job, and wait for it as `watch` does. Places in its message are as people know them."""
    before = sampler.sample()
    text, samples = watch(start(spec), what, sampler, on_progress, deadline_reached)
    after = sampler.sample()
    outcome = answer(kind, text)
    if outcome["error"]:
        outcome["error"]["message"] = readable(outcome["error"]["message"])
    return Execution(outcome, before, after, samples)


def watch(
    job: Job,
    what: str,
    sampler: Sampler,
    on_progress: OnProgress,
    deadline_reached: Callable[[], bool],
) -> tuple[str, tuple[HostSample, ...]]:
    """Wait for a job: its answer, and a sample of the host about once a second of its measured part.

    `what` names the place in the error for a job that does not end. KeyboardInterrupt stops the job, waits for it, and
    is passed on: nothing is in use when it arrives.
    """
    samples: list[HostSample] = []
    phase = ""
    stopped_ns: int | None = None
    try:
        while (result := job.result(POLL_S)) is None:
            progress = answer(Progress, job.poll())
            if _is_due(progress["phase"], phase, samples, sampler):
                samples.append(sampler.sample())
            phase = progress["phase"]
            on_progress(progress)
            if stopped_ns is None and deadline_reached():
                job.stop()
                stopped_ns = time.monotonic_ns()
            if stopped_ns is not None and time.monotonic_ns() - stopped_ns > STOP_S * SECOND:
                raise TargetError(
                    f"{readable(what)} does not answer: the job did not end {STOP_S:g} s after it was stopped"
                )
    except BaseException:
        # Whatever happened, nobody may still use the file when its folder is removed.
        job.stop()
        job.result(STOP_S)
        raise
    return result, tuple(samples)


def _is_due(phase: str, last_phase: str, samples: list[HostSample], sampler: Sampler) -> bool:
    """Once a second while something is measured, and at every change from one phase to the next."""
    measured = phase.partition(" ")[0] not in UNMEASURED
    if phase != last_phase and (samples or measured):
        return True
    return measured and sampler.age_ns(samples[-1]) >= SECOND


def failure(outcome: Outcome) -> str:
    """Why the core ended a job, as one sentence."""
    error = outcome["error"]
    if error is None:
        raise PlimsollError("the core reported a failure without a reason; please report this as an internal error")
    place = f" at offset {error['offset']}" if error["offset"] is not None else ""
    return f"{error['message']}{place}"
