"""One session, from study to stored runs: the main path of `plimsoll run`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from uuid_utils import uuid7

import plimsoll
from plimsoll.model import Run, RunStatus, Session, SessionState
from plimsoll.run import plan as planning
from plimsoll.run import workloads
from plimsoll.run.machines import Machines, Opened, Order, ThisMachine
from plimsoll.run.observer import Observer
from plimsoll.run.record import score_rows
from plimsoll.run.resume import check_same_places, ownership
from plimsoll.run.schedule import Block, Schedule
from plimsoll.run.study import Study, from_table
from plimsoll.store.store import Store
from plimsoll.targets.host import host_facts


def run_study(
    study: Study,
    store: Store,
    observer: Observer,
    destroy: Sequence[str] = (),
    machines: Machines | None = None,
) -> Session:
    """Carry out a study; every finished run is in the store before the next begins.

    Raises what `plan.check` raises before anything is written; passes KeyboardInterrupt on after cleaning up and
    marking the session as interrupted.
    """
    machines = machines or ThisMachine()
    steps = planning.steps(study)
    machines.check(study, steps, destroy)
    session = Session(
        id=str(uuid7()),
        title=study.title,
        started_ns=time.time_ns(),
        host={**host_facts(), **ownership(), **machines.facts},
        study=study.to_table(),
        plimsoll_version=plimsoll.__version__,
    )
    store.add_session(session)
    return _Runner(study, steps, session, store, observer, destroy, machines).run()


def resume_session(
    session: Session,
    store: Store,
    observer: Observer,
    destroy: Sequence[str] = (),
    machines: Machines | None = None,
) -> Session:
    """Go on with an interrupted session: the same study and seed, in the time that is left, after the stored runs."""
    study = from_table(session.study, f"session {session.title}")
    machines = machines or ThisMachine()
    steps = planning.steps(study)
    machines.check(study, steps, destroy)
    session = session.model_copy(update={"host": {**session.host, **ownership(), **machines.facts}})
    store.reopen_session(session)
    return _Runner(study, steps, session, store, observer, destroy, machines, store.runs([session.id])).run()


@dataclass
class _Clock:
    """The hard bound of `--time`."""

    deadline_ns: int | None

    def left_ns(self) -> float:
        return float("inf") if self.deadline_ns is None else self.deadline_ns - time.monotonic_ns()

    def used_up(self) -> bool:
        return self.left_ns() <= 0


class _Runner:
    """Carries one session through its blocks."""

    def __init__(
        self,
        study: Study,
        steps: list[planning.Step],
        session: Session,
        store: Store,
        observer: Observer,
        destroy: Sequence[str],
        machines: Machines,
        earlier: Sequence[Run] = (),
    ) -> None:
        self._study = study
        self._steps = steps
        self._session = session
        self._store = store
        self._observer = observer
        self._destroy = destroy
        self._machines = machines
        self._schedule = Schedule(study, steps)
        self._earlier = earlier
        self._schedule.take(earlier, score_rows(earlier))
        used_ns = sum(run.ended_ns - run.started_ns for run in earlier)
        self._clock = _Clock(None if study.time_ns is None else time.monotonic_ns() + study.time_ns - used_ns)

    def run(self) -> Session:
        """Run blocks until every case is closed; the session is finished in the store however this ends."""
        state = SessionState.INTERRUPTED
        try:
            self._observer.session_started(self._session, self._steps)
            for step in self._steps:
                self._schedule.settle(step.case)
            written = {
                name for step in self._steps for name, plan in step.plans.items() if workloads.of(plan).writes(plan)
            }
            with self._machines.open(self._study.targets, self._session, written, self._destroy) as opened:
                check_same_places(self._earlier, opened.targets)
                while (block := self._next_block()) is not None:
                    self._run_block(block, opened)
            state = SessionState.DONE
        finally:
            ended = time.time_ns()
            self._store.finish_session(self._session.id, state, ended)
            finished = self._session.model_copy(update={"state": state, "ended_ns": ended})
            self._observer.session_finished(finished)
        return finished

    def _next_block(self) -> Block | None:
        """The next block that still fits into the time."""
        block = self._schedule.next_block(self._clock.left_ns())
        if block is None and self._schedule.open_cases:
            self._observer.note(f"the time is used up; undecided: {', '.join(self._schedule.open_cases)}")
        return block

    def _run_block(self, block: Block, opened: Opened) -> None:
        runs = [self._run(block, position, opened) for position in range(len(block.targets))]
        self._schedule.take(runs, score_rows(runs))
        if any(run.status is RunStatus.INVALID for run in runs):
            names = ", ".join(run.target.name for run in runs if run.status is RunStatus.INVALID)
            self._observer.note(f"{block.step.case}: block {block.number + 1} is not valid on {names}")
        closed = self._schedule.settle(block.step.case)
        if closed is not None:
            self._observer.note(f"{block.step.case}: {closed}")

    def _run(self, block: Block, position: int, opened: Opened) -> Run:
        """One run, stored."""
        done_ns = self._schedule.block_ns(block.step.case) * position // len(block.targets)
        remaining_ns = max(0, self._schedule.remaining_ns() - done_ns)
        name = block.targets[position]
        self._observer.run_started(block.step, name, block.number, remaining_ns)
        order = Order(self._session.id, block, position, name, self._study.noisy_host)
        run = opened.measure(order, self._observer.run_progress, self._clock.used_up)
        self._store.add_run(run)
        self._observer.run_finished(run)
        return run
