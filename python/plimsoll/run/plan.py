"""What a study would run: every plan of every case on every target, what it writes, and how long it takes.

Everything that can be known to be wrong is refused here, before anything is written.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from plimsoll.catalog.bounds import Pace, pace
from plimsoll.catalog.targets import AS, read_as, shape_of
from plimsoll.declared import YcsbParameters
from plimsoll.errors import UsageError
from plimsoll.model import Plan, Target
from plimsoll.prices.cost import REGION, read_region
from plimsoll.profile import Case, for_workload
from plimsoll.run import emulated, workloads
from plimsoll.run.study import Study
from plimsoll.run.workloads.io import REPLAY, REPLAY_SMALLER
from plimsoll.stats.policy import MODES
from plimsoll.stats.stopping import last_block
from plimsoll.targets import directory
from plimsoll.units import GIB, SECOND, format_duration, parse_count, parse_size

LAYOUT_BYTES_PER_S = GIB // 2
"""Guess for the time that writing a test file takes; only for the estimate that `plan` prints."""

TARGET_OPTIONS: dict[str, Callable[[str], object]] = {
    AS: read_as,
    REGION: read_region,
    "cap_iops": parse_count,
    "cap_throughput": parse_size,
    "note": str,
}
"""Target options that state facts of the place and are no parameters of a test, with what reads them."""


@dataclass(frozen=True)
class Step:
    """One case with its plan on every target, by target name."""

    case: str
    metrics: tuple[str, ...]
    plans: Mapping[str, Plan]
    paces: Mapping[str, Pace | None] = field(default_factory=dict)
    """What the volumes among the targets do at most, where that is known."""
    unset: frozenset[str] = frozenset()
    """Parameters that have their general defaults, because neither the test nor the user says anything else."""
    at_once: bool = False
    """Whether the runs of a block are made at the same time."""
    alternating: bool = False
    """Whether its targets take turns of a fraction of a second."""

    @cached_property
    def run_ns(self) -> Mapping[str, int]:
        """About how long one run takes, by target; of runs at the same time, its share of their block."""
        shared_by = len(self.plans) if self.at_once else 1
        return {
            name: workloads.of(plan).run_ns(plan, self.paces.get(name)) // shared_by
            for name, plan in self.plans.items()
        }

    @property
    def block_ns(self) -> int:
        """About how long one block takes: every target once."""
        return sum(self.run_ns.values())

    def most_blocks(self, study: Study) -> int:
        """Blocks at most, as long as nothing extends them: what the user has set, or what the mode allows."""
        runtime_ns = next(iter(self.plans.values())).parameters.get("runtime")
        return study.blocks or MODES[study.mode].most_blocks(runtime_ns, alternating=self.alternating)


@dataclass(frozen=True)
class Estimate:
    """How long a study takes and what it writes."""

    least_ns: int
    most_ns: int
    layout_bytes: Mapping[str, int]
    """Bytes of test files by target, written once."""
    scratch_bytes: Mapping[str, int]
    """Most bytes by target that lie there beside them while a run goes on."""


def steps(study: Study) -> list[Step]:
    """The steps of a study; raises UsageError or TargetError where something cannot be carried out."""
    found = []
    cases = study.cases()
    together = {case.profile.workload for case in cases}
    paces = {target.name: pace(shape_of(target)) for target in study.targets}
    for case in cases:
        plans = {target.name: _plan(case, target, together) for target in study.targets}
        unset = case.unset - {name for target in study.targets for name in target.options}
        found.append(Step(case.label, case.profile.metrics, plans, paces, unset))
    return found


def _plan(case: Case, target: Target, together: Collection[str]) -> Plan:
    options = {name: value for name, value in target.options.items() if name not in TARGET_OPTIONS}
    plan = case.plan(for_workload(case.profile.workload, options, together), f"target {target.name}")
    return workloads.of(plan).on_target(plan, emulated.planned(target))


def estimate(study: Study, planned: Sequence[Step]) -> Estimate:
    """Time from the fewest to the most blocks the mode allows, and the bytes laid out on each target."""
    least = study.repeats or min(3, study.blocks or 3)
    layout = {target.name: sum(_data_files(planned, target).values()) for target in study.targets}
    scratch = {target.name: _scratch_bytes(planned, target) for target in study.targets}
    writing_ns = sum(_layout_ns(layout[target.name], pace(shape_of(target))) for target in study.targets)
    least_ns = writing_ns + least * sum(step.block_ns for step in planned)
    most_ns = writing_ns + sum(_most_blocks(study, step) * step.block_ns for step in planned)
    bound = most_ns if study.time_ns is None else study.time_ns
    return Estimate(min(least_ns, bound), min(most_ns, bound), layout, scratch)


def _most_blocks(study: Study, step: Step) -> int:
    mode = replace(MODES[study.mode], cap=step.most_blocks(study))
    return study.repeats or last_block(mode, len(study.targets))


def _layout_ns(layout_bytes: int, volume: Pace | None) -> int:
    """About how long writing the test files of a target takes."""
    bytes_per_s = min(LAYOUT_BYTES_PER_S, volume.bytes_per_s) if volume else LAYOUT_BYTES_PER_S
    return int(layout_bytes * SECOND // bytes_per_s)


def _data_files(planned: Sequence[Step], target: Target) -> dict[str, int]:
    """Size of each test file on a target; none on a device."""
    if target.kind == "device":
        return {}
    found: dict[str, int] = {}
    for step in planned:
        plan = step.plans[target.name]
        found |= workloads.of(plan).data_files(plan)
    return found


def _scratch_bytes(planned: Sequence[Step], target: Target) -> int:
    """Most bytes beside the test files: runs take turns, so that the largest counts."""
    plans = [step.plans[target.name] for step in planned]
    return max((workloads.of(plan).scratch_bytes(plan) for plan in plans), default=0)


def _needed_bytes(planned: Sequence[Step], target: Target) -> int:
    return sum(_data_files(planned, target).values()) + _scratch_bytes(planned, target)


def check(study: Study, planned: Sequence[Step], destroy: Sequence[str]) -> None:
    """Refuse what cannot work on these targets, before anything is written.

    `destroy` holds the block devices, by their identities, and the data, by name, that may be overwritten.
    Raises UsageError, TargetError or UnsafeTarget; each says what to change.
    """
    _check_on_this_machine(study)
    check_names(study.targets, planned, destroy)
    _check_same_place(study, planned)
    _check_time(study, planned)
    for target in study.targets:
        _check_facts(target)
        plans = [step.plans[target.name] for step in planned]
        for plan in plans:
            problem = next(workloads.of(plan).problems(plan), None)
            if problem:
                raise UsageError(f"target {target.name}, test {plan.case}: {problem}")
        if emulated.is_emulated(target):
            emulated.check(target, _needed_bytes(planned, target))
            continue
        if target in study.rented:
            emulated.check_rented(target, _needed_bytes(planned, target))
            continue
        if target.kind == "directory":
            directory.check(target, needed_bytes=_needed_bytes(planned, target), advice=_smaller(planned))
        for plan in plans:
            workloads.of(plan).check_place(plan, target, destroy)
    _check_shared_space(study, planned)
    emulated.check_room(sum(_needed_bytes(planned, each) for each in study.targets if emulated.is_emulated(each)))


def check_names(targets: Sequence[Target], planned: Sequence[Step], destroy: Sequence[str]) -> None:
    """Raises UsageError for the name of a table alone where there are several databases that may have one."""
    databases = [target for target in targets if target.kind == "database"]
    if len({target.where for target in databases}) < 2:
        return
    plans = [step.plans[target.name] for step in planned for target in databases]
    names = {
        "pgbench",
        "_indices",
        *(each.values(YcsbParameters)["table"] for each in plans if each.workload == "ycsb"),
    }
    if alone := next((name for name in destroy if name in names), None):
        raise UsageError(
            f"--destroy {alone} could mean data in any of these databases; say which, as the refusal of a run has it: "
            f"--destroy HOST:PORT/DATABASE/{alone}"
        )


def _check_on_this_machine(study: Study) -> None:
    """A place on a worker can only be reached through its cluster."""
    for target in study.targets:
        if target.where.startswith("@"):
            raise UsageError(
                f"target {target.name}: {target.where} lies on a worker; name its cluster with --cluster, such as "
                "tcp://scheduler:8786"
            )


def _check_facts(target: Target) -> None:
    """The options that state facts of the place can be read."""
    for name, read in TARGET_OPTIONS.items():
        if name in target.options:
            try:
                read(target.options[name])
            except UsageError as error:
                raise UsageError(f"target {target.name}: {name}: {error}") from None


def _check_time(study: Study, planned: Sequence[Step]) -> None:
    """A bound in which not even one block fits would measure nothing."""
    shortest_ns = min(step.block_ns for step in planned)
    if study.time_ns is not None and study.time_ns < shortest_ns:
        raise UsageError(
            f"time {format_duration(study.time_ns)} is too short for a single block, which takes "
            f"{format_duration(shortest_ns)}; allow more, or set a shorter runtime"
        )


def _check_same_place(study: Study, planned: Sequence[Step]) -> None:
    """Two targets that are one place and differ in nothing would compare a thing with itself."""
    if study.same_place:
        return
    seen: dict[tuple[Any, ...], str] = {}
    for target in study.targets:
        status = os.stat(target.where) if os.path.exists(target.where) else None
        place = (status.st_dev, status.st_ino, status.st_rdev) if status else (target.where,)
        key = (place, *(step.plans[target.name].hash for step in planned))
        if key in seen:
            raise UsageError(
                f"targets {seen[key]} and {target.name} are one place ({target.where}) with the same options; give one "
                "of them an option that differs (such as engine=psync,depth=1), or say --same-place to see the noise "
                "of this place (an A/A session)"
            )
        seen[key] = target.name


def _check_shared_space(study: Study, planned: Sequence[Step]) -> None:
    """Targets on one file system share its free space."""
    needed: dict[int, int] = {}
    for target in study.targets:
        if target.kind == "directory":
            filesystem = os.stat(target.where).st_dev
            needed[filesystem] = needed.get(filesystem, 0) + _needed_bytes(planned, target)
            directory.check(target, needed_bytes=needed[filesystem], advice=_smaller(planned))


def _smaller(planned: Sequence[Step]) -> str:
    """How to ask for less room."""
    replays = all(plan.test == REPLAY for step in planned for plan in step.plans.values())
    return REPLAY_SMALLER if replays else directory.SMALLER
