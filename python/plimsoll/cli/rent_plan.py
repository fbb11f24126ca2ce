"""What would be rented: the part of `plimsoll plan` for targets such as aws:gp3,size=500GiB. Nothing is rented."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from plimsoll.clouds.offer import Offer
    from plimsoll.clouds.wanted import Database, Machine


def asked(offer: Offer) -> tuple[list[str], str]:
    """What the provider says before renting, and why it could not be asked; raises UsageError for what it refuses."""
    from plimsoll.errors import CloudError

    try:
        return list(offer.cloud.check(offer.rental)), ""
    except CloudError as error:
        return [], str(error)


def as_json(offer: Offer) -> dict[str, Any]:
    """For programs; USD, nanoseconds."""
    warnings, why_not = asked(offer)
    rental, quote = offer.rental, offer.quote
    return {
        "provider": rental.provider,
        "region": rental.region,
        "machines": [_machine(each) for each in rental.machines],
        "databases": [_database(each) for each in rental.databases],
        "outlives": offer.unattended,
        "prices": [
            {"what": line.what, "usd_per_hour": line.per_hour_usd, "as_of": line.date or None} for line in quote.lines
        ],
        "usd_per_hour": quote.per_hour_usd,
        "allocations": offer.times.allocations,
        "lease_ns": quote.lease_ns,
        "most_usd": quote.most_usd,
        "prices_as_of": quote.dates,
        "budget_usd": quote.budget_usd,
        "refusal": quote.refusal or None,
        "warnings": [*offer.capped, *warnings],
        "not_asked": why_not or None,
    }


def _database(database: Database) -> dict[str, Any]:
    return {
        "target": database.target,
        "engine": database.engine,
        "version": database.version,
        "class": database.type,
        "storage": database.storage,
        "size_bytes": database.size_bytes,
        "iops": database.iops,
        "throughput_bytes_per_s": database.throughput,
        "zone": database.zone,
    }


def _machine(machine: Machine) -> dict[str, Any]:
    return {
        "name": machine.name,
        "type": machine.type,
        "zone": machine.zone,
        "image": machine.image,
        "spot": machine.spot,
        "volumes": [
            {
                "target": disk.target,
                "type": disk.type,
                "size_bytes": disk.size_bytes,
                "iops": disk.iops,
                "throughput_bytes_per_s": disk.throughput,
                "encrypted": disk.encrypted,
                "snapshot": disk.snapshot,
            }
            for disk in machine.disks
        ],
    }


def print_offer(offer: Offer) -> None:
    """For people: a table of all parts with their prices, then what it comes to."""
    import typer

    from plimsoll.cli.output import print_table
    from plimsoll.prices.cost import usd

    rows = [
        {
            "what would be rented": line.what,
            "an hour": "unknown" if line.per_hour_usd is None else usd(line.per_hour_usd),
            "price of": line.date,
        }
        for line in offer.quote.lines
    ]
    print_table(rows, right=("an hour",))
    for sentence in sentences(offer):
        typer.echo(sentence)


def sentences(offer: Offer) -> Iterator[str]:
    """What it comes to, and what stands against it."""
    from plimsoll.prices.cost import usd
    from plimsoll.units import format_duration

    rental, quote, times = offer.rental, offer.quote, offer.times
    zones = ", ".join(dict.fromkeys(each.zone for each in rental.machines if each.zone))
    where = f"{rental.provider}, {rental.region}, {f'zone {zones}' if zones else 'one zone that the provider chooses'}"
    lease = format_duration(quote.lease_ns)
    afresh = f", rented afresh up to {times.allocations} times, one after the other" if times.allocations > 1 else ""
    yield f"rented in {where}{afresh}"
    if quote.per_hour_usd is None or quote.most_usd is None:
        yield f"lease: {lease} at most; everything ends by itself then"
    else:
        dated = f"prices as of {quote.dates}, without taxes and discounts"
        budget = f", within the budget of {usd(quote.budget_usd)}" if quote.budget_usd and not quote.refusal else ""
        yield (
            f"lease: {lease} at most, when everything ends by itself; {usd(quote.per_hour_usd)} an hour, so "
            f"{usd(quote.most_usd)} at most{budget} ({dated})"
        )
    yield from offer.capped
    warnings, why_not = asked(offer)
    yield from warnings
    yield f"quotas and permissions: not asked ({why_not})" if why_not else "quotas and permissions: asked"
    if quote.refusal:
        yield f"`plimsoll run` would refuse: {quote.refusal}"
    yield "nothing was rented"
