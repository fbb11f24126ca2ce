"""Where the runs of a session are carried out: on this machine, or on others that do the same for it."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from plimsoll.model import Plan, Run, Session, Target
from plimsoll.run import emulated, workloads
from plimsoll.run import plan as planning
from plimsoll.run.places import Place, open_places
from plimsoll.run.plan import Step
from plimsoll.run.record import run_record
from plimsoll.run.schedule import Block
from plimsoll.run.study import Study

OnProgress = Callable[[Mapping[str, Any]], None]


@dataclass(frozen=True)
class Order:
    """One run that is wanted: the block's part for one target."""

    session_id: str
    block: Block
    position: int
    target: str
    noisy_host: bool


class Opened(Protocol):
    """The places of a session, ready for runs."""

    @property
    def targets(self) -> Mapping[str, Target]:
        """By name, with the facts of their places."""

    def measure(self, order: Order, on_progress: OnProgress, deadline_reached: Callable[[], bool]) -> Run:
        """Carry out one run; KeyboardInterrupt is passed on when nothing uses the place any more."""


class Machines(Protocol):
    """What carries out runs."""

    @property
    def facts(self) -> Mapping[str, Any]:
        """What a session keeps about them beside the facts of this host."""

    def check(self, study: Study, steps: Sequence[Step], destroy: Sequence[str]) -> None:
        """Refuse what cannot work, before anything is written, as `plan.check` does."""

    def open(
        self, targets: Sequence[Target], session: Session, written: Collection[str], destroy: Sequence[str]
    ) -> AbstractContextManager[Opened]:
        """Lock and prepare every target; everything is removed when the context ends."""


@dataclass(frozen=True)
class OpenedHere:
    """Places on this machine."""

    places: Mapping[str, Place]
    asked: Sequence[Target]

    @property
    def targets(self) -> Mapping[str, Target]:
        """By name, with the facts of their places."""
        return {name: emulated.as_written(place.target, self.asked) for name, place in self.places.items()}

    def measure(self, order: Order, on_progress: OnProgress, deadline_reached: Callable[[], bool]) -> Run:
        """Hand the plan to its workload and make the record."""
        return self.measure_plan(order, order.block.step.plans[order.target], on_progress, deadline_reached)[0]

    def measure_plan(
        self, order: Order, plan: Plan, on_progress: OnProgress, deadline_reached: Callable[[], bool]
    ) -> tuple[Run, int]:
        """The run of a plan, and when its measured time began (ns since 1970)."""
        place = self.places[order.target]
        started_ns = time.time_ns()
        execution = workloads.of(plan).execute(plan, place, on_progress, deadline_reached)
        run = run_record(
            order.session_id, order.block, order.position, place, plan, execution, started_ns, order.noisy_host
        )
        run = run.model_copy(update={"target": emulated.as_written(run.target, self.asked)})
        return run, int(execution.outcome["started_ns"])


class ThisMachine:
    """Carries out every run here."""

    @property
    def facts(self) -> Mapping[str, Any]:
        """None: the facts of this host say it all."""
        return {}

    def check(self, study: Study, steps: Sequence[Step], destroy: Sequence[str]) -> None:
        """As `plan.check` does."""
        planning.check(study, steps, destroy)

    @contextmanager
    def open(
        self, targets: Sequence[Target], session: Session, written: Collection[str], destroy: Sequence[str]
    ) -> Iterator[OpenedHere]:
        """Serve volumes, lock the places, make work folders, and remove all of it at the end."""
        with emulated.served(targets, session) as there, open_places(there, session, written, destroy) as places:
            yield OpenedHere(places, targets)
