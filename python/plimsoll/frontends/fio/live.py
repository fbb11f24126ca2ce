"""What running jobs have told so far, as the outcomes that fio's statistics are made from."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from plimsoll.declared import IoParameters
from plimsoll.frontends.side_by_side import Ended
from plimsoll.model import Plan
from plimsoll.run.outcome import OneInterval, Outcome, Progress, SoFar
from plimsoll.run.places import Place
from plimsoll.run.workers.execution import Execution
from plimsoll.run.workers.local import Keep
from plimsoll.units import SECOND

SO_FAR: tuple[Keep, ...] = ("so_far",)
"""What the core is asked for, so that a running job can be reported."""
TRACED: tuple[Keep, ...] = ("trace", "trace_syncs")
"""And so that its operations can be told one by one."""
NOTHING: SoFar = {
    "elapsed_ns": 0,
    "operations": {},
    "histograms": {},
    "latency_sums_ns": {},
    "cpu": {
        "user_ns": 0,
        "system_ns": 0,
        "busiest_thread": 0.0,
        "all_processors": 0.0,
        "context_switches": 0,
        "major_faults": 0,
        "minor_faults": 0,
    },
    "mean_in_flight": 0.0,
}


class Live:
    """One job from its start to its end."""

    def __init__(self, plan: Plan, place: Place) -> None:
        self._plan = plan
        self._place = place
        self._before = place.sampler.sample()
        self._started_ns = time.time_ns()
        self._so_far = NOTHING
        self._intervals: list[OneInterval] = []
        self._progress: Progress | None = None
        self._execution: Execution | None = None

    def see(self, progress: Progress) -> None:
        """What the job tells ten times a second."""
        self._progress = progress
        self._so_far = progress.get("so_far") or self._so_far
        interval = progress["interval"]
        last_ns = self._intervals[-1]["start_ns"] if self._intervals else -1
        if interval and interval["start_ns"] < last_ns:
            # The next window of a search begins: what counts is the last one.
            self._intervals, last_ns = [], -1
        if interval and interval["start_ns"] > last_ns:
            self._intervals.append(interval)

    def carried_out(self, carry_out: Callable[..., Execution]) -> Callable[..., Execution]:
        """Also keeps what comes back: other jobs may go on."""

        def keeping(*words: Any) -> Execution:
            self._execution = carry_out(*words)
            return self._execution

        return keeping

    @property
    def over(self) -> bool:
        """Whether the job has ended."""
        return self._execution is not None

    @property
    def failed(self) -> bool:
        """Whether it ended with an error."""
        return self._execution is not None and self._execution.outcome["status"] == "failed"

    @property
    def phase(self) -> str:
        """Of the core; nothing before the job has begun."""
        return self._progress["phase"] if self._progress else ""

    @property
    def interval(self) -> OneInterval | None:
        """The last complete one of a job that is still measured."""
        return self._intervals[-1] if self._intervals and not self.over else None

    def ended(self) -> Ended:
        """As if the job had ended with its last complete interval."""
        if self._execution is not None:
            return Ended(self._execution, self._started_ns)
        so_far = self._so_far
        outcome: Outcome = {
            "status": "ok",
            "error": None,
            "started_ns": self._started_ns,
            "elapsed_ns": so_far["elapsed_ns"],
            "operations": so_far["operations"],
            "histograms": so_far["histograms"],
            "latency_sums_ns": so_far.get("latency_sums_ns", {}),
            "cpu": so_far["cpu"],
            "mean_in_flight": so_far["mean_in_flight"],
            "phases": {"layout_ns": 0, "warmup_ns": 0, "measure_ns": so_far["elapsed_ns"], "verify_ns": 0},
            "intervals": list(self._intervals),
            "interval_histograms": [],
            "offered_operations": None,
            "verified": None,
            "clock": "",
        }
        return Ended(Execution(outcome, self._before, self._place.sampler.sample(), ()), self._started_ns)

    def left_s(self) -> float | None:
        """Seconds to its end as far as can be told: by time, or by the part of its work that is done."""
        if self.over:
            return 0.0
        if self._progress is None or self.phase != "measure":
            return planned_s(self._plan)
        done = self._progress["done"]
        return self._progress["elapsed_ns"] / SECOND * (1 - done) / done if done else None


def planned_s(plan: Plan) -> float | None:
    """Seconds that a job will take by its plan; None where bytes or operations end it."""
    values = plan.values(IoParameters)
    if values["max_bytes"] is not None or values["max_operations"] is not None:
        return None
    return (values["warmup"] + values["runtime"]) / SECOND
