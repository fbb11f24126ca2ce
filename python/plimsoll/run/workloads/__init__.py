"""What a kind of workload must tell a session: how long, what it writes, what is impossible, how to run and score it.

One module per kind: `io` (block and file I/O), `files` (file-system tests), `db` (databases) and `program` (what other
packages bring). A plan names its workload; `plimsoll.parameters` says of which kind it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol, cast

from plimsoll.catalog.bounds import Pace
from plimsoll.model import Interval, Plan, Score, Target
from plimsoll.parameters import kind_of, parameters_of
from plimsoll.run.outcome import OnProgress, Outcome
from plimsoll.run.places import Place
from plimsoll.run.turns import Turns
from plimsoll.run.workers.execution import Execution


class Workload(Protocol):
    """What each module of this package has."""

    def run_ns(self, plan: Plan, pace: Pace | None = None) -> int:
        """About how long one run takes, everything included; `pace` is what the volume does, where that is known."""

    def problems(self, plan: Plan) -> Iterator[str]:
        """What is impossible in a plan whatever the place, as sentences that say what to change."""

    def on_target(self, plan: Plan, target: Target) -> Plan:
        """The plan as it has to be on this kind of place."""

    def check_place(self, plan: Plan, target: Target, destroy: Sequence[str]) -> None:
        """Refuse what cannot work on this place. Raises UsageError, TargetError or UnsafeTarget."""

    def data_files(self, plan: Plan) -> Mapping[str, int]:
        """Bytes of the files that are laid out once and shared by the runs of a session, by name."""

    def scratch_bytes(self, plan: Plan) -> int:
        """Most bytes that lie on the target beside the data files while one run goes on; gone after it."""

    def writes(self, plan: Plan) -> bool:
        """Whether carrying out a plan changes what is on the target."""

    def written_bytes(self, plan: Plan) -> int | None:
        """Most bytes that one run writes beside its data files; None where only time limits it."""

    def summary(self, plan: Plan) -> str:
        """The parameters that matter most, as people say them."""

    def execute(
        self,
        plan: Plan,
        place: Place,
        on_progress: OnProgress,
        deadline_reached: Callable[[], bool],
    ) -> Execution:
        """Carry out the plan; KeyboardInterrupt is passed on when nothing uses the place any more."""

    def scores(
        self, plan: Plan, outcome: Outcome, histograms: Mapping[str, bytes], intervals: Sequence[Interval]
    ) -> tuple[Score, ...]:
        """One number per metric; none where nothing was measured."""

    def file_facts(self, plan: Plan, place: Place) -> Mapping[str, Any]:
        """Facts of the data file after a run; empty where there is none."""


class PausingWorkload(Workload, Protocol):
    """What goes on for as long as it is told, and can pause and go on."""

    def against_slices(self, plan: Plan, asked: bool) -> Iterator[str]:
        """Why it cannot alternate with others in slices, or would mislead: what follows “the test”.

        What is `asked` for may be disturbed a little, which the looks at slices after own ones show.
        """

    def alternate(
        self,
        plans: Sequence[Plan],
        places: Sequence[Place],
        turns: Turns,
        on_progress: OnProgress,
        deadline_reached: Callable[[], bool],
    ) -> list[Execution]:
        """Carry out the plans of a block in slices; where one fails, none is measured."""


class ParallelWorkload(Workload, Protocol):
    """What can run on several targets at once."""

    def parallel(
        self,
        plans: Sequence[Plan],
        places: Sequence[Place],
        on_progress: OnProgress,
        deadline_reached: Callable[[], bool],
    ) -> list[Execution]:
        """Carry out the plans of a block at the same time; where one fails, none is measured."""


def of(plan: Plan) -> Workload:
    """The kind of workload of a plan. Raises UnknownName where the package that brings it is not installed here."""
    parameters_of(plan.workload)
    return cast(Workload, import_module(f"plimsoll.run.workloads.{kind_of(plan.workload)}"))


def pausing(plan: Plan) -> PausingWorkload | None:
    """The same of one that can pause; None of what has an end of its own."""
    found = of(plan)
    return cast(PausingWorkload, found) if hasattr(found, "alternate") else None


def parallel(plan: Plan) -> ParallelWorkload | None:
    """The same of one that can run on several targets at once."""
    found = of(plan)
    return cast(ParallelWorkload, found) if hasattr(found, "parallel") else None
