"""Where the targets of a block may alternate in slices or run at once, and where that would mislead.

A target rests while another works. A device that is only as fast as it is does not care; one with a limit on its rate
saves up meanwhile, and would show up to twice what it gives for ever. Such targets can run at once, where no limit is
shared: nobody knows that of a machine before it was tried, so it is done only where it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from plimsoll.catalog.targets import AS, is_emulated, shape_of
from plimsoll.errors import TargetError, UsageError
from plimsoll.model import Target
from plimsoll.run import originals, workloads
from plimsoll.run.emulated import memory_of
from plimsoll.run.plan import Step
from plimsoll.run.study import AUTO, BLOCKS, PARALLEL, SLICES, Study
from plimsoll.run.turns import Lengths, Pace, too_short
from plimsoll.targets import database
from plimsoll.targets.chain import Chain, chain_of
from plimsoll.units import format_duration
from plimsoll.volumes.registry import folders_below

_CAPS = ("cap_iops", "cap_throughput")
INSTEAD = "leave --interleave out, so that one runs after the other where that is right"


@dataclass(frozen=True)
class Way:
    """How the targets of a test's blocks take turns, and why; empty where there is nothing to choose."""

    how: str = BLOCKS
    """`blocks`, `slices` or `parallel`."""
    why: str = ""

    @property
    def slices(self) -> bool:
        """Whether the targets alternate."""
        return self.how == SLICES

    @property
    def parallel(self) -> bool:
        """Whether they run at once."""
        return self.how == PARALLEL

    def __str__(self) -> str:
        return f"{_IN_WORDS[self.how]} ({self.why})" if self.why else _IN_WORDS[self.how]


_IN_WORDS = {
    BLOCKS: "one after the other",
    SLICES: "in turns, several times a second",
    PARALLEL: "at the same time",
}


def ways(study: Study, planned: Sequence[Step]) -> dict[str, Way]:
    """The way of each case, of targets that this machine sees.

    Raises UsageError where another is asked for and cannot be, or would mislead.
    """
    if study.interleave != AUTO:
        _check_asked(study, planned)
        return {step.case: Way(study.interleave, "as asked") for step in planned}
    if len(study.targets) < 2:
        return {step.case: Way() for step in planned}
    apart = _saving(study.targets) or _apart(study.targets)
    return {step.case: _chosen(study.targets, step, apart) for step in planned}


def one_by_one(study: Study, planned: Sequence[Step], why: str) -> dict[str, Way]:
    """The way of each case where the targets can neither alternate nor run at once, as `why` says of them.

    Raises UsageError where that is asked for.
    """
    if study.interleave in (SLICES, PARALLEL):
        raise UsageError(f"--interleave {study.interleave}: {why}; {INSTEAD}")
    if study.interleave == BLOCKS:
        return ways(study, planned)
    return {step.case: Way(why=why if len(study.targets) > 1 else "") for step in planned}


def of_rented(study: Study, planned: Sequence[Step]) -> dict[str, Way]:
    """The same of targets that are rented."""
    return one_by_one(study, planned, "rented volumes have limits, and save up while another works")


def _check_asked(study: Study, planned: Sequence[Step]) -> None:
    if study.interleave == BLOCKS:
        return
    option, of_targets = f"--interleave {study.interleave}", _saving if study.interleave == SLICES else _sharing
    if len(study.targets) < 2:
        beside = "alternate with" if study.interleave == SLICES else "run beside"
        raise UsageError(f"{option}: there is one target, and nothing to {beside}")
    if why := of_targets(study.targets):
        raise UsageError(f"{option}: {why}; {INSTEAD}")
    for step in planned:
        if why := _why_not(step, asked=True) if study.interleave == SLICES else _why_not_at_once(step):
            raise UsageError(f"{option}: test {step.case} {why}; {INSTEAD}")


def _chosen(targets: Sequence[Target], step: Step, apart: str | None) -> Way:
    """Slices where nothing speaks against them."""
    if why := _why_not(step, asked=False):
        return Way(why=f"the test {why}")
    if apart:
        return Way(why=apart)
    names = ", ".join(target.name for target in targets[:-1])
    embedded = database.is_embedded(targets[0].where)
    what = "device" if targets[0].kind != "database" else "database" if embedded else "server"
    return Way(SLICES, f"{names} and {targets[-1].name} share one {what}, which is never idle")


def _saving(targets: Sequence[Target]) -> str | None:
    """Why a target would show more in slices than it gives for ever."""
    for target in targets:
        if why := _limit(target):
            return f"target {target.name} {why}, and what it saves up while another works would show as speed"
        if memory_of(target):
            return f"target {target.name} has memory of its own, in which one target can work at a time"
    return None


def _limit(target: Target) -> str | None:
    if is_emulated(target) and shape_of(target) is not None:
        return "is an emulated volume with limits"
    if target.options.get(AS):
        return f"has the limits of {target.options[AS]}"
    given = [f"{name}={target.options[name]}" for name in _CAPS if name in target.options]
    return f"has a limit ({given[0]})" if given else None


def _sharing(targets: Sequence[Target]) -> str | None:
    """Why one target would slow another that runs at the same time. An emulated volume has its limits to itself."""
    for one, other in combinations(targets, 2):
        if is_emulated(one) and is_emulated(other):
            continue
        chains = _chain(one), _chain(other)
        if None in chains or not all(chain.counters for chain in chains if chain):
            return f"whether {one.name} and {other.name} share a device cannot be told"
        if shared := set.intersection(*(set(chain.counters) for chain in chains if chain)):
            device = min(shared)
            return f"{one.name} and {other.name} share {device}, where each would slow the other"
    return None


def _why_not_at_once(step: Step) -> str | None:
    """Why the targets of a test cannot run at the same time."""
    if any(workloads.parallel(plan) is None for plan in step.plans.values()):
        return "is no test of block I/O, and only these run on all targets at once"
    if any(originals.is_original(plan) for plan in step.plans.values()):
        return "is run by another program, which begins when it likes"
    lengths = {name: plan.values(Lengths) for name, plan in step.plans.items()}
    unequal = (
        *_unequal({name: values["runtime"] for name, values in lengths.items()}, "runs for"),
        *_unequal({name: values["warmup"] for name, values in lengths.items()}, "warms up for"),
    )
    return next(iter(unequal), None)


def _apart(targets: Sequence[Target]) -> str | None:
    """Why nobody knows that a target's rate is its own: different devices may rest, others keep work for later."""
    if all(target.kind == "database" for target in targets):
        servers = {database.server(target.where) for target in targets}
        if len(servers) == 1 and None not in servers:
            return None
        return "they are not on one server, and one with a limit would save up while another works"
    chains = {target.name: _chain(target) for target in targets}
    for name, chain in chains.items():
        if chain is not None and folders_below(chain):
            return f"target {name} lies on a served volume, which may save up while another works"
        if chain is not None and any(device.kind == "loop" for device in chain.devices):
            return f"target {name} lies on a loop device, which may write to its file later, while another works"
    devices = [set(chain.counters) if chain is not None else set() for chain in chains.values()]
    if all(devices) and all(each == devices[0] for each in devices):
        return None
    return "they are not on one device, and one with a limit would save up while another works"


def _chain(target: Target) -> Chain | None:
    """None for what is no place on this machine, or cannot be looked at: who checks the target says why."""
    if target.kind not in ("directory", "device"):
        return None
    try:
        return chain_of(Path(target.where))
    except TargetError:
        return None


def _why_not(step: Step, *, asked: bool) -> str | None:
    """Why a test cannot be made in slices, or would mislead; what was asked for may disturb, which is told then."""
    return next(_reasons(step, asked), None)


def _reasons(step: Step, asked: bool) -> Iterator[str]:
    plans = list(step.plans.values())
    for plan in plans:
        if (workload := workloads.pausing(plan)) is None:
            yield "has an end of its own: only what goes on for as long as it is told can pause and go on"
        else:
            yield from workload.against_slices(plan, asked)
    lengths = {name: plan.values(Lengths) for name, plan in step.plans.items()}
    yield from _unequal({name: values["runtime"] for name, values in lengths.items()}, "runs for")
    yield from _unequal({name: values["warmup"] for name, values in lengths.items()}, "warms up for")
    runtime_ns = plans[0].values(Lengths)["runtime"]
    if too_short(runtime_ns):
        least_ns = Pace().shortest_runtime_ns
        yield f"runs for {format_duration(runtime_ns)}, and slices need {format_duration(least_ns)}"


def _unequal(lengths: Mapping[str, int], what: str) -> Iterator[str]:
    shortest, longest = min(lengths, key=lambda name: lengths[name]), max(lengths, key=lambda name: lengths[name])
    if lengths[shortest] < lengths[longest]:
        yield (
            f"{what} {format_duration(lengths[shortest])} on {shortest} and {format_duration(lengths[longest])} on "
            f"{longest}, and targets that share a block do that equally long"
        )
