"""What a managed database costs: its machine by the hour, its storage by the month."""

from __future__ import annotations

from plimsoll.catalog.databases import DatabaseShape
from plimsoll.prices.book import Book, price_book
from plimsoll.prices.cost import Cost, Line


def database_cost(shape: DatabaseShape, region: str | None = None, book: Book | None = None) -> Cost:
    """What a database costs in a region.

    A region without any price of databases has none: another region's would be a wrong total.
    """
    prices = book or price_book()
    place = region or shape.provider.home_region
    lines: list[Line] = []
    unknown: list[str] = []
    parts = [(charge.what, charge.item, charge.quantity) for charge in shape.storage.charges(shape.asked)]
    for what, item, quantity in (("instance", f"database.{shape.engine}.{shape.class_name}", 1.0), *parts):
        price = prices.find(item, place)
        if price is None:
            unknown.append(item)
        else:
            lines.append(Line(what, quantity, price))
    return Cost(place, tuple(lines), None, tuple(unknown))
