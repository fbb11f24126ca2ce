"""Which volumes of the catalog would carry a load that was measured somewhere else: of each type the cheapest.

A volume carries a load if it does the same test at the same rate for ever: its limits allow that, and so does its
latency with as many operations in flight. Disks that come with an instance are left out: they have no price.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from plimsoll.catalog.bounds import Bound, Use, sustained
from plimsoll.catalog.shape import VolumeShape
from plimsoll.catalog.volume_type import volume_types
from plimsoll.errors import UsageError
from plimsoll.prices.book import Book, price_book
from plimsoll.prices.cost import SECONDS_PER_MONTH, Cost, cost
from plimsoll.simulation.grid import Grid, grid
from plimsoll.simulation.job import Load
from plimsoll.simulation.lasting import for_ever
from plimsoll.simulation.outcome import simulate
from plimsoll.simulation.search import Need, cheapest
from plimsoll.units import SECOND

DIGITS = 3
"""Significant digits of a rate that a volume has to reach: runs of one disk differ by more than the rest."""
KEPT = 0.98
"""Share of the rate that a volume must reach in simulation, where its limits and its latency allow all of it."""
LATENCY = "its latency"
"""What holds back a volume whose limits would allow the rate."""
PROBE_NS = 5 * SECOND
"""Virtual time in which a volume shows its rate, and one operation at a time its mean latency."""


@dataclass(frozen=True)
class Measured:
    """A load as it was measured: operations of one size, as many in flight as the test had, and their rate."""

    block_bytes: int
    read_share: float
    sequential: bool
    in_flight: int
    data_bytes: int
    """What the volume has to hold at least."""
    per_second: float

    @property
    def use(self) -> Use:
        """As limits see it."""
        return Use(self.block_bytes, self.read_share, self.sequential)

    @property
    def wanted(self) -> float:
        """The rate that a volume has to reach."""
        return float(f"{self.per_second:.{DIGITS}g}")

    @property
    def load(self) -> Load:
        """As a simulation takes it."""
        parts = (self.block_bytes, self.in_flight, None, self.read_share, self.sequential, self.data_bytes)
        return Load("", *parts, seed=1)


@dataclass(frozen=True)
class Carrier:
    """The cheapest volume of a type that carries a load."""

    shape: VolumeShape
    cost: Cost
    bound: Bound | None
    """Its tightest limit for this load."""
    usd_per_month: float | None
    """With the requests of the load, all month, where these are charged; None where a price is missing."""


@dataclass(frozen=True)
class TooSlow:
    """A type of which no volume carries a load."""

    shape: VolumeShape
    """The fastest."""
    per_second: float
    """The most that it does."""
    by: str
    """What holds it back: one of its limits, or LATENCY."""


def carriers(measured: Measured) -> tuple[tuple[Carrier, ...], tuple[TooSlow, ...]]:
    """Those that carry a load, the cheapest first and those without a price last; and those that do not, the fastest
    first. Prices are those of each provider's home region.
    """
    found: list[Carrier] = []
    slow: list[TooSlow] = []
    book = price_book()
    for name in _types():
        each = _of(name, measured, book)
        if isinstance(each, Carrier):
            found.append(each)
        elif each is not None:
            slow.append(each)
    found.sort(key=lambda each: math.inf if each.usd_per_month is None else each.usd_per_month)
    slow.sort(key=lambda each: each.per_second, reverse=True)
    return tuple(found), tuple(slow)


def cheapest_for_all(loads: Sequence[Measured], found: Sequence[Sequence[Carrier]]) -> Carrier | None:
    """The cheapest volume that carries each of several loads, one at a time; None where there is none, or no price.

    `found` are the carriers of each. Its `bound` and price are those for the load whose own cheapest costs the most.
    """
    dearest = max(range(len(loads)), key=lambda place: _price(found[place][0]))
    book = price_book()
    best: Carrier | None = None
    for one in found[dearest]:
        # They are in the order of their price for this load, and cost no less for all.
        if best is not None and _price(best) <= _price(one):
            break
        name = one.shape.type.name
        if all(any(each.shape.type.name == name for each in those) for those in found):
            shape = _least_for_all(name, tuple(loads), book)
            carrier = None if shape is None else _carrier(shape, loads[dearest], book)
            if carrier is not None and _price(carrier) < (math.inf if best is None else _price(best)):
                best = carrier
    return best


def _price(carrier: Carrier) -> float:
    return math.inf if carrier.usd_per_month is None else carrier.usd_per_month


@lru_cache(maxsize=1024)
def _least_for_all(name: str, loads: tuple[Measured, ...], book: Book) -> VolumeShape | None:
    sold = grid(name, {"size": f"{max(each.data_bytes for each in loads)}B"})
    by_latency = {each: _by_latency(sold, each) for each in loads}
    need = Need(
        possible=lambda shape: all(_too_slow(shape, each, by_latency[each]) is None for each in loads),
        enough=lambda shape: all(_reaches(shape, each) for each in loads),
        price=lambda shape: cost(shape, book=book).volume_per_month,
    )
    point = cheapest(sold, need)
    return None if point is None else sold.shape(point)


def as_sold(name: str, measured: Measured) -> Carrier:
    """The least volume of a type that holds the data: what one gets who asks for nothing."""
    return _carrier(grid(name, {"size": f"{measured.data_bytes}B"}).least, measured, price_book())


def _types() -> Sequence[str]:
    """Types that are sold now, and by themselves."""
    return tuple(dict.fromkeys(kind.name for kind in volume_types() if not kind.until and not kind.is_local))


@lru_cache(maxsize=1024)
def _of(name: str, measured: Measured, book: Book) -> Carrier | TooSlow | None:
    """None where no volume of the type holds the data. Several sections and formats ask the same."""
    try:
        sold = grid(name, {"size": f"{measured.data_bytes}B"})
        largest = sold.shape([axis.values[-1] for axis in sold.axes])
    except UsageError:
        return None
    by_latency = _by_latency(sold, measured)
    if (slow := _too_slow(largest, measured, by_latency)) is not None:
        return slow
    need = Need(
        possible=lambda shape: _too_slow(shape, measured, by_latency) is None,
        enough=lambda shape: _reaches(shape, measured),
        price=lambda shape: cost(shape, book=book).volume_per_month,
    )
    point = cheapest(sold, need)
    if point is not None:
        return _carrier(sold.shape(point), measured, book)
    reached = for_ever(largest, measured.load, cost(largest), PROBE_NS).outcome.sustained
    return TooSlow(largest, reached.operations, LATENCY)


def _too_slow(shape: VolumeShape, measured: Measured, by_latency: float) -> TooSlow | None:
    """Whether a limit, or the latency, plainly allows less than is wanted."""
    bound = sustained(shape, measured.use)
    most, by = (by_latency, LATENCY) if bound is None else min((bound.per_second, bound.name), (by_latency, LATENCY))
    # Limits are products of floating-point numbers.
    return TooSlow(shape, most, by) if most * (1 + 1e-9) < measured.wanted else None


def _by_latency(sold: Grid, measured: Measured) -> float:
    """The rate at which so many operations in flight come back from a volume that no limit holds back."""
    spec = {name: value for name, value in sold.least.spec.items() if name not in ("iops", "throughput")}
    alone = replace(measured.load, depth=1, region_bytes=min(measured.data_bytes, sold.least.size_bytes))
    outcome = simulate(replace(sold.least, spec=spec), alone, PROBE_NS, cost(sold.least))
    return measured.in_flight * outcome.rate


def _reaches(shape: VolumeShape, measured: Measured) -> bool:
    return for_ever(shape, measured.load, cost(shape), PROBE_NS).outcome.sustained.operations >= KEPT * measured.wanted


def _carrier(shape: VolumeShape, measured: Measured, book: Book) -> Carrier:
    money = cost(shape, book=book)
    monthly = money.volume_per_month
    if monthly is not None and money.requests is not None:
        monthly += measured.per_second * SECONDS_PER_MONTH / 1e6 * money.requests.usd
    return Carrier(shape, money, sustained(shape, measured.use), monthly)
