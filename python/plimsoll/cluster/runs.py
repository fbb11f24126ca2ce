"""Runs on workers: on one, or on all at once from an agreed moment on."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from plimsoll.cluster import remote, spread
from plimsoll.cluster.calls import Calls
from plimsoll.cluster.connection import RENEW_S, Cluster, Worker, WorkerLost
from plimsoll.declared import DbParameters, IoParameters
from plimsoll.errors import TargetError
from plimsoll.model import Plan, Run, RunStatus, Target
from plimsoll.parameters import kind_of
from plimsoll.run.lost import facts
from plimsoll.run.outcome import OnProgress
from plimsoll.run.record import unmeasured
from plimsoll.run.schedule import RunRequest
from plimsoll.run.turns import Lengths, Pace
from plimsoll.units import SECOND

AHEADS_NS = (SECOND // 2, 2 * SECOND, 8 * SECOND)
"""From "all are ready" to the first slice: until every worker has heard of it; longer where one heard too late."""
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
        calls = self._calls(on_progress, deadline_reached)
        workers = self.workers[request.target]
        plan = request.block.step.plans[request.target]
        started_ns = time.time_ns()
        try:
            if len(workers) == 1:
                return self._parts(request, workers, [plan], calls)[0].run
            parts = self._together(request, workers, plan, calls)
        except WorkerLost as lost:
            about = {"reason": str(lost), "facts": facts(lost.worker)}
            return self._whole(request, started_ns).model_copy(update=about)
        if len(parts) == 1 and parts[0].run.status is not RunStatus.FAILED:
            # A single client needs no other worker.
            return parts[0].run
        return spread.joined(self._whole(request, started_ns), parts)

    def measure_together(
        self,
        requests: Sequence[RunRequest],
        pace: Pace | None,
        on_progress: OnProgress,
        deadline_reached: Callable[[], bool],
    ) -> list[Run]:
        """A block whose targets alternate, or run at once, on the workers that they have in common."""
        calls = self._calls(on_progress, deadline_reached)
        workers, started_ns = self.workers[requests[0].target], time.time_ns()
        shares = [self._shares(_plan(each), len(workers)) for each in requests]
        # A single client needs no other worker.
        workers = workers[: len(shares[0])]
        try:
            if len(workers) > 1:
                for place, request in enumerate(requests):
                    if failed := self._prepare(request, workers, shares[place], calls):
                        return [spread.joined(self._whole(each, started_ns), failed) for each in requests]
                    shares[place] = self._ready(request, shares[place])
                pace = None if pace is None else _with_clocks(pace, workers, _plan(requests[0]))
            blocks = self._block(requests, workers, [list(plans) for plans in zip(*shares, strict=True)], pace, calls)
        except WorkerLost as lost:
            about = {"reason": str(lost), "facts": facts(lost.worker)}
            return [self._whole(each, started_ns).model_copy(update=about) for each in requests]
        if len(blocks) == 1:
            return [part.run for part in blocks[0]]
        return [
            spread.joined(self._whole(request, started_ns), parts)
            for request, parts in zip(requests, zip(*blocks, strict=True), strict=True)
        ]

    @staticmethod
    def _shares(plan: Plan, workers: int) -> list[Plan]:
        return spread.split(plan, workers) if workers > 1 else [plan]

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
        calls: Calls,
    ) -> list[spread.Part]:
        """Prepare once, then all from an agreed moment on."""
        plans = spread.split(plan, len(workers))
        workers = workers[: len(plans)]
        if failed := self._prepare(request, workers, plans, calls):
            return failed
        start_ns = time.time_ns() + HEAD_START_NS
        ready = self._ready(request, plans)
        return self._parts(request, workers, ready, calls, start_ns)

    def _prepare(
        self,
        request: RunRequest,
        workers: Sequence[Worker],
        plans: Sequence[Plan],
        calls: Calls,
    ) -> list[spread.Part]:
        """Lay out or load what the runs of a target need, once; what was done where that has failed."""
        key = (request.target, _plan(request).hash)
        if key in self._prepared:
            return []
        # One database is loaded by one worker; folders are each worker's own.
        first = workers[:1] if self._is_database(request) else workers
        only = [_only_prepare(each) for each in plans[: len(first)]]
        prepared = self._parts(request, first, only, calls)
        if any(part.run.status is RunStatus.FAILED for part in prepared):
            return prepared
        self._prepared.add(key)
        return []

    def _ready(self, request: RunRequest, plans: Sequence[Plan]) -> list[Plan]:
        """The plans, for data that are there."""
        return [_on_what_is_there(each) for each in plans] if self._is_database(request) else list(plans)

    def _is_database(self, request: RunRequest) -> bool:
        return self.targets[request.target].kind == "database"

    def _block(
        self,
        requests: Sequence[RunRequest],
        workers: Sequence[Worker],
        plans: Sequence[Sequence[Plan]],
        pace: Pace | None,
        calls: Calls,
    ) -> list[list[spread.Part]]:
        """What each worker measured of each target; several begin at a moment of which all have heard in time."""
        where = [self.targets[request.target].where for request in requests]
        together = len(workers) > 1
        for ahead_ns in AHEADS_NS:
            asked = [
                (worker, remote.measure_block, (requests, own, where, pace, together))
                for worker, own in zip(workers, plans, strict=True)
            ]
            answers = calls.answers(asked, ahead_ns if together else None)
            if None not in answers:
                return [
                    [_corrected(worker, *each) for each in answer]
                    for worker, answer in zip(workers, answers, strict=True)
                ]
        raise TargetError(
            f"{', '.join(worker.name for worker in workers)}: these workers are too busy to begin slices in time; wait "
            "until they are quiet, or use --interleave blocks"
        )

    def _parts(
        self,
        request: RunRequest,
        workers: Sequence[Worker],
        plans: Sequence[Plan],
        calls: Calls,
        start_ns: int = 0,
    ) -> list[spread.Part]:
        """What each worker measured; its own clock said when, the session goes by this machine's."""
        where = self.targets[request.target].where
        asked = [
            (worker, remote.measure, (request, plan, where, start_ns + worker.clock.offset_ns))
            for worker, plan in zip(workers, plans, strict=True)
        ]
        answers = calls.answers(asked)
        return [_corrected(worker, *answer) for worker, answer in zip(workers, answers, strict=True)]

    def _calls(self, on_progress: OnProgress, deadline_reached: Callable[[], bool]) -> Calls:
        self.renew()
        return Calls(self.cluster, self.session_id, self.renew, on_progress, deadline_reached)

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


def _plan(request: RunRequest) -> Plan:
    return request.block.step.plans[request.target]


def clock_error_ns(workers: Sequence[Worker]) -> int:
    """How far apart two of them may begin what begins at one moment."""
    return 2 * max(worker.clock.uncertainty_ns for worker in workers)


def _with_clocks(pace: Pace, workers: Sequence[Worker], plan: Plan) -> Pace:
    """The pace at which what another worker's clock is wrong by does not count either."""
    wider = Pace(pace.discard_ns + clock_error_ns(workers))
    return wider if wider.shortest_runtime_ns <= plan.values(Lengths)["runtime"] else pace


def _corrected(worker: Worker, run: Run, began_ns: int) -> spread.Part:
    """The part of a worker, on this machine's clock."""
    away = worker.clock.offset_ns
    corrected = {"started_ns": run.started_ns - away, "ended_ns": run.ended_ns - away}
    return spread.Part(worker.name, run.model_copy(update=corrected), began_ns - away, worker.machine)
