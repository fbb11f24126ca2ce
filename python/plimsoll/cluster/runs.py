"""Runs on workers: on one, or on all at once from an agreed moment on."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from plimsoll.cluster import remote, spread
from plimsoll.cluster.connection import RENEW_S, WAIT_S, Cluster, Task, Worker, WorkerLost
from plimsoll.declared import DbParameters, IoParameters
from plimsoll.model import Plan, Run, RunStatus, Target
from plimsoll.parameters import kind_of
from plimsoll.run.lost import facts
from plimsoll.run.outcome import OnProgress
from plimsoll.run.record import unmeasured
from plimsoll.run.schedule import RunRequest
from plimsoll.units import SECOND

STOP_S = 12.0
"""How long a stopped run may take to come back."""
HEAD_START_NS = SECOND
"""Between the request and the agreed start: longer than a request takes to arrive."""


@dataclass
class Runs:
    """The runs of one session; `workers` are those of each target by its name."""

    cluster: Cluster
    session_id: str
    targets: Mapping[str, Target]
    workers: Mapping[str, Sequence[Worker]]
    _renewed_s: float = 0.0
    _prepared: set[tuple[str, str]] = field(default_factory=set)

    def measure(self, request: RunRequest, on_progress: OnProgress, deadline_reached: Callable[[], bool]) -> Run:
        """One run; a lost worker fails it with its name, and the others are stopped."""
        self.renew()
        workers = self.workers[request.target]
        plan = request.block.step.plans[request.target]
        started_ns = time.time_ns()
        try:
            if len(workers) == 1:
                return self._parts(request, workers, [plan], on_progress, deadline_reached)[0].run
            parts = self._together(request, workers, plan, on_progress, deadline_reached)
        except WorkerLost as lost:
            about = {"reason": str(lost), "facts": facts(lost.worker)}
            return self._whole(request, started_ns).model_copy(update=about)
        if len(parts) == 1 and parts[0].run.status is not RunStatus.FAILED:
            # A single client needs no other worker.
            return parts[0].run
        return spread.joined(self._whole(request, started_ns), parts)

    def renew(self) -> None:
        """Tell the workers every few seconds that this session is alive."""
        if time.monotonic() - self._renewed_s < RENEW_S:
            return
        self._renewed_s = time.monotonic()
        for worker in {each.address: each for found in self.workers.values() for each in found}.values():
            self.cluster.tell(worker, remote.renew, self.session_id)

    def _together(
        self,
        request: RunRequest,
        workers: Sequence[Worker],
        plan: Plan,
        on_progress: OnProgress,
        deadline_reached: Callable[[], bool],
    ) -> list[spread.Part]:
        """Prepare once, then all from an agreed moment on."""
        plans = spread.split(plan, len(workers))
        workers = workers[: len(plans)]
        if (request.target, plan.hash) not in self._prepared:
            # One database is loaded by one worker; folders are each worker's own.
            database = self.targets[request.target].kind == "database"
            first = workers[:1] if database else workers
            prepared = self._parts(
                request, first, [_only_prepare(each) for each in plans[: len(first)]], on_progress, deadline_reached
            )
            if any(part.run.status is RunStatus.FAILED for part in prepared):
                return prepared
            self._prepared.add((request.target, plan.hash))
        if self.targets[request.target].kind == "database":
            plans = [_on_what_is_there(each) for each in plans]
        start_ns = time.time_ns() + HEAD_START_NS
        return self._parts(request, workers, plans, on_progress, deadline_reached, start_ns)

    def _parts(
        self,
        request: RunRequest,
        workers: Sequence[Worker],
        plans: Sequence[Plan],
        on_progress: OnProgress,
        deadline_reached: Callable[[], bool],
        start_ns: int = 0,
    ) -> list[spread.Part]:
        """What each worker measured; its own clock said when, the session goes by this machine's."""
        where = self.targets[request.target].where
        for worker in workers:
            self.cluster.check_alive(worker)
        tasks = [
            self.cluster.start(worker, remote.measure, request, plan, where, start_ns + worker.clock.offset_ns)
            for worker, plan in zip(workers, plans, strict=True)
        ]
        try:
            self._watch(tasks, on_progress, deadline_reached)
            return [_part(task) for task in tasks]
        except BaseException:
            # Whatever happened, no run may go on into the clean-up.
            self._stop(tasks)
            for task in tasks:
                _wait(task)
            raise

    def _watch(self, tasks: Sequence[Task], on_progress: OnProgress, deadline_reached: Callable[[], bool]) -> None:
        """Until all have ended. If one fails, or at the deadline, all others are stopped."""
        stopped_s: float | None = None
        told_s = 0.0
        # Every task is asked each time: a lost worker must not hide behind one that goes on.
        while len([task for task in tasks if task.done()]) < len(tasks):
            self.renew()
            moment, progress = tasks[0].progress
            if progress and moment > told_s:
                told_s = moment
                on_progress(progress)
            ended = [_part(task).run.status for task in tasks if task.future.done()] if len(tasks) > 1 else []
            if stopped_s is None and (deadline_reached() or RunStatus.FAILED in ended):
                stopped_s = time.monotonic()
                self._stop(tasks)
            if stopped_s is not None and time.monotonic() - stopped_s > STOP_S:
                late = next(task for task in tasks if not task.future.done())
                raise self.cluster.lost(late.worker, f"did not end its run {STOP_S:g} s after it was stopped")
            time.sleep(WAIT_S)

    def _stop(self, tasks: Sequence[Task]) -> None:
        for task in tasks:
            self.cluster.tell(task.worker, remote.stop, self.session_id)

    def _whole(self, request: RunRequest, started_ns: int) -> Run:
        """The run as far as it is known without a result."""
        return unmeasured(request, self.targets[request.target], request.block.step.plans[request.target], started_ns)


def _only_prepare(plan: Plan) -> Plan:
    """The plan with a single operation: what it needs is laid out or loaded."""
    of_db = kind_of(plan.workload) == "db"
    values: IoParameters | DbParameters = (plan.values(DbParameters) if of_db else plan.values(IoParameters)).copy()
    values["max_operations"] = plan.values(DbParameters)["clients"] if of_db else 1
    values["warmup"], values["rate"] = 0, None
    return plan.having(values)


def _on_what_is_there(plan: Plan) -> Plan:
    """The plan with the data that were loaded for it."""
    values = plan.values(DbParameters).copy()
    values["data"] = "keep"
    return plan.having(values)


def _part(task: Task) -> spread.Part:
    run, began_ns = task.result()
    away = task.worker.clock.offset_ns
    corrected = {"started_ns": run.started_ns - away, "ended_ns": run.ended_ns - away}
    return spread.Part(task.worker.name, run.model_copy(update=corrected), began_ns - away)


def _wait(task: Task) -> None:
    """Until a stopped run has come back, or its worker is lost."""
    deadline = time.monotonic() + STOP_S
    try:
        while not task.done() and time.monotonic() < deadline:
            time.sleep(WAIT_S)
    except WorkerLost:
        return
    finally:
        task.cancel()
