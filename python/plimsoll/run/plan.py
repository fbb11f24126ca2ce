"""What a study would run: every plan of every case on every target, what it writes, and how long it takes.

Everything that can be known to be wrong is refused here, before anything is written.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plimsoll.errors import TargetError, UnknownName, UsageError
from plimsoll.model import Plan, Target
from plimsoll.run.study import Study
from plimsoll.run.workers.local import alignment, engines, impossible
from plimsoll.stats.policy import MODES
from plimsoll.targets import device, directory
from plimsoll.units import GIB, SECOND, format_duration, format_size, parse_count, parse_size

OVERHEAD_NS = 400_000_000
"""Start, samples, guards and storing of one run; measured on two slow cores."""

LAYOUT_BYTES_PER_S = GIB // 2
"""Guess for the time that writing a test file takes; only for the estimate that `plan` prints."""

TARGET_OPTIONS: dict[str, Callable[[str], object]] = {
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

    @property
    def block_ns(self) -> int:
        """Time of one block: every target once."""
        return sum(_run_ns(plan) for plan in self.plans.values())


def _run_ns(plan: Plan) -> int:
    return int(plan.parameters["warmup"] + plan.parameters["runtime"] + OVERHEAD_NS)


@dataclass(frozen=True)
class Estimate:
    """How long a study takes and what it writes."""

    least_ns: int
    most_ns: int
    layout_bytes: Mapping[str, int]
    """Bytes of test files by target, written once."""


def steps(study: Study) -> list[Step]:
    """The steps of a study; raises UsageError or TargetError where something can't be carried out."""
    found = []
    for case in study.cases():
        plans = {target.name: _plan(case, target) for target in study.targets}
        found.append(Step(case.label, case.profile.metrics, plans))
    return found


def _plan(case: Any, target: Target) -> Plan:
    options = {name: value for name, value in target.options.items() if name not in TARGET_OPTIONS}
    plan: Plan = case.plan(options, f"target {target.name}")
    if target.kind == "device" and plan.parameters["layout"] == "fill":
        # A device always has its size, so that "fill" can't see whether it was written; the guard for unwritten
        # blocks tells, and layout=refill writes it.
        plan = plan.model_copy(update={"parameters": {**plan.parameters, "layout": "keep"}})
    return plan


def data_name(plan: Plan) -> str:
    """Name of the file that plans with the same content and size share in a target's work folder."""
    values = plan.parameters
    kind = values["content"] if not values["compressible"] else f"compressible-{values['compressible']:g}"
    return f"data-{kind}-{values['offset'] + values['size']}"


def estimate(study: Study, planned: Sequence[Step]) -> Estimate:
    """Time from the fewest to the most blocks the mode allows, and the bytes laid out on each target."""
    mode = MODES[study.mode]
    least = min(3, study.blocks or 3)
    most = study.blocks or mode.cap
    layout = {target.name: sum(_data_files(planned, target).values()) for target in study.targets}
    writing_ns = sum(layout.values()) * SECOND // LAYOUT_BYTES_PER_S
    block_ns = sum(step.block_ns for step in planned)
    bound = writing_ns + most * block_ns if study.time_ns is None else study.time_ns
    return Estimate(min(writing_ns + least * block_ns, bound), min(writing_ns + most * block_ns, bound), layout)


def _data_files(planned: Sequence[Step], target: Target) -> dict[str, int]:
    """Size of each test file on a target; none on a device and none for the null engine."""
    plans = [step.plans[target.name] for step in planned]
    if target.kind == "device":
        return {}
    return {
        data_name(plan): plan.parameters["offset"] + plan.parameters["size"]
        for plan in plans
        if plan.parameters["engine"] != "null"
    }


def check(study: Study, planned: Sequence[Step], destroy: Sequence[str]) -> None:
    """Refuse what can't work on these targets, before anything is written.

    `destroy` holds the identities of the block devices that the user allows to be overwritten.
    Raises UsageError, TargetError or UnsafeTarget; each says what to change.
    """
    _check_same_place(study, planned)
    _check_time(study, planned)
    for target in study.targets:
        _check_facts(target)
        plans = [step.plans[target.name] for step in planned]
        for plan in plans:
            where = f"target {target.name}, test {plan.case}"
            problem = next(_problems(plan), None)
            if problem:
                raise UsageError(f"{where}: {problem}")
        needed = sum(_data_files(planned, target).values())
        if target.kind == "device":
            _check_device(target, plans, destroy)
        else:
            directory.check(target, needed_bytes=needed)
            _check_direct(target, plans)
    _check_shared_space(study, planned)


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


def _problems(plan: Plan) -> Iterator[str]:
    """What is impossible in a plan whatever the place: first in words of parameters, then all that the core knows."""
    values = plan.parameters
    known = engines()
    if values["engine"] not in known:
        raise UnknownName("engine", values["engine"], known, f"test {plan.case}")
    engine = known[values["engine"]]
    if not engine["available"]:
        yield f"engine {engine['name']} can't be used here: {engine['reason']}; choose another with engine=psync"
    if engine["max_depth"] is not None and values["depth"] > engine["max_depth"]:
        yield (
            f"engine {engine['name']} has at most {engine['max_depth']} operation in flight per thread, depth is "
            f"{values['depth']}; set depth={engine['max_depth']} (and threads={values['depth']} for as many in "
            "flight), or engine=io_uring"
        )
    if values["direct"] and not engine["direct"]:
        yield f"engine {engine['name']} can't bypass the page cache; set direct=no, or engine=io_uring"
    if values["mode"] in ("trim", "randtrim") and not engine["trim"]:
        yield f"engine {engine['name']} can't trim; set engine=psync"
    if reason := impossible(plan, Path(data_name(plan))):
        yield reason


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


def written_bytes(plan: Plan) -> int | None:
    """Most bytes that one run of a plan writes beside its test file; None where only the time limits it."""
    values = plan.parameters
    share = {"read": 0.0, "randread": 0.0, "rw": 1 - values["read_share"], "randrw": 1 - values["read_share"]}
    writing = share.get(values["mode"], 1.0)
    largest = max(size for size, _ in values["block_size"])
    bounds = [values["max_bytes"], values["max_operations"] and values["max_operations"] * largest]
    if not writing:
        return 0
    return min((int(bound * writing) for bound in bounds if bound is not None), default=None)


def writes(plan: Plan) -> bool:
    """Whether carrying out a plan changes what is on the target."""
    return plan.parameters["mode"] not in ("read", "randread") or plan.parameters["layout"] != "keep"


def _check_device(target: Target, plans: Sequence[Plan], destroy: Sequence[str]) -> None:
    for plan in plans:
        values = plan.parameters
        facts = device.facts(target)
        device.check(target, writes=writes(plan), destroy=destroy)
        if values["offset"] + values["size"] > facts["size_bytes"]:
            raise TargetError(
                f"target {target.name}, test {plan.case}: {target.where} has {format_size(facts['size_bytes'])}, "
                f"the test uses {format_size(values['offset'] + values['size'])}; set size= to less"
            )
        if values["direct"]:
            try:
                needed = alignment(Path(target.where))["offset"]
            except OSError as error:
                raise TargetError(
                    f"target {target.name}: cannot open {target.where} for direct I/O ({error.strerror}); "
                    "devices need root or the group of the device, or set direct=no"
                ) from None
            _check_alignment(plan, target, needed)


def _check_direct(target: Target, plans: Sequence[Plan]) -> None:
    """Direct I/O as the file system of a directory really allows it, asked of a file without a name."""
    direct = [plan for plan in plans if plan.parameters["direct"] and plan.parameters["engine"] != "null"]
    if not direct:
        return
    with tempfile.TemporaryFile(dir=target.where) as probe:
        probe.truncate(64 * 1024)
        try:
            needed = alignment(Path(f"/proc/self/fd/{probe.fileno()}"))["offset"]
        except OSError as error:
            raise TargetError(
                f"target {target.name}: the file system of {target.where} refuses direct I/O ({error.strerror}); set "
                "direct=no (the page cache then answers too), or test a directory on another file system"
            ) from None
    for plan in direct:
        _check_alignment(plan, target, needed)


def _check_alignment(plan: Plan, target: Target, needed: int) -> None:
    sizes = [int(size) for size, _ in plan.parameters["block_size"]]
    for number in (*sizes, plan.parameters["offset"]):
        if number % needed:
            raise UsageError(
                f"target {target.name}, test {plan.case}: direct I/O at {target.where} works in multiples of "
                f"{needed} bytes, {number} is none; change block_size or offset, or set direct=no"
            )


def _check_shared_space(study: Study, planned: Sequence[Step]) -> None:
    """Targets on one file system share its free space."""
    needed: dict[int, int] = {}
    for target in study.targets:
        if target.kind == "directory":
            filesystem = os.stat(target.where).st_dev
            needed[filesystem] = needed.get(filesystem, 0) + sum(_data_files(planned, target).values())
            directory.check(target, needed_bytes=needed[filesystem])
