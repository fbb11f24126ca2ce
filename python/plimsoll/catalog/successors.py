"""What is rented in place of what a provider no longer sells: from the providers' `data/successors.csv`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from plimsoll.catalog.provider import PLACE
from plimsoll.catalog.tables import names, rows


@dataclass(frozen=True)
class Successor:
    """One row: what, and why."""

    name: str
    because: str


@cache
def successors(provider: str) -> dict[tuple[str, str], Successor]:
    """By kind and old name; empty for a provider that has no such table."""
    package = f"{PLACE}.{provider}"
    if not names(package, "successors"):
        return {}
    return {
        (row["kind"], row["name"]): Successor(row["successor"], row["because"]) for row in rows(package, "successors")
    }
