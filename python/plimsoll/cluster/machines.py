"""The workers of a cluster as machines of a session: places named `@worker1:/mnt/x` are measured there."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any

from plimsoll.cluster import remote, spread
from plimsoll.cluster.address import ALL, WORKER, split_place
from plimsoll.cluster.connection import Cluster, Worker, WorkerLost
from plimsoll.cluster.runs import Runs
from plimsoll.errors import UsageError
from plimsoll.model import Run, Session, Target
from plimsoll.run.machines import PreparedTargets, ThisMachine
from plimsoll.run.outcome import OnProgress, Progress
from plimsoll.run.plan import Step, check_names, steps
from plimsoll.run.schedule import RunRequest
from plimsoll.run.study import Study
from plimsoll.run.turns import Pace


def is_remote(target: Target) -> bool:
    """Whether a target lies on a worker."""
    return target.where.startswith("@")


class ClusterMachines:
    """Carries out the runs of remote targets on their workers, and all others here."""

    def __init__(
        self, cluster: Cluster, about: Mapping[str, Mapping[str, Any]] | None = None, own: Sequence[str] = ()
    ) -> None:
        """`about` is what is known of a worker's machine beside what it says itself, by the worker's name.

        `own` are the identities of devices that were made for this session: nobody has to agree that they are written.
        """
        self._cluster, self._about, self._own = cluster, about or {}, own
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
                path = split_place(target.where)[1]
                kind = self._cluster.call(self._workers_of(target)[0], remote.kind_of, path)
                target = target.model_copy(update={"kind": kind})
            targets.append(target)
        return replace(study, targets=tuple(targets))

    def keep_secret(self, name: str, value: str) -> None:
        """An environment variable of all workers, for as long as they run; never in a command line, a log or a file."""
        for worker in self.workers:
            self._cluster.call(worker, remote.keep_secret, name, remote.Secret(value))

    @property
    def facts(self) -> Mapping[str, Any]:
        """Host facts and clock of every worker."""
        if not self._facts:
            self._facts = {
                worker.name: {
                    **self._cluster.call(worker, remote.facts),
                    "address": worker.address,
                    "clock_offset_ns": worker.clock.offset_ns,
                    "clock_uncertainty_ns": worker.clock.uncertainty_ns,
                    **self._about.get(worker.name, {}),
                }
                for worker in self.workers
            }
        return {"workers": self._facts}

    @property
    def one(self) -> bool:
        """They are several, whose clocks differ."""
        return False

    def check(self, study: Study, planned: Sequence[Step], destroy: Sequence[str]) -> None:
        """Each worker checks its own targets; this machine the others. Steps are made where their places are."""
        check_names(study.targets, planned, destroy)
        local = [target for target in study.targets if not is_remote(target)]
        if local:
            here = replace(study, targets=tuple(local), baseline=None)
            self._here.check(here, steps(here), destroy)
        for target in study.targets:
            if is_remote(target) and len(workers := self._workers_of(target)) > 1:
                for step in planned:
                    spread.split(step.plans[target.name], len(workers))
        for worker, targets in self._by_worker(study.targets):
            there = replace(study, targets=targets, baseline=None)
            self._cluster.call(worker, remote.check, there, [*destroy, *self._own], worker.name)
        for target in study.targets:
            if is_remote(target) and target.kind != "database":
                self._check_apart(target)

    def _check_apart(self, target: Target) -> None:
        """Raises UsageError if two workers would use one directory or device."""
        path = split_place(target.where)[1]
        seen: dict[object, str] = {}
        for worker in self._workers_of(target):
            place = self._cluster.call(worker, remote.identity, path.replace(WORKER, worker.name))
            if (other := seen.setdefault(place, worker.name)) != worker.name:
                own = (
                    f"give each its own, such as {target.where.rstrip('/')}/{WORKER}, where {WORKER} is a worker's name"
                )
                raise UsageError(
                    f"target {target.name}: {path} is one and the same place for workers {other} and {worker.name}; "
                    + (f"name one worker, such as @{other}:{path}" if target.kind == "device" else own)
                )

    @contextmanager
    def open(
        self, targets: Sequence[Target], session: Session, written: Collection[str], destroy: Sequence[str]
    ) -> Iterator[PreparedTargets]:
        """Open every place where it is; a worker that is lost meanwhile cleans up by its lease."""
        local = [target for target in targets if not is_remote(target)]
        with ExitStack() as stack:
            here = stack.enter_context(self._here.open(local, session, written, destroy)) if local else None
            known = dict(here.targets) if here else {}
            for worker, own in self._by_worker(targets):
                stack.callback(self._close, worker, session.id)
                chosen = sorted(set(written) & {target.name for target in own})
                agreed = [*destroy, *self._own]
                found = self._cluster.call(worker, remote.open_session, own, session, chosen, agreed, worker.name)
                known = {**found, **known}
            workers = {target.name: self._workers_of(target) for target in targets if is_remote(target)}
            yield _Everywhere(here, known, Runs(self._cluster, session.id, known, workers))

    def _close(self, worker: Worker, session_id: str) -> None:
        try:
            self._cluster.call(worker, remote.close_session, session_id)
        except WorkerLost:
            return

    def _workers_of(self, target: Target) -> list[Worker]:
        name, _ = split_place(target.where)
        return list(self.workers) if name == ALL else [self._cluster.worker(name)]

    def _by_worker(self, targets: Sequence[Target]) -> list[tuple[Worker, tuple[Target, ...]]]:
        found: dict[str, list[Target]] = {}
        for target in targets:
            for worker in self._workers_of(target) if is_remote(target) else ():
                found.setdefault(worker.name, []).append(target)
        return [(self._cluster.worker(name), tuple(own)) for name, own in found.items()]


@dataclass
class _Everywhere:
    """Open places on this machine and on workers."""

    here: PreparedTargets | None
    targets: Mapping[str, Target]
    runs: Runs

    def measure(self, request: RunRequest, on_progress: OnProgress, deadline_reached: Callable[[], bool]) -> Run:
        """One run where its target is; workers that wait for their turn keep their lease."""
        if request.target in self.runs.workers or self.here is None:
            return self.runs.measure(request, on_progress, deadline_reached)

        def told(progress: Progress) -> None:
            self.runs.renew()
            on_progress(progress)

        return self.here.measure(request, told, deadline_reached)

    def measure_together(
        self,
        requests: Sequence[RunRequest],  # noqa: ARG002
        pace: Pace | None,  # noqa: ARG002
        on_progress: OnProgress,  # noqa: ARG002
        deadline_reached: Callable[[], bool],  # noqa: ARG002
    ) -> list[Run]:
        """Never asked for: these are not one machine."""
        message = "the targets of a cluster neither alternate in slices nor run at once"
        raise AssertionError(message)
