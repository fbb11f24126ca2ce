"""Instance types whose own limits would cap a load."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from plimsoll.catalog.instance import Instance
from plimsoll.catalog.limits import Limits
from plimsoll.catalog.shape import VolumeShape
from plimsoll.catalog.volume_type import VolumeType
from plimsoll.prices.book import price_book
from plimsoll.prices.cost import HOURS_PER_MONTH
from plimsoll.traces.advice.families import Family
from plimsoll.traces.advice.wanted import Wanted
from plimsoll.traces.demand import Demand
from plimsoll.traces.flow import instance_flow

WAITING = 0.001
"""From this share of waiting I/Os on, an instance caps a load."""


@dataclass(frozen=True)
class Machines:
    """The current instance types of a provider under a load."""

    capped: tuple[str, ...]
    """By name; in the worst bursts, where there are such."""
    capped_evenly: tuple[str, ...]
    """Those of them that cap it even if its I/Os come evenly."""
    known: int
    """Whose limits for volumes of the type are known."""
    untold: int
    """Of so many more no source says them."""
    cheapest: str | None
    """The cheapest that does not cap it, of those with a price."""
    usd_per_month: float | None
    as_of: str


@dataclass(frozen=True)
class Own:
    """How the instance that there is stands to a load on volumes of a type."""

    name: str
    kind: str
    evenly: bool | None
    """Whether it caps it; None where no source says what it gives to the type."""
    in_bursts: bool | None
    """The same of the worst bursts, the even load where there are none."""


def machines(kind: VolumeType, wanted: Wanted, close: Wanted | None) -> Machines | None:
    """None where no instance types of the provider are known. Both loads are with their headroom."""
    if kind.provider.instances is None:
        return None
    current = [each for each in kind.provider.instances("9999-12").values() if each.current]
    limits = {each.name: each.limits_for(kind.name) for each in current}
    told = {name: found for name, found in limits.items() if found is not None}
    evenly = _capped(told, wanted.demands)
    capped = evenly if close is None else _capped(told, (*wanted.demands, *close.demands))
    book = price_book()
    place = book.region(kind.provider, wanted.region)
    free = [name for name in told if name not in capped]
    prices = {name: price for name in free if (price := book.find(f"instance.{name}", place)) is not None}
    cheapest = min(prices, key=lambda name: prices[name].usd, default=None)
    usd = None if cheapest is None else prices[cheapest].usd * HOURS_PER_MONTH
    as_of = prices[cheapest].as_of if cheapest else ""
    return Machines(capped, evenly, len(told), len(limits) - len(told), cheapest, usd, as_of)


def _capped(told: dict[str, Limits], demands: Sequence[Demand]) -> tuple[str, ...]:
    seen = {limits: caps(limits, demands) for limits in set(told.values())}
    return tuple(name for name, limits in told.items() if seen[limits])


def caps(limits: Limits, demands: Sequence[Demand]) -> bool:
    """Whether the limits of an instance make I/Os of one of the loads wait."""
    found = (instance_flow(limits, each) for each in demands)
    return any(not each.goes_on or each.share_waiting(0.0) > WAITING for each in found)


def own_machine(current: VolumeShape, best: Family | None, wanted: Wanted, close: Wanted | None) -> Own | None:
    """The instance of a volume with what is recommended, where it can have that; else with what it has."""
    machine = current.instance
    if machine is None:
        return None
    kind = current.type if best is None or best.kind.provider.name != machine.provider else best.kind
    evenly = _caps(machine, kind, wanted)
    return Own(machine.name, kind.name, evenly, evenly if close is None else evenly or _caps(machine, kind, close))


def _caps(machine: Instance, kind: VolumeType, wanted: Wanted) -> bool | None:
    limits = machine.limits_for(kind.name)
    return None if limits is None else caps(limits, wanted.demands)
