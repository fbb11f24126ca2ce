"""What is rented now, as the provider lists it, and what is known of it here."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from pydantic import TypeAdapter, ValidationError

from plimsoll.catalog.provider import providers
from plimsoll.clouds import finding, ledger
from plimsoll.clouds.provider import Resource
from plimsoll.clouds.quote import per_hour_usd
from plimsoll.clouds.wanted import Rental
from plimsoll.location import home
from plimsoll.prices.cost import usd

_RENTAL = TypeAdapter(Rental)


@dataclass(frozen=True)
class Listed:
    """Something that is rented."""

    resource: Resource
    per_hour_usd: float | None
    here: str
    """`this machine` where it is on record here, else `another machine`."""


@dataclass(frozen=True)
class Found:
    """The answer of all regions that were asked."""

    regions: list[str]
    rows: list[Listed]
    sentences: list[str]
    """What each rental on record here costs, and what a record says that no region lists."""


def listed(provider: str, region: str | None) -> Found:
    """Everything with our tags in the regions. Raises CloudError, UnknownName, UsageError."""
    cloud, known = finding.cloud(provider), {each.id: each for each in recorded() if each.provider == provider}
    asked = regions(provider, region)
    rows = [
        Listed(each, each.per_hour_usd, "this machine" if each.rental in known else "another machine")
        for place in asked
        for each in cloud.resources(place)
    ]
    sentences = []
    for rental in known.values():
        if rental.region not in asked:
            continue
        hourly = per_hour_usd(cloud.prices(rental))
        costs = "costs what is not known" if hourly is None else f"costs {usd(hourly)} an hour"
        if any(row.resource.rental == rental.id for row in rows):
            sentences.append(f"rental {rental.id} {costs}")
        else:
            sentences.append(
                f"rental {rental.id} is on record here, and {rental.region} lists nothing of it: it is just being "
                "made or given back, or `plimsoll cloud sweep` removes the record"
            )
    return Found(asked, rows, sentences)


def regions(provider: str, region: str | None) -> list[str]:
    """The regions to ask."""
    if region is not None:
        return [region]
    own = [each.home_region for each in providers() if each.name == provider]
    return list(dict.fromkeys([*own, *(each.region for each in recorded() if each.provider == provider)]))


def recorded() -> Iterator[Rental]:
    """The rentals on record here, those of other commands too; read without taking them over."""
    for name in ledger.ids():
        faults = suppress(OSError, ValueError, KeyError, ValidationError)
        with faults, (home() / "clouds" / name / ledger.FILE).open() as lines:
            yield _RENTAL.validate_python(json.loads(next(lines, ""))["rental"])
