"""The price book: every known price with its date, source and place, and the user's own on top.

Ours are in the providers' folders, `data/prices.csv` and `prices_*.csv`. A user's file has the same columns and
`provider`; of them `provider`, `region`, `item`, `usd` and `as_of` are needed. Its rows win over ours. An instance's
hour is the item `instance.NAME`.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from plimsoll.catalog import eras
from plimsoll.catalog.provider import Provider, providers
from plimsoll.catalog.tables import names, rows
from plimsoll.errors import UnknownName, UsageError
from plimsoll.location import home

OVERRIDES = "prices.csv"
_NEEDED = ("provider", "region", "item", "usd", "as_of")
_DATE = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?")


@dataclass(frozen=True)
class Price:
    """One price: USD per `unit`, as seen on `as_of`."""

    provider: str
    region: str
    item: str
    """`TYPE.WHAT`, such as `gp3.storage`, `io2.iops.1`, `standard.io`, `instance.m5.large`."""
    unit: str
    usd: float
    since: str
    until: str
    as_of: str
    source: str
    checked: str
    """Number of independent sources, `weak` or `yours`."""


def overrides_path() -> Path:
    """Where the user's own prices are: `$PLIMSOLL_PRICES`, else `prices.csv` in Plimsoll's own folder."""
    chosen = os.environ.get("PLIMSOLL_PRICES")
    return Path(chosen).expanduser() if chosen else home() / OVERRIDES


class Book:
    """Prices in the order in which they are looked up."""

    def __init__(self, prices: Iterator[Price]) -> None:
        self.prices = tuple(prices)
        self._by_item: dict[tuple[str, str], list[Price]] = {}
        self._by_provider: dict[str, set[str]] = {}
        for price in self.prices:
            self._by_provider.setdefault(price.provider, set()).add(price.region)
            self._by_item.setdefault((price.region, price.item), []).append(price)

    def find(self, item: str, region: str, era: str | None = None) -> Price | None:
        """The price that held in `era` (None: now); where only another time's is known, that one: its date says so."""
        known = self._by_item.get((region, item), [])
        month = eras.month(era)
        held = [price for price in known if eras.within(month, price.since, price.until)]
        return next(iter(held or known), None)

    @property
    def regions(self) -> tuple[str, ...]:
        """All regions with a price."""
        return tuple(dict.fromkeys(price.region for price in self.prices))

    def region(self, provider: Provider, chosen: str | None) -> str:
        """The region to look in: the provider's home region if it has no price in the chosen one, another provider's.

        Raises UnknownName for one without any price.
        """
        if chosen is not None and chosen not in self.regions:
            raise UnknownName("region with prices", chosen, self.regions)
        if chosen is None or chosen not in self._by_provider.get(provider.name, ()):
            return provider.home_region
        return chosen


def price_book() -> Book:
    """All prices, the user's first. Raises UsageError for a file of the user's that cannot be read."""
    path = overrides_path()
    if not path.exists() and "PLIMSOLL_PRICES" not in os.environ:
        return _own()
    try:
        found = path.stat()
    except OSError as error:
        raise UsageError(
            f"cannot read your prices in {path}: {error.strerror}; PLIMSOLL_PRICES names the file"
        ) from None
    return _with_users(path, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=1)
def _with_users(path: Path, changed_ns: int, size: int) -> Book:
    """The book while the user's file stays as it is."""
    del changed_ns, size
    return Book(iter((*_users(path), *_own().prices)))


@cache
def _own() -> Book:
    return Book(_committed())


def _committed() -> Iterator[Price]:
    for provider in providers():
        for table in names(provider.package, "prices"):
            for row in rows(provider.package, table):
                yield _price({**row, "provider": provider.name}, row["checked"])


def _price(row: Mapping[str, str], checked: str) -> Price:
    return Price(
        provider=row["provider"],
        region=row["region"],
        item=row["item"],
        unit=row.get("unit") or "",
        usd=float(row["usd"]),
        since=row.get("since") or "",
        until=row.get("until") or "",
        as_of=row["as_of"],
        source=row.get("source") or "your file",
        checked=checked,
    )


def _users(path: Path) -> Iterator[Price]:
    try:
        lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    except OSError as error:
        raise UsageError(
            f"cannot read your prices in {path}: {error.strerror}; PLIMSOLL_PRICES names the file"
        ) from None
    except UnicodeDecodeError:
        raise UsageError(f"cannot read your prices in {path}: it is not text in UTF-8") from None
    reader = csv.DictReader(lines)
    missing = [name for name in _NEEDED if name not in (reader.fieldnames or ())]
    if missing:
        raise UsageError(f"{path}: no column {', '.join(missing)}; a price file needs {', '.join(_NEEDED)}")
    *others, last = sorted(provider.name for provider in providers())
    for number, row in enumerate(reader, start=2):
        try:
            price = _price(row, "yours")
        except (TypeError, ValueError):
            raise UsageError(f"{path}, row {number}: usd must be a number, such as 0.08") from None
        if price.provider not in (*others, last) or not price.usd >= 0 or price.usd == float("inf"):
            raise UsageError(
                f"{path}, row {number}: needs provider {', '.join(others)} or {last} and a price from 0 on"
            )
        if not _DATE.fullmatch(price.as_of or ""):
            raise UsageError(f"{path}, row {number}: a price needs its date: as_of like 2026-07-17 or 2026-07")
        yield price
