"""One session, from study to stored runs: the main path of `plimsoll run`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from plimsoll.model import Run, RunStatus, Session
from plimsoll.run import plan as planning
from plimsoll.run.alternation import Alternation
from plimsoll.run.interleave import Way
from plimsoll.run.machines import Machines, PreparedTargets, ThisMachine
from plimsoll.run.observer import Observer
from plimsoll.run.record import score_rows
from plimsoll.run.run_lengths import in_turns
from plimsoll.run.schedule import Block, RunRequest, Schedule
from plimsoll.run.session_runner import SessionRunner
from plimsoll.run.study import Study, from_table
from plimsoll.store.store import Store


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
    runner = SessionRunner(store, observer, destroy, machines or ThisMachine())
    study = runner.machines.resolved(study)
    steps, ways = _checked(study, runner, ())
    runner.begin(study.title, study.to_table(), study.time_ns)
    return _StudySession(study, steps, ways, runner).run()


def rehearsed(study: Study, steps: Sequence[planning.Step], ways: Mapping[str, Way], runner: SessionRunner) -> Session:
    """Carry out these steps of a study, whatever it says itself; otherwise as `run_study`."""
    runner.machines.check(study, steps, runner.destroy)
    runner.begin(study.title, study.to_table(), study.time_ns)
    return _StudySession(study, list(steps), ways, runner).run()


def carry_on(session: Session, runner: SessionRunner) -> Session:
    """Go on with a session that was interrupted, or is extended: the same study, in the time left, after its runs.

    One that is being extended goes on with its last part, whose bounds take the place of the study's.
    """
    study = runner.machines.resolved(from_table(session.study, f"session {session.title}"))
    since_ns = 0
    if study.extensions:
        part = study.extensions[-1]
        study, since_ns = replace(study, time_ns=part.time_ns), part.started_ns
    steps, ways = _checked(study, runner, runner.store.runs([session.id]))
    runner.go_on(session, study.time_ns, since_ns)
    return _StudySession(study, steps, ways, runner).run()


def _checked(
    study: Study, runner: SessionRunner, earlier: Sequence[Run]
) -> tuple[list[planning.Step], Mapping[str, Way]]:
    """What to run, and how the targets take turns."""
    steps, ways = in_turns(study, runner.machines.ways, earlier)
    runner.machines.check(study, steps, runner.destroy)
    return steps, ways


class _StudySession:
    """Carries one session through its blocks."""

    def __init__(
        self, study: Study, steps: list[planning.Step], ways: Mapping[str, Way], runner: SessionRunner
    ) -> None:
        self._study = study
        self._steps = steps
        self._runner = runner
        self._schedule = Schedule(study, steps)
        self._alternation = Alternation(ways)
        self._take(runner.earlier)

    def run(self) -> Session:
        """Run blocks until every case is closed; the session is finished in the store however this ends."""
        with self._runner.prepared(self._study.targets, self._steps) as prepared:
            for step in self._steps:
                self._schedule.settle(step.case)
            while (block := self._next_block()) is not None:
                self._run_block(block, prepared)
        return self._runner.session

    def _next_block(self) -> Block | None:
        """The next block that still fits into the time."""
        block = self._schedule.next_block(self._runner.left_ns())
        if block is None and self._schedule.open_cases:
            self._runner.observer.note(f"the time is used up; ended early: {', '.join(self._schedule.open_cases)}")
        return block

    def _run_block(self, block: Block, prepared: PreparedTargets) -> None:
        observer = self._runner.observer
        runs = self._runs(block, prepared)
        for name in self._runner.left_out:
            self._schedule.leave_out(name)
        if any(run.status is RunStatus.INVALID for run in runs):
            names = ", ".join(run.target.name for run in runs if run.status is RunStatus.INVALID)
            observer.note(f"{block.step.case}: block {block.number + 1} is not valid on {names}")
        closed = self._schedule.settle(block.step.case)
        if closed is not None:
            observer.looked(block.step.case, closed, closed=True)
            return
        if told := self._schedule.still_open(block.step.case):
            observer.looked(block.step.case, told, closed=False)
        if told := self._alternation.given_up(block.step):
            observer.note(told)

    def _take(self, runs: Sequence[Run]) -> None:
        self._schedule.take(runs, score_rows(runs))
        self._alternation.take(runs)

    def _runs(self, block: Block, prepared: PreparedTargets) -> list[Run]:
        """A run of every target: one after the other, in slices, or all at once."""
        pace = self._alternation.pace(block.step)
        if pace is None and not self._alternation.at_once(block.step):
            return [self._run(block, position, prepared) for position in range(len(block.targets))]
        requests = [self._request(block, position) for position in range(len(block.targets))]
        return self._runner.measure_together(prepared, requests, pace, self._schedule.time_left, self._take)

    def _run(self, block: Block, position: int, prepared: PreparedTargets) -> Run:
        """One run, stored."""
        request = self._request(block, position)
        return self._runner.measure(prepared, request, self._schedule.time_left, self._take)

    def _request(self, block: Block, position: int) -> RunRequest:
        return RunRequest(self._runner.session.id, block, position, block.targets[position], self._study.noisy_host)
