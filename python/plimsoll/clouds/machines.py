"""Rented machines as the machines of a session: measured where they are, recorded as the study has them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from typing import Any

from plimsoll.catalog.targets import AS, shape_of
from plimsoll.cluster.address import split_place
from plimsoll.model import RENTED, Run, Session, Target
from plimsoll.run import interleave
from plimsoll.run.interleave import Way
from plimsoll.run.machines import Machines, PreparedTargets
from plimsoll.run.outcome import OnProgress
from plimsoll.run.plan import Step
from plimsoll.run.renting import Renting
from plimsoll.run.schedule import RunRequest
from plimsoll.run.study import Study
from plimsoll.run.turns import Pace
from plimsoll.targets.database import is_address
from plimsoll.targets.rented import rented_options


class RentedMachines:
    """Carries out the runs of rented targets where their volumes are, by the machines of the cluster there.

    A run is recorded with its target as the study has it, so that a study can be done again, and a report knows the
    volume; what was rented for it is among its facts.
    """

    def __init__(
        self,
        inner: Machines,
        places: Mapping[str, str],
        rented: Mapping[str, Any],
        facts: Mapping[str, Any],
        used: Callable[[Session], AbstractContextManager[None]],
    ) -> None:
        """`places` and `rented`, which says what was rented for it, by target; `facts` are those of the session.

        While a session is open, `used` of it is entered.
        """
        self._inner, self._places, self._rented, self._facts, self._used = inner, places, rented, facts, used
        self.session: Session | None = None
        """The one that was opened last: who gives back adds the bill to it."""

    @property
    def facts(self) -> Mapping[str, Any]:
        """Those of the machines, and what they cost."""
        return {**self._inner.facts, **self._facts}

    def ways(self, study: Study, planned: Sequence[Step]) -> dict[str, Way]:
        """A run at a time: the limits of rented volumes save up while they rest."""
        return interleave.of_rented(study, planned)

    def resolved(self, study: Study) -> Study:
        """As it is written."""
        return study

    def check(self, study: Study, steps: Sequence[Step], destroy: Sequence[str]) -> None:
        """As the machines do, with the places where the targets are now."""
        there = replace(study, targets=tuple(map(self._there, study.targets)), rent=Renting())
        there = self._inner.resolved(there)
        self._inner.check(there, steps, destroy)

    @contextmanager
    def open(
        self, targets: Sequence[Target], session: Session, written: Collection[str], destroy: Sequence[str]
    ) -> Iterator[PreparedTargets]:
        """Open every place where it is."""
        self.session = session
        written_as = {target.name: target for target in targets if target.name in self._places}
        there = [self._there(target) for target in targets]
        with self._used(session), self._inner.open(there, session, written, destroy) as prepared:
            yield _AsWritten(prepared, written_as, self._rented)

    def _there(self, target: Target) -> Target:
        """Where it is, for the workers: what volume it is helps them to tell what holds a run back."""
        if target.name not in self._places:
            return target
        where, shape = self._places[target.name], shape_of(target)
        options = dict(target.options)
        if shape is not None:
            # Blocks of a snapshot are slow at their first touch, which a guard has to know.
            touched = {"first_touch": "yes"} if rented_options(target)[1].get("snapshot") else {}
            options[AS] = "+".join(f"{name}={value}" for name, value in {**shape.options, **touched}.items())
        kind = "database" if is_address(split_place(where)[1]) else "directory"
        return target.model_copy(update={"where": where, "kind": kind, "options": options})


@dataclass(frozen=True)
class _AsWritten:
    """Places whose targets are recorded as the study has them."""

    inner: PreparedTargets
    written: Mapping[str, Target]
    rented: Mapping[str, Any]

    @property
    def targets(self) -> Mapping[str, Target]:
        """By name, with the facts of their places."""
        return {name: self._as_written(target) for name, target in self.inner.targets.items()}

    def measure(self, request: RunRequest, on_progress: OnProgress, deadline_reached: Callable[[], bool]) -> Run:
        """One run."""
        return self._recorded(self.inner.measure(request, on_progress, deadline_reached))

    def measure_together(
        self,
        requests: Sequence[RunRequest],
        pace: Pace | None,
        on_progress: OnProgress,
        deadline_reached: Callable[[], bool],
    ) -> list[Run]:
        """As the machines do."""
        return list(map(self._recorded, self.inner.measure_together(requests, pace, on_progress, deadline_reached)))

    def _recorded(self, run: Run) -> Run:
        return run.model_copy(update={"target": self._as_written(run.target)})

    def _as_written(self, target: Target) -> Target:
        original = self.written.get(target.name)
        if original is None:
            return target
        facts = {**target.facts, RENTED: self.rented.get(target.name, {})}
        return original.model_copy(update={"facts": facts})
