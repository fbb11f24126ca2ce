"""The providers: each is a folder of `providers/`, found by the program.

A folder has `PROVIDER` in its `__init__.py`, the volume types in `volumes/`, one file each or one for a family
(`TYPES`), and in `data/` the tables `latencies.csv` and `prices.csv`, `prices_*.csv`. The storage of managed databases,
if there are any, is in `databases.py` (`STORAGE`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Literal

from plimsoll import plugins
from plimsoll.catalog.instance import Instance

PLACE = "plimsoll.catalog.providers"
"""The package whose folders are the providers."""


@dataclass(frozen=True, kw_only=True)
class Provider:
    """Who sells volumes, as its folder declares it."""

    home_region: str
    """The region whose prices are taken where none is named."""
    documents: Mapping[str, str]
    """Titles of what its limits are taken from, by the word that the types have as their `source`."""
    throughput_unit: Literal["MiB/s", "MB/s"] = "MiB/s"
    """In which throughput is provisioned and written."""
    instances: Callable[[str], Mapping[str, Instance]] | None = None
    """Its instance types by name, as they were in a month (`eras.month`); None where none are known."""
    unknown: Mapping[str, str] = field(default_factory=dict)
    """What it sells and is not here, by name, and which figure no source has given: never recommended."""
    title: str = ""
    """What people call it; the name where it is left out."""
    database_service: str = ""
    """Its managed databases, `rds`: targets `NAME-SERVICE:…`, storage in `databases.py`; empty where none are known."""
    name: str = ""
    """That of its folder."""

    @property
    def package(self) -> str:
        """The package that its folder is."""
        return f"{PLACE}.{self.name}"

    @property
    def throughput_unit_bytes(self) -> int:
        """Bytes per second in the unit of throughput."""
        return 10**6 if self.throughput_unit == "MB/s" else 2**20


NOBODY = Provider(home_region="", documents={})
"""Of a type before its folder is known."""


@cache
def providers() -> tuple[Provider, ...]:
    """All providers by name."""
    found = ((each.PROVIDER, each.__name__.rsplit(".", 1)[-1]) for each in plugins.modules(PLACE))
    return tuple(replace(each, name=name, title=each.title or name) for each, name in found)
