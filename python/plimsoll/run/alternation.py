"""Which blocks of a session are made in slices, and at which pace: a function of the runs so far."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from plimsoll.declared import IoParameters
from plimsoll.model import Run, RunStatus
from plimsoll.run.interleave import Way
from plimsoll.run.plan import Step
from plimsoll.run.turns import LONGEST_DISCARD_NS, Pace, pace_for
from plimsoll.units import format_duration


class Alternation:
    """Keeps what the slices of each case have shown."""

    def __init__(self, ways: Mapping[str, Way]) -> None:
        self._ways = ways
        self._drains_ns: dict[str, list[int]] = {case: [] for case in ways}
        """Of each slice, from its end until all that was in flight was back."""
        self._whole: set[str] = set()
        """Cases with a block in which one target ran after the other."""

    def take(self, runs: Iterable[Run]) -> None:
        """Add finished runs."""
        for run in runs:
            case = run.plan.case
            if run.in_slices:
                self._drains_ns[case] += run.facts["slices"]["drain_ns"]
            elif run.status in (RunStatus.OK, RunStatus.INVALID):
                self._whole.add(case)

    def pace(self, step: Step) -> Pace | None:
        """The pace of the next block of a case; None: one target runs after the other.

        What was begun one after the other goes on so, as do cases whose requests take too long to come back.
        """
        if not self._ways[step.case].slices or step.case in self._whole:
            return None
        runtime_ns = next(iter(step.plans.values())).values(IoParameters)["runtime"]
        return pace_for(self._drains_ns[step.case], runtime_ns)

    def given_up(self, step: Step) -> str | None:
        """That slices have just turned out to be too short for a case, for whoever watches."""
        tried = self._ways[step.case].slices and step.case not in self._whole
        if not tried or self.pace(step) is not None:
            return None
        return (
            f"{step.case}: what is in flight takes longer to come back than slices can wait ("
            f"{format_duration(LONGEST_DISCARD_NS)}); from now on one target runs after the other"
        )
