"""How the targets of a session's blocks share their time, and at which pace: a function of the runs so far."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from plimsoll.model import Level, Run, RunStatus
from plimsoll.run.guards import parallel
from plimsoll.run.interleave import Way
from plimsoll.run.plan import Step
from plimsoll.run.turns import Lengths, Pace, pace_for, usual_drain_ns
from plimsoll.units import format_duration


class Alternation:
    """Keeps what the slices of each case have shown."""

    def __init__(self, ways: Mapping[str, Way]) -> None:
        self._ways = ways
        self._drains_ns: dict[str, list[int]] = {case: [] for case in ways}
        """Of each slice, from its end until all that was in flight was back."""
        self._whole: set[str] = set()
        """Cases with a block in which one target ran after the other."""
        self._disturbed: set[str] = set()
        """Cases whose targets were in each other's way when they ran at once."""

    def take(self, runs: Iterable[Run]) -> None:
        """Add finished runs."""
        for run in runs:
            case = run.plan.case
            if run.in_slices:
                drains = run.facts["slices"].get("drain_ns")
                # What is extended may come from a result file, which may hold anything.
                self._drains_ns[case] += (
                    [ns for ns in drains if isinstance(ns, int)] if isinstance(drains, list) else []
                )
            elif run.at_once:
                if any(each.guard == parallel.NAME and each.level is Level.INVALID for each in run.findings):
                    self._disturbed.add(case)
            elif run.status in (RunStatus.OK, RunStatus.INVALID):
                self._whole.add(case)

    def pace(self, step: Step) -> Pace | None:
        """The pace of the next block of a case; None: one target runs after the other.

        What was begun one after the other goes on so, as do cases whose requests take too long to come back.
        """
        if not self._ways[step.case].slices or step.case in self._whole:
            return None
        return pace_for(self._drains_ns[step.case], _runtime_ns(step))

    def at_once(self, step: Step) -> bool:
        """Whether the targets of the next block of a case run at the same time; what was begun otherwise goes on so."""
        return self._ways[step.case].parallel and step.case not in self._whole | self._disturbed

    def given_up(self, step: Step) -> str | None:
        """That a way has just turned out to be wrong for a case, for whoever watches."""
        if step.case in self._disturbed - self._whole:
            return (
                f"{step.case}: the targets were in each other's way when they ran at once; from now on one target runs "
                "after the other"
            )
        tried = self._ways[step.case].slices and step.case not in self._whole
        if not tried or self.pace(step) is not None:
            return None
        drain = format_duration(usual_drain_ns(self._drains_ns[step.case]))
        longer = "; --set runtime=10s gives them longer runs" if "runtime" in step.unset else ""
        return (
            f"{step.case}: at the end of a slice it usually takes up to {drain} until all is back, too long for "
            f"slices of runs of {format_duration(_runtime_ns(step))}; from now on one target runs after the "
            f"other{longer}"
        )


def _runtime_ns(step: Step) -> int:
    """Of a case whose targets alternate: they run equally long."""
    return next(iter(step.plans.values())).values(Lengths)["runtime"]
