"""What is known of each provider's families: limits, limits of machines, prices; and which may be recommended.

A volume is recommended only where its limits have a source and every part of its bill a price. What a provider sells
and is not here stands in its `unknown`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from plimsoll.catalog.eras import NOW
from plimsoll.catalog.latencies import latencies
from plimsoll.catalog.provider import Provider, providers
from plimsoll.catalog.provisioned import ProvisionedIops
from plimsoll.catalog.volume_type import Provisioned, VolumeType, volume_types
from plimsoll.prices.book import Book, price_book

SIZES_TRIED = 64
"""Of what is sold in sizes, from the smallest on; lists of sizes are shorter."""


@dataclass(frozen=True)
class Covered:
    """What is known of one family."""

    provider: str
    family: str
    state: str
    """`known`, `partly` where some of its sizes or parts have no price, or `unknown`."""
    limits: str
    """The document that they are from; empty where they are not known."""
    machines: int
    """Machine types whose limit for it is known."""
    latency: str
    """`measured`, `assumed` or both."""
    priced: int
    """Items of its bill with a price."""
    items: int
    as_of: str
    """The oldest price."""
    missing: str
    """What no source has given."""


def coverage(book: Book | None = None) -> list[Covered]:
    """Every family that is sold today, by provider: those that are here first."""
    found = book or price_book()
    return [row for provider in providers() for row in _of(provider, found)]


def _of(provider: Provider, book: Book) -> Iterator[Covered]:
    machines = provider.instances(NOW).values() if provider.instances else ()
    for kind in volume_types():
        if kind.provider.name == provider.name and not kind.until:
            yield _family(kind, book, sum(each.limits_for(kind.name) is not None for each in machines))
    for name, why in provider.unknown.items():
        yield Covered(provider.name, name, "unknown", "", 0, "", 0, 0, "", why)


def _family(kind: VolumeType, book: Book, machines: int) -> Covered:
    facts = latencies(kind.provider.name)
    basis = sorted({facts[kind.latency, each].basis for each in ("read", "write")}, reverse=True)
    items = tuple(dict.fromkeys(_items(kind)))
    prices = {item: book.find(item, kind.provider.home_region) for item in items}
    without = [item for item, price in prices.items() if price is None]
    return Covered(
        provider=kind.provider.name,
        family=kind.name,
        state=_state(kind, items, without),
        limits=kind.provider.documents[kind.source],
        machines=machines,
        latency=" and ".join(basis),
        priced=len(items) - len(without),
        items=len(items),
        as_of=min((price.as_of for price in prices.values() if price is not None), default=""),
        missing=f"no price of {', '.join(item.partition('.')[2] for item in without)}" if without else "",
    )


def _state(kind: VolumeType, items: Sequence[str], without: Sequence[str]) -> str:
    """Without a price of its storage, where that is one item, no volume of a type has a bill."""
    if not without:
        return "known"
    return "unknown" if len(without) == len(items) or f"{kind.name}.storage" in without else "partly"


def _items(kind: VolumeType) -> Iterator[str]:
    """The items of the bills of its smallest and largest volumes, and of each size of a list."""
    low, high = kind.min_gib or 1, kind.max_gib or 1
    sizes = (low, *kind.sizes(low)[:SIZES_TRIED], high)
    choices: list[tuple[int | None, float | None]] = [(None, None)]
    if isinstance(kind, ProvisionedIops):
        most = kind.throughput_max if "throughput" in kind.chosen else None
        choices = [(kind.iops_max, most)]
    for gib in dict.fromkeys(sizes):
        for iops, throughput in choices:
            asked = Provisioned(gib, iops, throughput, None, kind.name)
            yield from (charge.item for charge in kind.charges(asked))
