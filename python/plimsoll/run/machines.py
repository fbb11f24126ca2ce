"""Where the runs of a session are carried out: on this machine, or on others that do the same for it."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from plimsoll.errors import NO_THREAD, NotStarted, UsageError
from plimsoll.model import Plan, Run, Session, Target
from plimsoll.run import emulated, interleave, workloads
from plimsoll.run import plan as planning
from plimsoll.run.interleave import Way
from plimsoll.run.outcome import OnProgress
from plimsoll.run.places import Place, in_place, open_places
from plimsoll.run.plan import Step
from plimsoll.run.record import run_record, unmeasured
from plimsoll.run.schedule import RunRequest
from plimsoll.run.study import Study
from plimsoll.run.turns import Agreed, Lengths, Pace, Turns, turns
from plimsoll.targets.small_memory import SmallMemory, small_memory
from plimsoll.volumes.restart import restart


class PreparedTargets(Protocol):
    """The places of a session, ready for runs."""

    @property
    def targets(self) -> Mapping[str, Target]:
        """By name, with the facts of their places."""

    def measure(self, request: RunRequest, on_progress: OnProgress, deadline_reached: Callable[[], bool]) -> Run:
        """Carry out one run; KeyboardInterrupt is passed on when nothing uses the place any more."""

    def measure_together(
        self,
        requests: Sequence[RunRequest],
        pace: Pace | None,
        on_progress: OnProgress,
        deadline_reached: Callable[[], bool],
    ) -> list[Run]:
        """Carry out a block whose targets alternate at this pace, or run at once, as `measure` does a run."""


class Machines(Protocol):
    """What carries out runs."""

    @property
    def facts(self) -> Mapping[str, Any]:
        """What a session keeps about them beside the facts of this host."""

    def ways(self, study: Study, planned: Sequence[Step]) -> dict[str, Way]:
        """How the targets of a block share its time, by case, as `interleave.ways`."""

    def resolved(self, study: Study) -> Study:
        """The study with the kind of every place, as who measures there sees it."""

    def check(self, study: Study, steps: Sequence[Step], destroy: Sequence[str]) -> None:
        """Refuse what cannot work, before anything is written, as `plan.check` does."""

    def open(
        self, targets: Sequence[Target], session: Session, written: Collection[str], destroy: Sequence[str]
    ) -> AbstractContextManager[PreparedTargets]:
        """Lock and prepare every target; everything is removed when the context ends."""


@dataclass(frozen=True)
class LocalTargets:
    """Places on this machine."""

    places: Mapping[str, Place]
    asked: Sequence[Target]
    memories: Mapping[str, SmallMemory] = field(default_factory=dict)
    """Of the targets that are to have less memory than the machine."""

    @property
    def targets(self) -> Mapping[str, Target]:
        """By name, with the facts of their places."""
        return {name: emulated.as_written(place.target, self.asked) for name, place in self.places.items()}

    def measure(self, request: RunRequest, on_progress: OnProgress, deadline_reached: Callable[[], bool]) -> Run:
        """Hand the plan to its workload and make the record."""
        return self.measure_plan(request, request.block.step.plans[request.target], on_progress, deadline_reached)[0]

    def measure_plan(
        self, request: RunRequest, plan: Plan, on_progress: OnProgress, deadline_reached: Callable[[], bool]
    ) -> tuple[Run, int]:
        """The run of a plan, and when its measured time began (ns since 1970)."""
        place, memory = self.places[request.target], self.memories.get(request.target)
        started_ns = time.time_ns()
        if place.folder is not None:
            place.folder.check()
        restart(place.restarted)
        try:
            with nullcontext() if memory is None else memory.entered():
                execution = in_place(place, workloads.of(plan).execute(plan, place, on_progress, deadline_reached))
        except (NotStarted, BlockingIOError) as error:
            target = emulated.as_written(place.target, self.asked)
            return unmeasured(request, target, plan, started_ns, _why_not_started(error)), started_ns
        if memory is not None:
            execution.outcome["small_memory"] = {"bytes": memory.size_bytes, "why_not": memory.why_not}
            if not memory.why_not:
                place = replace(place, memory_limit_bytes=min(place.memory_limit_bytes, memory.size_bytes))
        run = run_record(request, place, plan, execution, started_ns)
        run = run.model_copy(update={"target": emulated.as_written(run.target, self.asked)})
        return run, execution.outcome["started_ns"]

    def measure_together(
        self,
        requests: Sequence[RunRequest],
        pace: Pace | None,
        on_progress: OnProgress,
        deadline_reached: Callable[[], bool],
    ) -> list[Run]:
        """Set all targets of a block up, let them alternate or run at once, and make a record of each."""
        plans = [request.block.step.plans[request.target] for request in requests]
        return [run for run, _ in self.measure_plans(requests, plans, pace, None, on_progress, deadline_reached)]

    def measure_plans(
        self,
        requests: Sequence[RunRequest],
        plans: Sequence[Plan],
        pace: Pace | None,
        agreed: Agreed | None,
        on_progress: OnProgress,
        deadline_reached: Callable[[], bool],
    ) -> list[tuple[Run, int]]:
        """The runs of these plans, and when their measured time began (ns since 1970).

        Raises TooLate where the moment that was agreed upon with other machines had passed.
        """
        started_ns = time.time_ns()
        places = [self.places[request.target] for request in requests]
        for place in places:
            if place.folder is not None:
                place.folder.check()
            restart(place.restarted)
        try:
            if pace is None:
                at_once = workloads.parallel(plans[0])
                assert at_once is not None  # interleave.ways
                executions = at_once.parallel(plans, places, on_progress, deadline_reached)
            else:
                pausing = workloads.pausing(plans[0])
                assert pausing is not None  # interleave.ways
                turn = replace(_turns(requests, plans[0], pace), agreed=agreed)
                executions = pausing.alternate(plans, places, turn, on_progress, deadline_reached)
        except (NotStarted, BlockingIOError) as error:
            why = _why_not_started(error)
            return [
                (unmeasured(request, emulated.as_written(place.target, self.asked), plan, started_ns, why), started_ns)
                for request, plan, place in zip(requests, plans, places, strict=True)
            ]
        runs = []
        for request, plan, place, execution in zip(requests, plans, places, executions, strict=True):
            beside = [
                other.outcome
                for other, there in zip(executions, places, strict=True)
                if other is not execution and {*there.chain.counters} & {*place.chain.counters}
            ]
            run = run_record(request, place, plan, in_place(place, execution), started_ns, beside)
            written = run.model_copy(update={"target": emulated.as_written(run.target, self.asked)})
            runs.append((written, execution.outcome["started_ns"]))
        return runs


def _turns(requests: Sequence[RunRequest], plan: Plan, pace: Pace) -> Turns:
    """Those of a block, whose targets run equally long."""
    block, values = requests[0].block, plan.values(Lengths)
    seed = f"{requests[0].session_id}/{block.step.case}/{block.number}/{block.attempt}"
    return turns([request.target for request in requests], values["runtime"], values["warmup"], seed, pace)


def _why_not_started(error: NotStarted | BlockingIOError) -> str:
    """Of a thread or a process, which is what is not waited for here."""
    return str(error) if isinstance(error, NotStarted) else NO_THREAD


class ThisMachine:
    """Carries out every run here."""

    @property
    def facts(self) -> Mapping[str, Any]:
        """None: the facts of this host say it all."""
        return {}

    def ways(self, study: Study, planned: Sequence[Step]) -> dict[str, Way]:
        """As `interleave.ways`."""
        return interleave.ways(study, planned)

    def resolved(self, study: Study) -> Study:
        """As it is: a place on this machine was looked at when it was read."""
        return study

    def check(self, study: Study, steps: Sequence[Step], destroy: Sequence[str]) -> None:
        """As `plan.check` does."""
        if study.rented:
            names = ", ".join(target.name for target in study.rented)
            raise UsageError(f"{names}: rented targets are measured by `plimsoll run` and `plimsoll knee` only")
        planning.check(study, steps, destroy)

    @contextmanager
    def open(
        self, targets: Sequence[Target], session: Session, written: Collection[str], destroy: Sequence[str]
    ) -> Iterator[LocalTargets]:
        """Serve volumes, lock the places, make work folders, and remove all of it at the end."""
        with emulated.served(targets, session) as there, ExitStack() as stack:
            asked = {target.name: size for target in targets if (size := emulated.memory_of(target))}
            groups = {name: stack.enter_context(small_memory(name, size)) for name, size in asked.items()}
            # Within the groups: a private server was started in one, and a group goes only when nobody is in it.
            places = stack.enter_context(open_places(there, session, written, destroy))
            yield LocalTargets(places, targets, groups)
