"""Instance types whose own limits would cap a load."""

from __future__ import annotations

from dataclasses import dataclass

from plimsoll.catalog.instances import instances
from plimsoll.catalog.limits import Limits
from plimsoll.catalog.provider import Provider
from plimsoll.prices.book import price_book
from plimsoll.traces.demand import Demand
from plimsoll.traces.flow import instance_flow

WAITING = 0.001
"""From this share of waiting I/Os on, an instance caps a load."""


@dataclass(frozen=True)
class Machines:
    """The current instance types of a provider under a load."""

    capped: tuple[str, ...]
    """By name."""
    known: int
    cheapest: str | None
    """The cheapest that does not cap it."""
    usd_per_month: float | None
    as_of: str


def machines(provider: Provider, demand: Demand, region: str | None) -> Machines | None:
    """None where no instance types of the provider are known."""
    if provider.instances is None:
        return None
    seen: dict[Limits, bool] = {}
    capped: list[str] = []
    free: list[str] = []
    known = provider.instances("9999-12")
    current = [each for each in known.values() if each.current]
    for each in current:
        limits = each.volume_limits
        if limits not in seen:
            seen[limits] = caps(limits, demand)
        (capped if seen[limits] else free).append(each.name)
    book = price_book()
    place = region or provider.home_region
    prices = {name: price for name in free if (price := book.find(f"instance.{name}", place)) is not None}
    cheapest = min(prices, key=lambda name: prices[name].usd, default=None)
    usd = None if cheapest is None else prices[cheapest].usd * 730
    return Machines(tuple(capped), len(current), cheapest, usd, prices[cheapest].as_of if cheapest else "")


def caps(limits: Limits, demand: Demand) -> bool:
    """Whether the limits of an instance make I/Os of the load wait."""
    found = instance_flow(limits, demand)
    return not found.goes_on or found.share_waiting(0.0) > WAITING


def capped_by(name: str, demand: Demand) -> bool | None:
    """Whether an instance type caps a load; None where it is not known."""
    found = instances().get(name)
    return None if found is None else caps(found.volume_limits, demand)
