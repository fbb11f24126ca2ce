"""The cheapest volume that gives what is needed: of each type the smallest configuration that does, by price.

What can be chosen of a type (IOPS with the throughput they need, or the size where performance follows from it) is a
ladder of configurations that only get faster. It is climbed in growing steps and then halved, so that about six
simulations per type are enough.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from plimsoll.catalog.bounds import Use, sustained
from plimsoll.catalog.shape import VolumeShape, volume_shape
from plimsoll.catalog.types import VolumeType, volume_type, volume_types
from plimsoll.errors import UnknownName, UsageError
from plimsoll.prices.cost import Cost, cost
from plimsoll.simulation.job import Load
from plimsoll.simulation.outcome import NOTHING, Outcome, simulate
from plimsoll.simulation.slo import Clause, Judgement, judge
from plimsoll.units import SECOND

STEADY_NS = 60 * SECOND
"""A volume without credits, first touch or episodes does in any minute what it does for ever."""
STEP = 1.25
"""Each configuration has so many times the performance of the one before."""


@dataclass(frozen=True)
class Choice:
    """The best configuration of one type, or why there is none."""

    type: str
    outcome: Outcome | None
    judgement: Judgement | None
    refused: str = ""
    """Why the provider would not even sell it."""

    @property
    def met(self) -> bool:
        """Whether it gives what is needed."""
        return self.judgement is not None and self.judgement.met

    @property
    def usd_per_month(self) -> float | None:
        """Price of the volumes without the instance; None where it is not known."""
        return self.outcome.cost.volume_per_month if self.outcome else None

    @property
    def headroom(self) -> float | None:
        """How much more could be asked: of the sustained limit where a rate is offered, else the bound's margin."""
        if self.outcome is None or self.judgement is None:
            return None
        load = self.outcome.load
        if not isinstance(load, Load) or load.rate is None:
            return self.judgement.margin
        limit = sustained(self.outcome.shape, Use(load.block_bytes, load.read_share, load.sequential))
        return None if limit is None else limit.per_second / load.rate - 1


def choose(
    types: Sequence[str],
    options: Mapping[str, str],
    load: Load,
    duration_ns: int,
    clauses: tuple[Clause, ...],
    region: str | None,
    progress: Callable[[str], None],
) -> list[Choice]:
    """One choice per type, those that give what is needed first, the cheapest at the top.

    `options` hold for all types; what a type does not take is refused for it alone. Raises UnknownName for a type that
    does not exist, and UsageError where it is not said how much has to fit.
    """
    kinds = volume_types()
    known = {each.name for each in kinds}
    if unknown := [name for name in types if name not in known]:
        raise UnknownName("volume type", unknown[0], known, "--compare")
    if "size" not in options and not {each.name for each in kinds if each.rule == "local"}.issuperset(types):
        raise UsageError("--compare has to know how much must fit: add --volume size=500GiB, or whatever it is")
    found = []
    for name in types:
        progress(name)
        found.append(_best(name, options, load, duration_ns, clauses, region))

    def order(choice: Choice) -> tuple[bool, bool, float]:
        price = choice.usd_per_month
        return not choice.met, price is None, price if price is not None else math.inf

    return sorted(found, key=order)


def _best(
    name: str,
    options: Mapping[str, str],
    load: Load,
    duration_ns: int,
    clauses: tuple[Clause, ...],
    region: str | None,
) -> Choice:
    try:
        rungs = list(ladder(name, options, load))
    except UnknownName:
        raise
    except UsageError as error:
        return Choice(name, None, None, str(error))
    tried: dict[int, Choice] = {}

    def attempt(rung: int) -> Choice:
        if rung not in tried:
            shape = rungs[rung]
            outcome = simulate(shape, load, _duration(shape, duration_ns), _cost(shape, region))
            tried[rung] = Choice(name, outcome, judge(outcome, clauses))
        return tried[rung]

    low, high, step = -1, 0, 1
    while not attempt(high).met:
        if high == len(rungs) - 1 or _beyond_help(attempt(high)):
            return attempt(high)
        low, high, step = high, min(high + step, len(rungs) - 1), step * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if attempt(middle).met else (middle, high)
    return attempt(high)


def _beyond_help(choice: Choice) -> bool:
    """Whether more of this type cannot help: the instance holds it back, or its own latency."""
    if choice.outcome is None:
        return True
    by = choice.outcome.sustained.limited_by
    return by == NOTHING or by.startswith("instance")


def _cost(shape: VolumeShape, region: str | None) -> Cost:
    return cost(shape, region)


def _duration(shape: VolumeShape, duration_ns: int) -> int:
    limits = (shape.limits, shape.instance_limits)
    rates = [rate for each in limits for rate in (each.iops, each.throughput) if rate is not None]
    changing = any(rate.baseline is not None for rate in rates) or {"first_touch", "degradation"} & shape.spec.keys()
    return duration_ns if changing else min(duration_ns, STEADY_NS)


def ladder(name: str, options: Mapping[str, str], load: Load) -> Iterator[VolumeShape]:
    """The configurations of a type from the least on; just one where the options leave nothing to choose.

    Raises UsageError where not even the least can be bought.
    """
    era = options.get("era")
    kind = volume_type(name, era, "--compare")
    base = {**options, "type": name}
    if kind.rule in ("provisioned", "io", "io2", "piops"):
        if "iops" in options or "throughput" in options:
            yield volume_shape(base, f"--compare {name}")
            return
        size = volume_shape({**base, "iops": str(_least_iops(kind))}, f"--compare {name}").size_gib
        for iops in _iops_steps(kind, size):
            yield volume_shape({**base, "iops": str(iops), **_throughput(kind, iops, load)}, f"--compare {name}")
        return
    for option in ("iops", "throughput"):
        base.pop(option, None)
    first = volume_shape(base, f"--compare {name}")
    yield first
    if kind.rule in ("gp2", "hdd", "per-gib", "azure-tier"):
        for gib in _sizes(first.size_gib, kind.max_gib or 0):
            yield volume_shape({**base, "size": f"{gib}GiB"}, f"--compare {name}")


def _least_iops(kind: VolumeType) -> int:
    return kind.iops_included or kind.iops_min or 1


def _iops_steps(kind: VolumeType, size_gib: float) -> Iterator[int]:
    least = _least_iops(kind)
    most = kind.iops_max or least
    if kind.iops_per_gib:
        most = min(most, max(least, int(kind.iops_per_gib * size_gib)))
    iops = float(least)
    while iops < most:
        yield round(iops, -2) if iops > 1000 else round(iops)  # type: ignore[misc]
        iops *= STEP
    yield most


def _throughput(kind: VolumeType, iops: int, load: Load) -> dict[str, str]:
    """As much throughput as the IOPS need at the block size of the load, where it can be chosen."""
    if kind.rule != "provisioned" or not kind.throughput_included:
        return {}
    ceiling = min(kind.throughput_max or 0, (kind.kib_per_iops or 0) * iops / 1024)
    needed = max(kind.throughput_included, math.ceil(iops * load.block_bytes / kind.mega))
    return {"throughput": f"{min(needed, math.floor(ceiling))}"}


def _sizes(first: float, most: int) -> Iterator[int]:
    size = first * STEP
    while size < most:
        yield math.ceil(size)
        size *= STEP
    if first < most:
        yield most
