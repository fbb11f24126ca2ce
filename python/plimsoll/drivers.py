"""The drivers of databases, as `crates/db/src/drivers` declares them, and the servers that can be started by name."""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from plimsoll import _core, plugins

PRIVATE_SERVERS = "plimsoll.run.servers"
"""Where the private servers lie, one file each."""


@dataclass(frozen=True)
class Driver:
    """One driver; what stands behind a field says `crates/db/src/caps.rs`."""

    name: str
    description: str
    schemes: tuple[str, ...]
    """The usual one first."""
    url: str
    """An example of an address; empty where there is nothing to be addressed."""
    workloads: tuple[str, ...]
    server: bool
    """It has a process of its own; otherwise it is embedded, and works in the client's threads."""
    tls: bool
    passwords: bool
    data: str
    """Embedded: the file or folder that it makes; empty where nothing is kept."""
    folder: bool
    """Embedded: it makes a folder, not a file."""
    durability: Mapping[str, Mapping[str, str]]
    """Embedded: its settings by durability."""
    reason: str | None
    """Why this machine cannot use it."""

    def below(self, folder: str) -> str:
        """Address of an embedded database in a folder."""
        return f"{self.schemes[0]}:{folder}/{self.data}" if self.data else ""


@cache
def drivers() -> Mapping[str, Driver]:
    """All drivers by name."""
    return {row["name"]: _driver(row) for row in json.loads(_core.db_drivers())}


def _driver(row: Mapping[str, Any]) -> Driver:
    return Driver(
        schemes=tuple(scheme for scheme, _ in row["schemes"]),
        workloads=tuple(row["workloads"]),
        durability={each["durability"]: dict(each["settings"]) for each in row["durability"]},
        **{
            name: row[name]
            for name in ("name", "description", "url", "server", "tls", "passwords", "data", "folder", "reason")
        },
    )


@cache
def by_scheme() -> Mapping[str, Driver]:
    """The driver of each scheme."""
    return {scheme: driver for driver in drivers().values() for scheme in driver.schemes}


def embedded() -> tuple[str, ...]:
    """Names of the databases without a process of their own."""
    return tuple(name for name, driver in drivers().items() if not driver.server)


def servers() -> tuple[str, ...]:
    """What can be started on a directory: the private servers, then the embedded databases."""
    return (*plugins.names(PRIVATE_SERVERS), *embedded())


def server_driver(server: str) -> Driver:
    """The driver of one of `servers`."""
    name = server if server in embedded() else importlib.import_module(f"{PRIVATE_SERVERS}.{server}").DRIVER
    return drivers()[name]


def servers_for(workload: str) -> tuple[str, ...]:
    """Those of `servers` that can carry out a workload."""
    return tuple(server for server in servers() if workload in server_driver(server).workloads)


def server_called(name: str) -> str:
    """One of `servers` by any of the names that it goes by; a name that none has comes back as it is."""
    name = name.strip().lower()
    if name in servers():
        return name
    if name in by_scheme() and not by_scheme()[name].server:
        return by_scheme()[name].name
    private = {module.__name__.rpartition(".")[2]: module for module in plugins.modules(PRIVATE_SERVERS)}
    return next((server for server, module in private.items() if name in module.OTHER_NAMES), name)


def works_in_client(server: str, where: str) -> bool:
    """Whether the database (a plan's `server`, or that of the address `where`) works in the client's own threads."""
    if server != "none":
        return server in embedded()
    driver = by_scheme().get(where.partition(":")[0].lower())
    return driver is not None and not driver.server
