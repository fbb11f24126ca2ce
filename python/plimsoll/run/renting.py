"""How the rented targets of a study are rented: the table `[rent]` of a study file, and options of the command line.

[rent]
instance = "m7i.large"       # where a target names none
region = "us-east-1"
zone = "us-east-1a"          # leave out for one that the provider chooses
image = "ami-0abc"           # by id or public parameter; leave out for the provider's default
spot = true
allocations = 5              # how often everything is rented afresh, at most
budget = "5USD"
lease = "2h"                 # everything ends by itself then
clients_on = "aws:m7i.large,count=8"     # machines that are the clients of a rented database
accept_unattended = true     # also what cannot end by itself, such as a database
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from plimsoll.errors import UnknownName, UsageError
from plimsoll.units import exact_duration, exact_number, parse_count, parse_duration

KEY = "rent"
MOST_ALLOCATIONS = 20
"""As many as there are looks for."""
_USD = re.compile(r"\$?\s*(\d{1,9}(?:\.\d+)?)\s*(?:usd|\$)?", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Renting:
    """What was said about renting; nothing where nothing was."""

    instance: str | None = None
    region: str | None = None
    zone: str | None = None
    image: str | None = None
    spot: bool = False
    allocations: int = 1
    budget_usd: float | None = None
    lease_ns: int | None = None
    clients_on: str | None = None
    accept_unattended: bool = False

    def __post_init__(self) -> None:
        """Refuse what cannot be meant; raises UsageError."""
        if not 1 <= self.allocations <= MOST_ALLOCATIONS:
            raise UsageError(f"allocations = {self.allocations}: must be 1 to {MOST_ALLOCATIONS}")
        if self.lease_ns is not None and self.lease_ns <= 0:
            raise UsageError("a lease must be above zero, such as 2h")
        if self.budget_usd is not None and not 0 < self.budget_usd < math.inf:
            raise UsageError("a budget must be above zero, such as 5USD")

    @property
    def said(self) -> list[str]:
        """Names of the options that were given, as typed."""
        given = [each.name for each in fields(self) if getattr(self, each.name) != each.default]
        return [f"--{_WRITTEN.get(name, name).replace('_', '-')}" for name in given]

    def to_table(self) -> dict[str, Any]:
        """As a study file has it; `renting_from` reads it back."""
        found: dict[str, Any] = {}
        for each in fields(self):
            value = getattr(self, each.name)
            if value != each.default:
                found[_WRITTEN.get(each.name, each.name)] = _write(each.name, value)
        return found


_WRITTEN = {"budget_usd": "budget", "lease_ns": "lease"}


def _write(name: str, value: Any) -> Any:
    if name == "budget_usd":
        return f"{exact_number(value)}USD"
    return exact_duration(value) if name == "lease_ns" else value


def read_usd(text: str | float) -> float:
    """`5USD`, `$5`, `5`; raises UsageError."""
    found = _USD.fullmatch(str(text).strip())
    if found is None:
        raise UsageError(f"{text!r} is not an amount; write it like 5USD")
    return float(found[1])


def renting_of(given: Mapping[str, Any]) -> Renting:
    """What was said, in the words of a study file or of the command line; raises UsageError."""
    known = {_WRITTEN.get(each.name, each.name) for each in fields(Renting)}
    for name in given:
        if name not in known:
            raise UnknownName("key", name, known, KEY)
    read = {"budget": ("budget_usd", read_usd), "lease": ("lease_ns", parse_duration)}
    found: dict[str, Any] = {}
    for name, value in given.items():
        written, reader = read.get(name, (name, _as_declared(name)))
        found[written] = reader(value)
    return Renting(**found)


def _as_declared(name: str) -> Any:
    if name == "allocations":
        return parse_count
    return _truth(name) if name in ("spot", "accept_unattended") else _text(name)


def _truth(name: str) -> Any:
    def read(value: object) -> bool:
        if not isinstance(value, bool):
            raise UsageError(f"{KEY}: {name} = {value!r} is neither true nor false")
        return value

    return read


def _text(name: str) -> Any:
    def read(value: object) -> str:
        if not isinstance(value, str) or not value.strip():
            raise UsageError(f"{KEY}: {name} = {value!r} is not text")
        return value.strip()

    return read
