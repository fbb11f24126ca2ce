"""What all kinds of sessions have in common: record, clock, places, runs, and an end whatever happens."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from uuid_utils import uuid7

import plimsoll
from plimsoll.model import Run, Session, SessionState, Target
from plimsoll.run import workloads
from plimsoll.run.lost import is_lost
from plimsoll.run.machines import Machines, Opened, Order, ThisMachine
from plimsoll.run.observer import Observer
from plimsoll.run.plan import Step
from plimsoll.run.resume import check_same_places, ownership
from plimsoll.store.store import Store
from plimsoll.targets.host import host_facts


@dataclass
class Conduct:
    """How a session is carried out; `begin` or `go_on` comes first."""

    store: Store
    observer: Observer
    destroy: Sequence[str] = ()
    machines: Machines = field(default_factory=ThisMachine)
    earlier: Sequence[Run] = ()
    """Runs that an interrupted session has in the store."""
    left_out: dict[str, str] = field(default_factory=dict)
    """Targets whose machines were lost, with the words of the first run that failed by it."""
    _session: Session | None = None
    _deadline_ns: int | None = None

    @property
    def session(self) -> Session:
        """As it is now."""
        assert self._session is not None  # begin or go_on
        return self._session

    def begin(self, title: str, table: Mapping[str, Any], time_ns: int | None) -> None:
        """Put a new session into the store; `table` is its study, `time_ns` the hard bound of `--time`."""
        self._session = Session(
            id=str(uuid7()),
            title=title,
            started_ns=time.time_ns(),
            host={**host_facts(), **ownership(), **self.machines.facts},
            study=dict(table),
            plimsoll_version=plimsoll.__version__,
        )
        self.store.add_session(self._session)
        self._set_deadline(time_ns)

    def go_on(self, session: Session, time_ns: int | None) -> None:
        """Open an interrupted session again, in the time that is left."""
        self._session = session.model_copy(update={"host": {**session.host, **ownership(), **self.machines.facts}})
        self.store.reopen_session(self._session)
        self.earlier = self.store.runs([session.id])
        self._set_deadline(time_ns)

    def _set_deadline(self, time_ns: int | None) -> None:
        used_ns = sum(run.ended_ns - run.started_ns for run in self.earlier)
        self._deadline_ns = None if time_ns is None else time.monotonic_ns() + time_ns - used_ns

    def left_ns(self) -> float:
        """Time until the bound; infinite where there is none."""
        return float("inf") if self._deadline_ns is None else self._deadline_ns - time.monotonic_ns()

    def used_up(self) -> bool:
        """Whether the bound is reached."""
        return self.left_ns() <= 0

    @contextmanager
    def opened(self, targets: Sequence[Target], steps: Sequence[Step]) -> Iterator[Opened]:
        """The places, ready for runs; the session is finished in the store however this ends."""
        state = SessionState.INTERRUPTED
        try:
            self.observer.session_started(self.session, list(steps))
            written = {name for step in steps for name, plan in step.plans.items() if workloads.of(plan).writes(plan)}
            with self.machines.open(targets, self.session, written, self.destroy) as opened:
                check_same_places(self.earlier, opened.targets)
                yield opened
            # What they missed can still be measured: such a session is open to --resume.
            state = SessionState.INTERRUPTED if self.left_out else SessionState.DONE
        finally:
            ended = time.time_ns()
            self.store.finish_session(self.session.id, state, ended)
            self._session = self.session.model_copy(update={"state": state, "ended_ns": ended})
            self.observer.session_finished(self._session)

    def measure(self, opened: Opened, order: Order, remaining_ns: int, facts: Mapping[str, Any] | None = None) -> Run:
        """One run, stored; `remaining_ns` is the expected time left of the whole session, were there no bound."""
        remaining_ns = int(min(remaining_ns, max(0.0, self.left_ns())))
        self.observer.run_started(order.block.step, order.target, order.block.number, remaining_ns)
        run = opened.measure(order, self.observer.run_progress, self.used_up)
        if facts:
            run = run.model_copy(update={"facts": {**run.facts, **facts}})
        self.store.add_run(run)
        self.observer.run_finished(run)
        if is_lost(run) and order.target not in self.left_out:
            self.left_out[order.target] = run.reason
            self.observer.note(f"{order.target}: {run.reason}; the session goes on without it")
        return run
