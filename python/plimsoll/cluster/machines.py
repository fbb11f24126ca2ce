"""The workers of a cluster as machines of a session: places named `@worker1:/mnt/x` are measured there."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any

from plimsoll.cluster import remote, spread
from plimsoll.cluster.address import ALL, WORKER, split_place
from plimsoll.cluster.connection import Cluster, Worker, WorkerLost
from plimsoll.cluster.runs import Runs, clock_error_ns
from plimsoll.errors import UsageError
from plimsoll.model import Run, Session, Target
from plimsoll.run import interleave
from plimsoll.run.interleave import Way
from plimsoll.run.machines import PreparedTargets, ThisMachine
from plimsoll.run.outcome import OnProgress, Progress
from plimsoll.run.plan import Step, check_names, steps
from plimsoll.run.schedule import RunRequest
from plimsoll.run.study import PARALLEL, Study
from plimsoll.run.turns import Pace
from plimsoll.units import MILLISECOND, format_duration

MOST_APART_NS = 10 * MILLISECOND
"""Half of what each slice leaves out at least: so far apart may two machines begin it."""


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

    def ways(self, study: Study, planned: Sequence[Step]) -> dict[str, Way]:
        """In slices or at once where all targets are used from the same machines, and each of these says so."""
        if not any(is_remote(target) for target in study.targets):
            return self._here.ways(study, planned)
        where = [self._workers_of(target) if is_remote(target) else [] for target in study.targets]
        if any(each != where[0] for each in where):
            return interleave.one_by_one(study, planned, "the targets are not used from the same machines")
        found = [self._cluster.call(worker, remote.ways, study, worker.name) for worker in where[0]]
        if len(found) == 1:
            return dict(found[0])
        if why := why_not_together(study, planned, where[0]):
            return interleave.one_by_one(study, planned, why)
        return {step.case: _common([each[step.case] for each in found]) for step in planned}

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


def why_not_together(study: Study, planned: Sequence[Step], workers: Sequence[Worker]) -> str | None:
    """Why several machines cannot alternate between the targets in step, even if each of them could alone."""
    if study.interleave == PARALLEL:
        return "each target is used from several machines"
    worst = max(workers, key=lambda worker: worker.clock.uncertainty_ns)
    if clock_error_ns(workers) > MOST_APART_NS:
        known = format_duration(worst.clock.uncertainty_ns)
        return f"the clock of worker {worst.name} is known to ± {known}, and slices have to begin together"
    for step in planned:
        if len({len(spread.split(plan, len(workers))) for plan in step.plans.values()}) > 1:
            return f"test {step.case} has fewer clients than machines on one target, and not on another"
    return None


def _common(ways: Sequence[Way]) -> Way:
    """What all machines can do: one after the other, if one of them has a reason for it."""
    return next((way for way in ways if not way.slices), ways[0])


@dataclass
class _Everywhere:
    """Open places on this machine and on workers."""

    here: PreparedTargets | None
    targets: Mapping[str, Target]
    runs: Runs

    def measure(self, request: RunRequest, on_progress: OnProgress, deadline_reached: Callable[[], bool]) -> Run:
        """One run where its target is."""
        if request.target in self.runs.workers or self.here is None:
            return self.runs.measure(request, on_progress, deadline_reached)
        return self.here.measure(request, self._renewing(on_progress), deadline_reached)

    def measure_together(
        self,
        requests: Sequence[RunRequest],
        pace: Pace | None,
        on_progress: OnProgress,
        deadline_reached: Callable[[], bool],
    ) -> list[Run]:
        """A block where its targets are: they have the same workers, or are here."""
        if requests[0].target in self.runs.workers or self.here is None:
            return self.runs.measure_together(requests, pace, on_progress, deadline_reached)
        return self.here.measure_together(requests, pace, self._renewing(on_progress), deadline_reached)

    def _renewing(self, on_progress: OnProgress) -> OnProgress:
        """Workers that wait for their turn keep their lease."""

        def told(progress: Progress) -> None:
            self.runs.renew()
            on_progress(progress)

        return told
