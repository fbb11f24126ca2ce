"""The workers of a cluster as machines of a session: places named `@worker1:/mnt/x` are measured there."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any

from uuid_utils import uuid7

from plimsoll.cluster import remote
from plimsoll.cluster.address import split_place
from plimsoll.cluster.connection import RENEW_S, WAIT_S, Cluster, Task, Worker, WorkerLost
from plimsoll.model import Run, RunStatus, Session, Target
from plimsoll.run.machines import OnProgress, Opened, Order, ThisMachine
from plimsoll.run.plan import Step, steps
from plimsoll.run.study import Study

STOP_S = 12.0
"""How long a stopped run may take to come back."""


def is_remote(target: Target) -> bool:
    """Whether a target lies on a worker."""
    return target.where.startswith("@")


class ClusterMachines:
    """Carries out the runs of remote targets on their workers, and all others here."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._here = ThisMachine()
        self._facts: dict[str, Any] = {}

    @property
    def workers(self) -> Sequence[Worker]:
        """The workers of the cluster."""
        return list(self._cluster.workers.values())

    def resolved(self, study: Study) -> Study:
        """The study with the kind of every remote place, as its worker sees it."""
        targets = []
        for target in study.targets:
            if is_remote(target):
                worker, path = self._place(target)
                kind = self._cluster.call(worker, remote.kinds_of, [path])[0]
                target = target.model_copy(update={"kind": kind})
            targets.append(target)
        return replace(study, targets=tuple(targets))

    @property
    def facts(self) -> Mapping[str, Any]:
        """Host facts and clock of every worker."""
        if not self._facts:
            self._facts = {
                name: {
                    **self._cluster.call(worker, remote.facts),
                    "address": worker.address,
                    "clock_offset_ns": worker.clock.offset_ns,
                    "clock_uncertainty_ns": worker.clock.uncertainty_ns,
                }
                for name, worker in self._cluster.workers.items()
            }
        return {"workers": self._facts}

    def check(self, study: Study, planned: Sequence[Step], destroy: Sequence[str]) -> None:
        """Each worker checks its own targets; this machine the others. Steps are made where their places are."""
        del planned
        local = [target for target in study.targets if not is_remote(target)]
        if local:
            here = replace(study, targets=tuple(local), baseline=None)
            self._here.check(here, steps(here), destroy)
        for worker, targets in self._by_worker(study.targets):
            self._cluster.call(worker, remote.check, replace(study, targets=targets, baseline=None), list(destroy))

    @contextmanager
    def open(
        self, targets: Sequence[Target], session: Session, written: Collection[str], destroy: Sequence[str]
    ) -> Iterator[Opened]:
        """Open every place where it is; a worker that is lost meanwhile cleans up by its lease."""
        local = [target for target in targets if not is_remote(target)]
        with ExitStack() as stack:
            here = stack.enter_context(self._here.open(local, session, written, destroy)) if local else None
            known = dict(here.targets) if here else {}
            workers: dict[str, Worker] = {}
            for worker, own in self._by_worker(targets):
                names = [target.name for target in own]
                stack.callback(self._close, worker, session.id)
                chosen = sorted(set(written) & set(names))
                known |= self._cluster.call(worker, remote.open_session, own, session, chosen, list(destroy))
                workers |= dict.fromkeys(names, worker)
            yield _Everywhere(self._cluster, here, known, workers, session.id)

    def _close(self, worker: Worker, session_id: str) -> None:
        try:
            self._cluster.call(worker, remote.close_session, session_id)
        except WorkerLost:
            return

    def _place(self, target: Target) -> tuple[Worker, str]:
        name, path = split_place(target.where)
        return self._cluster.worker(name), path

    def _by_worker(self, targets: Sequence[Target]) -> list[tuple[Worker, tuple[Target, ...]]]:
        found: dict[str, list[Target]] = {}
        for target in targets:
            if is_remote(target):
                found.setdefault(self._place(target)[0].name, []).append(target)
        return [(self._cluster.worker(name), tuple(own)) for name, own in found.items()]


@dataclass
class _Everywhere:
    """Open places on this machine and on workers."""

    cluster: Cluster
    here: Opened | None
    targets: Mapping[str, Target]
    workers: Mapping[str, Worker]
    session_id: str
    renewed_s: float = 0.0

    def measure(self, order: Order, on_progress: OnProgress, deadline_reached: Callable[[], bool]) -> Run:
        """One run where its target is; a lost worker fails the run with its name."""
        self._renew()
        worker = self.workers.get(order.target)
        if worker is None and self.here is not None:
            return self.here.measure(order, self._renewing(on_progress), deadline_reached)
        if worker is None:
            raise ValueError(f"no machine has the target {order.target}")
        started_ns = time.time_ns()
        try:
            self.cluster.check_alive(worker)
            run = self._remotely(worker, order, on_progress, deadline_reached)
        except WorkerLost as lost:
            return self._failed(order, started_ns, str(lost))
        # Its own clock said when; the session goes by this machine's.
        away = worker.clock.offset_ns
        return run.model_copy(update={"started_ns": run.started_ns - away, "ended_ns": run.ended_ns - away})

    def _remotely(
        self, worker: Worker, order: Order, on_progress: OnProgress, deadline_reached: Callable[[], bool]
    ) -> Run:
        task = self.cluster.start(worker, remote.measure, order, self.targets[order.target].where)
        stopped_s: float | None = None
        told_s = 0.0
        try:
            while not task.done():
                self._renew()
                moment, progress = task.progress
                if progress and moment > told_s:
                    told_s = moment
                    on_progress(progress)
                if stopped_s is None and deadline_reached():
                    stopped_s = time.monotonic()
                    self.cluster.tell(worker, remote.stop, order.session_id)
                if stopped_s is not None and time.monotonic() - stopped_s > STOP_S:
                    raise self.cluster.lost(worker, f"did not end its run {STOP_S:g} s after it was stopped")
                time.sleep(WAIT_S)
            run: Run = task.result()
            return run
        except WorkerLost:
            task.cancel()
            raise
        except BaseException:
            # Whatever happened, the run there must not go on into the clean-up.
            self.cluster.tell(worker, remote.stop, order.session_id)
            _wait(task)
            raise

    def _renewing(self, on_progress: OnProgress) -> OnProgress:
        """Workers that wait for their turn keep their lease."""

        def told(progress: Mapping[str, Any]) -> None:
            self._renew()
            on_progress(progress)

        return told

    def _renew(self) -> None:
        if time.monotonic() - self.renewed_s >= RENEW_S:
            self.renewed_s = time.monotonic()
            for worker in {each.address: each for each in self.workers.values()}.values():
                self.cluster.tell(worker, remote.renew, self.session_id)

    def _failed(self, order: Order, started_ns: int, reason: str) -> Run:
        block = order.block
        return Run(
            id=str(uuid7()),
            session_id=order.session_id,
            block=block.number,
            order=order.position,
            attempt=block.attempt,
            target=self.targets[order.target],
            plan=block.step.plans[order.target],
            started_ns=started_ns,
            ended_ns=time.time_ns(),
            status=RunStatus.FAILED,
            reason=reason,
        )


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
