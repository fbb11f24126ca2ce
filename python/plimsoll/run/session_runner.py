"""What all kinds of sessions have in common: record, clock, places, runs, and an end whatever happens."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from uuid_utils import uuid7

import plimsoll
from plimsoll.errors import StoreError
from plimsoll.model import Run, Session, SessionState, Target
from plimsoll.notices import tell
from plimsoll.run import workloads
from plimsoll.run.lost import is_lost
from plimsoll.run.machines import Machines, PreparedTargets, ThisMachine
from plimsoll.run.observer import Observer
from plimsoll.run.plan import Step
from plimsoll.run.resume import check_nothing_changed, check_same_places, ownership
from plimsoll.run.schedule import RunRequest
from plimsoll.run.time_left import TimeLeft
from plimsoll.run.turns import Pace
from plimsoll.stats.parts import extensions_of
from plimsoll.store.keeper import END_TIMEOUT_S, Keeper
from plimsoll.store.store import Store
from plimsoll.targets.host import host_facts


@dataclass
class SessionRunner:
    """Carries out one session; `begin` or `go_on` comes first."""

    store: Store
    observer: Observer
    destroy: Sequence[str] = ()
    machines: Machines = field(default_factory=ThisMachine)
    earlier: Sequence[Run] = ()
    """Runs that an interrupted session has in the store."""
    left_out: dict[str, str] = field(default_factory=dict)
    """Targets whose machines were lost, with the words of the first run that failed by it."""
    until_ns: int | None = None
    """In nanoseconds since 1970: nothing is measured after that, whatever is left of the session's own time."""
    end_timeout_s: float = END_TIMEOUT_S
    """How long the end of the session waits for a store that cannot be used."""
    _session: Session | None = None
    _before: Session | None = None
    """As it was when it was opened again."""
    _keeper: Keeper | None = None
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
        self._keeper = Keeper(self.store, end_timeout_s=self.end_timeout_s)
        self._keeper.begin(self._session)
        self._set_deadline(time_ns)

    def go_on(self, session: Session, time_ns: int | None, since_ns: int = 0) -> None:
        """Open a session again for more runs, in what runs since `since_ns` left of the time."""
        self._before = session
        self._session = session.model_copy(update={"host": {**session.host, **ownership(), **self.machines.facts}})
        self._keeper = Keeper(self.store, end_timeout_s=self.end_timeout_s)
        self._keeper.reopen(self._session)
        self.earlier = self.store.runs([session.id])
        self._set_deadline(time_ns, since_ns)

    @property
    def keeper(self) -> Keeper:
        """Who keeps its runs."""
        assert self._keeper is not None  # begin or go_on
        return self._keeper

    def _set_deadline(self, time_ns: int | None, since_ns: int = 0) -> None:
        used_ns = sum(run.spent_ns for run in self.earlier if run.started_ns >= since_ns)
        bounds = [] if time_ns is None else [time_ns - used_ns]
        bounds += [] if self.until_ns is None else [self.until_ns - time.time_ns()]
        self._deadline_ns = time.monotonic_ns() + min(bounds) if bounds else None

    def left_ns(self) -> float:
        """Time until the bound; infinite where there is none."""
        return float("inf") if self._deadline_ns is None else self._deadline_ns - time.monotonic_ns()

    def used_up(self) -> bool:
        """Whether the bound is reached."""
        return self.left_ns() <= 0

    @contextmanager
    def prepared(self, targets: Sequence[Target], steps: Sequence[Step]) -> Iterator[PreparedTargets]:
        """The places, ready for runs; the session is finished in the store however this ends.

        Raises StoreError at the end if the store did not come back; it says where the runs are.
        """
        state, stopped = SessionState.INTERRUPTED, True
        try:
            self.observer.session_started(self.session, list(steps), self.earlier)
            written = {name for step in steps for name, plan in step.plans.items() if workloads.of(plan).writes(plan)}
            with self.machines.open(targets, self.session, written, self.destroy) as prepared:
                check_same_places(self.earlier, prepared.targets)
                if extensions_of(self.session.study):
                    assert self._before is not None  # extended by go_on
                    host = {**host_facts(), **self.machines.facts}
                    check_nothing_changed(self._before, self.earlier, prepared.targets, host)
                yield prepared
            # What they missed can still be measured: such a session is open to --resume.
            state = SessionState.INTERRUPTED if self.left_out else SessionState.DONE
            stopped = False
        finally:
            ended = time.time_ns()
            left = self.keeper.finish(state, ended, stopped=stopped)
            self._session = self.session.model_copy(update={"state": state, "ended_ns": ended})
            self.observer.session_finished(self._session)
            if left and stopped:
                tell(left)
        if left:
            raise StoreError(left)

    def measure(
        self,
        prepared: PreparedTargets,
        request: RunRequest,
        left: Callable[[], TimeLeft],
        take: Callable[[Sequence[Run]], None],
        facts: Mapping[str, Any] | None = None,
    ) -> Run:
        """One run, stored and handed to `take`; `left` is what the whole session still takes, were there no bound."""
        self.observer.run_started(request.block.step, request.target, request.block.number, self._within(left))
        run = prepared.measure(request, self.observer.run_progress, self.used_up)
        if facts:
            run = run.model_copy(update={"facts": {**run.facts, **facts}})
        self._keep([run], left, take)
        return run

    def measure_together(
        self,
        prepared: PreparedTargets,
        requests: Sequence[RunRequest],
        pace: Pace | None,
        left: Callable[[], TimeLeft],
        take: Callable[[Sequence[Run]], None],
    ) -> list[Run]:
        """The runs of a block whose targets alternate at this pace, or run at once; stored and handed to `take`."""
        block, names = requests[0].block, ", ".join(request.target for request in requests)
        how = "at once" if pace is None else "in slices"
        where = f"{names} {how} (rates of {requests[0].target})"
        self.observer.run_started(block.step, where, block.number, self._within(left))
        runs = prepared.measure_together(requests, pace, self.observer.run_progress, self.used_up)
        self._keep(runs, left, take)
        return runs

    def _within(self, left: Callable[[], TimeLeft]) -> TimeLeft:
        return left().within(self.left_ns())

    def _keep(self, runs: Sequence[Run], left: Callable[[], TimeLeft], take: Callable[[Sequence[Run]], None]) -> None:
        """The runs are in the store, taken in by who plans the next ones, and told, in this order."""
        for run in runs:
            self.keeper.add(run)
        take(runs)
        still = self._within(left)
        for run in runs:
            self.observer.run_finished(run, still)
            name = run.target.name
            if is_lost(run) and name not in self.left_out:
                self.left_out[name] = run.reason
                self.observer.note(f"{name}: {run.reason}; the session goes on without it")
