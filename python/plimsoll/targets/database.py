"""A database address as target: which driver speaks to it, and what is wrong with how it is written."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from plimsoll.errors import TargetError
from plimsoll.model import Target

DRIVERS = {
    "postgresql": "postgresql",
    "postgres": "postgresql",
    "mysql": "mysql",
    "mariadb": "mysql",
    "redis": "redis",
    "http": "http",
    "sqlite": "sqlite",
    "rocksdb": "rocksdb",
    "memory": "memory",
    "null": "null",
}
"""Driver by scheme."""

_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.-]*://|sqlite:|rocksdb:)", re.IGNORECASE)


def is_address(where: str) -> bool:
    """Whether a place is written as an address rather than as a path."""
    return _ADDRESS.match(where) is not None and not where.startswith("vol:")


def host(where: str) -> str | None:
    """The host in an address; None where there is none, or where it is written wrongly, which `check` tells."""
    try:
        return urlsplit(where).hostname
    except ValueError:
        return None


def driver(target: Target) -> str:
    """Name of the driver. Raises TargetError."""
    scheme = target.where.partition(":")[0].lower()
    if scheme not in DRIVERS:
        raise TargetError(
            f"target {target.name}: no driver speaks {scheme}; addresses begin with {', '.join(sorted(DRIVERS))}"
        )
    return DRIVERS[scheme]


def url(target: Target) -> str:
    """The address as its driver takes it; those without a database of their own take none."""
    return "" if driver(target) in ("memory", "null") else target.where


def check(target: Target) -> None:
    """Refuse an unknown scheme, and a password in the address, which would be stored and shown. Raises TargetError."""
    driver(target)
    try:
        password = urlsplit(target.where).password
    except ValueError as error:
        raise TargetError(f"target {target.name}: {error}; write it as postgresql://user@host:port/database") from None
    if password is not None:
        raise TargetError(
            f"target {target.name}: the address holds a password, which would be stored with the results; put it into "
            "an environment variable and name that: password_env=NAME"
        )


def facts(target: Target) -> dict[str, Any]:
    """What an address tells; the server's own facts come with each run."""
    return {"driver": driver(target), "address": target.where}
