"""Of each family that a provider sells, the cheapest volume that carries a load for ever.

Families without a published price or limit are named as unknown, and never recommended.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from enum import StrEnum

from plimsoll.catalog.provider import providers
from plimsoll.catalog.shape import VolumeShape
from plimsoll.catalog.volume_type import VolumeType, volume_types
from plimsoll.errors import UnknownName, UsageError
from plimsoll.prices.cost import Cost
from plimsoll.simulation.grid import Grid, grid
from plimsoll.simulation.search import Need, cheapest, one_cheaper
from plimsoll.simulation.slo import Judgement
from plimsoll.traces.advice.turn import Turn
from plimsoll.traces.advice.wanted import Wanted

THREADS = 2
SMALL = 1_500_000
"""I/Os of a load of which as many volumes are simulated as a search asks for."""
STEPS = (0, 1, 2, 3, 4, 6, 10)
"""Steps above what the flow of I/Os found that are looked at first: 1 GiB, 1 IOPS, 1 MiB/s each."""
TIGHTER = (1.0, 1.003, 1.01, 1.03, 1.1, 1.3, 2.0)
"""What the flow of I/Os is asked for where a simulation says that a volume is not quite enough."""


class Standing(StrEnum):
    """How a family stands to a load."""

    CARRIES = "carries"
    FAILS = "fails"
    UNKNOWN = "unknown"
    """No price or no limit is published, so that nothing can be recommended."""


@dataclass(frozen=True)
class Cheaper:
    """The volume that is one step cheaper, and why it is not enough."""

    shape: VolumeShape
    usd_per_month: float | None
    why: str


@dataclass(frozen=True)
class Family:
    """A family and its cheapest volume that carries the load; else its largest, or what is missing."""

    kind: VolumeType
    standing: Standing
    why: str = ""
    """Why it fails, or what is not published."""
    shape: VolumeShape | None = None
    cost: Cost | None = None
    usd_per_month: float | None = None
    turn: Turn | None = None
    judgement: Judgement | None = None
    cheaper: Cheaper | None = None

    @property
    def name(self) -> str:
        """`gp3`."""
        return self.kind.name


def families(names: Sequence[str]) -> tuple[VolumeType, ...]:
    """What the named providers sell now by size, all of them where none is named; raises UnknownName."""
    known = {each.name for each in providers()}
    for name in names:
        if name not in known:
            raise UnknownName("provider", name, known, "--provider")
    return tuple(
        each
        for each in volume_types()
        if not each.until and not each.is_local and (not names or each.provider.name in names)
    )


def rank(
    kinds: Sequence[VolumeType], wanted: Wanted, options: Mapping[str, str], done: Callable[[str], None]
) -> tuple[Family, ...]:
    """Those that carry the load first, the cheapest at the top; then those that fail; then the unknown."""

    def one(kind: VolumeType) -> Family:
        found = family(kind, wanted, options)
        done(kind.name)
        return found

    # A simulation leaves Python to others.
    with ThreadPoolExecutor(THREADS) as pool:
        try:
            found = list(pool.map(one, kinds))
        except BaseException:
            wanted.work.stopped = True
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    order = list(Standing)
    found.sort(key=lambda each: (order.index(each.standing), each.usd_per_month or math.inf))
    return tuple(found)


def family(kind: VolumeType, wanted: Wanted, options: Mapping[str, str]) -> Family:
    """The cheapest volume of one family."""
    try:
        sold = grid(kind.name, {**options, "size": f"{wanted.size_bytes}B"})
        largest = sold.shape([axis.values[-1] for axis in sold.axes])
    except UsageError as error:
        return Family(kind, Standing.FAILS, str(error))
    if missing := _missing(sold.least, largest, wanted):
        return Family(kind, Standing.UNKNOWN, missing)
    if why := wanted.own_latency(sold.least):
        return Family(kind, Standing.FAILS, why)
    wanted = replace(wanted, _tried={})
    point = _small(sold, wanted) if wanted.operations <= SMALL else _large(sold, wanted)
    if point is None:
        why = wanted.too_little(largest) or next(iter(wanted.tried(largest)[1].reasons), "its limits are too low")
        return Family(kind, Standing.FAILS, why, largest)
    return _carrying(sold, point, wanted)


def _small(sold: Grid, wanted: Wanted) -> tuple[int, ...] | None:
    """Every volume that may be enough is simulated."""
    return cheapest(sold, Need(lambda shape: wanted.too_little(shape) is None, wanted.enough, wanted.price))


def _large(sold: Grid, wanted: Wanted) -> tuple[int, ...] | None:
    """The flow of I/Os finds a volume, and a simulation of all of them confirms it, or asks for a little more."""
    for tighter in TIGHTER:
        asked = wanted.scaled(tighter)
        point = cheapest(sold, Need(asked.likely, asked.likely, wanted.price))
        if point is None:
            return None
        for step in STEPS if tighter == 1 else (0,):
            above = _above(sold, point, step)
            if wanted.enough(sold.shape(above)):
                return above
    return None


def _above(sold: Grid, point: Sequence[int], step: int) -> tuple[int, ...]:
    """The point so many steps above on every axis."""
    places = (axis.values.index(value) + step for axis, value in zip(sold.axes, point, strict=True))
    return tuple(axis.values[min(place, len(axis.values) - 1)] for axis, place in zip(sold.axes, places, strict=True))


def _carrying(sold: Grid, point: Sequence[int], wanted: Wanted) -> Family:
    shape = sold.shape(point)
    money, price = wanted.cost(shape), wanted.price(shape)
    if price is None:
        return Family(sold.kind, Standing.UNKNOWN, _no_price(money), shape)
    done, judged = wanted.tried(shape)
    found = Family(sold.kind, Standing.CARRIES, "", shape, money, price, done, judged)
    below = one_cheaper(sold, point, wanted.price)
    if below is None:
        return found
    why = wanted.too_little(below) or ""
    if not why and wanted.operations <= SMALL:
        why = next(iter(wanted.tried(below)[1].reasons), "")
    return replace(found, cheaper=Cheaper(below, wanted.price(below), why)) if why else found


def _missing(least: VolumeShape, largest: VolumeShape, wanted: Wanted) -> str:
    """What is not published of a family; empty where enough is."""
    if least.limits.iops is None or least.limits.throughput is None:
        return "no published limit"
    if wanted.price(least) is None and wanted.price(largest) is None:
        return _no_price(wanted.cost(largest))
    return ""


def _no_price(money: Cost) -> str:
    return f"no published price of {', '.join(money.unknown)} in {money.region}"
