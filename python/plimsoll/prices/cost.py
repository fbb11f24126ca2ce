"""What a volume costs: per month, per million operations, and for the time of a session.

Months are 730 hours, as in the providers' own examples. Volumes are billed by the second with a minimum of a minute,
instances likewise. Where a price is not known the cost says so: a total without a part is no total.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from plimsoll.catalog.shape import VolumeShape
from plimsoll.errors import UnknownName
from plimsoll.model import Target
from plimsoll.prices.book import Book, Price, price_book
from plimsoll.units import exact_number

HOURS_PER_MONTH = 730
SECONDS_PER_MONTH = HOURS_PER_MONTH * 3600
LEAST_SECONDS = 60


@dataclass(frozen=True)
class Line:
    """One part of a bill: so much of an item at its price."""

    what: str
    """`storage`, `iops`, `throughput` or `instance`."""
    quantity: float
    price: Price

    @property
    def usd_per_month(self) -> float:
        """An instance is priced by the hour, everything else by the month."""
        hours = HOURS_PER_MONTH if self.price.unit == "hour" else 1
        return self.quantity * self.price.usd * hours

    @property
    def text(self) -> str:
        """`100 GiB-month × $0.08`."""
        unit = self.price.unit.removesuffix("-month")
        return f"{self.quantity:,.10g} {unit} × ${exact_number(self.price.usd)}"


@dataclass(frozen=True)
class Cost:
    """What a shape costs in a region."""

    region: str
    lines: tuple[Line, ...]
    requests: Price | None
    """Price of a million requests, where they are charged."""
    unknown: tuple[str, ...]
    """Items that no price is known for."""

    @property
    def complete(self) -> bool:
        """Whether every part has a price."""
        return bool(self.lines) and not self.unknown

    @property
    def volume_per_month(self) -> float | None:
        """USD per month of the volumes without the instance and without requests; None if a price is missing.

        Disks of an instance come with it: 0.
        """
        if any(not item.startswith("instance.") for item in self.unknown):
            return None
        return sum(line.usd_per_month for line in self.lines if line.what != "instance")

    @property
    def instance_per_month(self) -> float | None:
        """USD per month of the instance; None without one or without its price."""
        own = [line.usd_per_month for line in self.lines if line.what == "instance"]
        return own[0] if own else None

    @property
    def per_month(self) -> float | None:
        """USD per month of volumes and instance, without requests; None if a price is missing."""
        return sum(line.usd_per_month for line in self.lines) if self.complete else None

    @property
    def as_of(self) -> str:
        """When the prices were seen: a date, or the range of the dates of all parts."""
        dates = sorted({line.price.as_of for line in self.lines} | ({self.requests.as_of} if self.requests else set()))
        return " to ".join(dict.fromkeys((dates[0], dates[-1]))) if dates else ""

    @property
    def oldest(self) -> str:
        """Date of the oldest price of the volumes, without the instance; empty where there is none."""
        return min((line.price.as_of for line in self.lines if line.what != "instance"), default="")

    @property
    def sources(self) -> tuple[str, ...]:
        """Where the prices come from."""
        parts = [line.price for line in self.lines] + ([self.requests] if self.requests else [])
        return tuple(dict.fromkeys(word for price in parts for word in price.source.split()))

    def of_time(self, seconds: float, requests: float = 0, *, with_instance: bool = True) -> float | None:
        """USD for having everything that long, with so many requests; None if a price is missing."""
        monthly = self.per_month if with_instance else self.volume_per_month
        if monthly is None:
            return None
        asked = requests / 1e6 * self.requests.usd if self.requests else 0.0
        return monthly * max(seconds, LEAST_SECONDS) / SECONDS_PER_MONTH + asked

    def per_million_operations(self, per_second: float) -> float | None:
        """USD per million operations at a sustained rate, all day long: volumes, instance and requests."""
        if self.per_month is None or per_second <= 0:
            return None
        asked = self.requests.usd if self.requests else 0.0
        return self.per_month / (per_second * SECONDS_PER_MONTH) * 1e6 + asked


def cost(shape: VolumeShape, region: str | None = None, book: Book | None = None) -> Cost:
    """What a shape costs; the prices of its era where it names one. Raises UnknownName for an unknown region."""
    prices = book or price_book()
    place = prices.region(shape.type.provider, region)
    lines: list[Line] = []
    unknown: list[str] = []
    for what, item, quantity in _parts(shape):
        price = prices.find(item, place, shape.era)
        if price is None:
            unknown.append(item)
        else:
            lines.append(Line(what, quantity, price))
    requests = prices.find(f"{shape.type.name}.io", place, shape.era)
    return Cost(place, tuple(lines), requests, tuple(unknown))


REGION = "region"
"""The target option that says whose prices hold."""


def read_region(text: str) -> str:
    """A region with prices; raises UnknownName."""
    book = price_book()
    if text not in book.regions:
        raise UnknownName("region with prices", text, book.regions)
    return text


def cost_of(target: Target, shape: VolumeShape) -> Cost:
    """What the volume of a target costs where it is; a region that is not known here counts as none."""
    region = target.options.get(REGION)
    return cost(shape, region if region in price_book().regions else None)


def _parts(shape: VolumeShape) -> Iterator[tuple[str, str, float]]:
    """What is charged by time: (kind, item, quantity)."""
    for charge in shape.type.charges(shape.provisioned):
        yield charge.what, charge.item, shape.members * charge.quantity
    if shape.instance is not None:
        yield "instance", f"instance.{shape.instance.name}", 1


def usd(amount: float) -> str:
    """`$8.00`, `$1,234`, `$0.0042`: as many digits as say something."""
    if amount == 0 or amount >= 1000:
        return f"${amount:,.0f}"
    if amount >= 0.1:
        return f"${amount:.2f}"
    if amount >= 1e-4:
        return f"${amount:.2g}"
    return f"${amount:.{1 - math.floor(math.log10(amount))}f}"
