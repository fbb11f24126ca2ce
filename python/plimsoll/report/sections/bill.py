"""What renting cost: the hours of each part at its dated price, and the I/O requests where those are charged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from plimsoll.model import Session
from plimsoll.prices.cost import LEAST_SECONDS, usd
from plimsoll.report.document import Block, Cell, Table, columns, number, phrase, text
from plimsoll.report.evidence import Evidence
from plimsoll.report.sections.cost import requests_of
from plimsoll.units import HOUR, SECOND, format_duration

ORDER = 24
TITLE = "Bill"
SHORT = True
FACT = "rental"
"""In the host facts of a session (`clouds/bill.py`)."""


@dataclass(frozen=True)
class Rent:
    """The rental of one session."""

    facts: Mapping[str, Any]
    hours: float
    over: bool
    """Whether it is known to have been given back."""


@dataclass
class Item:
    """One part over all rentals."""

    amount: float
    unit: str
    price_usd: float
    date: str

    @property
    def usd(self) -> float:
        """What it comes to."""
        return self.amount * self.price_usd


def build(evidence: Evidence) -> list[Block]:
    """Nothing where nothing was rented."""
    rents = [found for session in evidence.sessions if (found := rent_of(session)) is not None]
    if not rents:
        return []
    items = _items(evidence, rents)
    return [_table(items), text(*_sentences(rents, items))]


def rent_of(session: Session) -> Rent | None:
    """What a session has rented; None where it has not, or where its facts are somebody else's and say nothing."""
    facts = session.host.get(FACT)
    if not isinstance(facts, Mapping):
        return None
    begun_ns, ended_ns = facts.get("begun_ns"), facts.get("ended_ns")
    until_ns = ended_ns if isinstance(ended_ns, int) else session.ended_ns
    if not isinstance(begun_ns, int) or until_ns is None:
        return None
    seconds = max((until_ns - begun_ns) / SECOND, LEAST_SECONDS)
    return Rent(facts, seconds * SECOND / HOUR, isinstance(ended_ns, int))


def _items(evidence: Evidence, rents: Sequence[Rent]) -> dict[str, Item]:
    """By what they are, over all rentals; of requests, those that were counted, once."""
    found: dict[str, Item] = {}
    for rent in rents:
        for line in _lines(rent.facts):
            what = str(line.get("what", ""))
            price, target = line.get("usd_per_hour"), line.get("requests_of")
            if target:
                millions = requests_of(evidence, str(target)) / 1e6
                name = f"{what.partition(':')[0]}: I/O requests"
                found[name] = Item(millions, "million", float(line.get("usd_per_million") or 0), str(line["as_of"]))
            elif isinstance(price, int | float):
                item = found.setdefault(what, Item(0.0, "h", float(price), str(line.get("as_of", ""))))
                item.amount += rent.hours
    return found


def _lines(facts: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    prices = facts.get("prices")
    yield from (each for each in prices if isinstance(each, Mapping)) if isinstance(prices, list) else ()


def _table(items: Mapping[str, Item]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            phrase(what),
            number(item.amount, "1", f"{item.amount:,.3g} {item.unit}"),
            number(item.price_usd, "USD", usd(item.price_usd)),
            phrase(item.date),
            number(item.usd, "USD", usd(item.usd)),
        )
        for what, item in items.items()
    ]
    return Table("What was rented", columns("What", ">Amount", ">$ each", "Price of", ">$"), tuple(rows))


def _sentences(rents: Sequence[Rent], items: Mapping[str, Item]) -> Iterator[str]:
    total = sum(item.usd for item in items.values())
    count = "one rental" if len(rents) == 1 else f"{len(rents)} rentals, one after the other"
    hours = format_duration(sum(rent.hours for rent in rents) * HOUR)
    yield (
        f"Rented for {hours} ({count}): {usd(total)} by these prices, without taxes, discounts and free tiers; the "
        "provider's own bill is the one that counts."
    )
    if any(item.unit == "million" for item in items.values()):
        yield "I/O requests are those counted while it was measured; preparing test files comes on top."
    if not all(rent.over for rent in rents):
        yield "One rental is not known to have been given back; `plimsoll cloud list` shows what there is."
