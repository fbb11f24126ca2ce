"""The contract of a provider. Each is a folder of `providers/` with `CLOUD` in its `__init__.py`, found by the program.

`rent.py` is the only one that creates and deletes: it writes each `Step` to the ledger, calls `create`, and writes what
came back. So a provider keeps nothing and decides nothing; it speaks one API, and maps its errors once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from plimsoll.clouds.wanted import Rental


@dataclass(frozen=True, kw_only=True)
class Step:
    """One call that creates something; written to the ledger before it is made."""

    kind: str
    """Such as key-pair, security-group, machine, schedule, database."""
    name: str
    """Unique in its rental: m1, db.pg, …"""
    token: str
    """Derived from rental, kind and name: the same call made twice makes one thing."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """What the provider needs to make it, without anything secret; it goes to the ledger."""


@dataclass(frozen=True, kw_only=True)
class Resource:
    """Something that is rented."""

    kind: str
    id: str
    """The provider's, such as i-0abc."""
    region: str
    rental: str = ""
    """The id in its tags; empty where it has none."""
    name: str = ""
    lease_end_ns: int | None = None
    state: str = ""
    """In the provider's words, such as running."""
    per_hour_usd: float | None = None
    """None where no dated price is known."""


@dataclass(frozen=True, kw_only=True)
class PriceLine:
    """One line of a quote or a bill."""

    what: str
    per_hour_usd: float | None
    """None where no dated price is known: then no budget can be kept, and the quote says so."""
    date: str
    """Of the price, as 2025-06."""
    requests_of: str = ""
    """The target whose I/O requests are charged: `per_hour_usd` is the most there can be, the bill counts them."""
    per_million_usd: float | None = None
    """Of those requests."""


@dataclass(frozen=True, kw_only=True)
class Host:
    """A machine that has booted: how it is reached, and what is attached to it."""

    machine: str
    """Name of the `Machine`."""
    id: str
    address: str
    port: int = 22
    user: str
    key_file: Path
    host_keys: tuple[str, ...] = ()
    """Public keys that it must show, as in known_hosts; empty where the provider has not told them yet."""
    zone: str
    volumes: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    """By the provider's id of the volume: target and number of the member; a disk that the machine brings is
    `ephemeral0`, `ephemeral1`, … here, in the kernel's order."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Instance type, image, zone id, limits: for the record of the session."""


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """A managed database that answers."""

    target: str
    id: str
    address: str
    """As a target is written, without a password: mysql://user@host:3306/plimsoll."""
    password_file: Path
    """In the ledger's folder, mode 0600: it goes to the clients' environment, and nowhere else."""
    facts: Mapping[str, Any] = field(default_factory=dict)


class Cloud(Protocol):
    """What a provider does. All calls raise CloudError (`plimsoll.errors`), with what happened and what to do."""

    name: str
    """Of its folder, and the scheme of its targets: `aws:`."""

    def check(self, rental: Rental) -> Sequence[str]:
        """Everything that can be asked before renting: types, zones, quotas, permissions. Warnings; creates nothing.

        Raises UsageError with all reasons why it cannot be rented.
        """

    def unattended(self, rental: Rental) -> str | None:
        """What outlives a killed controller, why, and what a day of it costs; None where everything ends by itself.

        A plan says it on its first line, and only a rental with `unattended` is rented so.
        """

    def prices(self, rental: Rental) -> Sequence[PriceLine]:
        """What an hour of each part costs; no network."""

    def steps(self, rental: Rental) -> Sequence[Step]:
        """What is created, in this order; what can end by itself comes before what it ends."""

    def create(self, rental: Rental, step: Step, folder: Path) -> Resource:
        """Make it, with tags and token; secrets (a private key) go to files of mode 0600 in `folder` only."""

    def find(self, rental: Rental, step: Step) -> Resource | None:
        """What a call with this token has made, where its answer was lost."""

    def hosts(self, rental: Rental, made: Sequence[Resource], folder: Path) -> Sequence[Host]:
        """Wait until the machines run and have addresses."""

    def endpoints(self, rental: Rental, made: Sequence[Resource], folder: Path) -> Sequence[Endpoint]:
        """Wait until the databases answer."""

    def delete(self, resource: Resource) -> None:
        """Ask for its end; nothing happens where it is gone already. In the order that `resources` gives."""

    def resources(self, region: str, rental: str | None = None) -> Sequence[Resource]:
        """Everything with Plimsoll's tags that exists and is not ending, in the order in which it can be deleted."""

    def detach(self, rental: Rental, host: Host, volume: str) -> None:
        """Take a volume off its machine, for `attach`: where disks show no serial, the kernel's list says which it was.

        Returns when the provider says that it is off.
        """

    def attach(self, rental: Rental, host: Host, volume: str) -> None:
        """Put it back, to be deleted with its machine as before; returns when the provider says that it is there."""

    def interrupted(self, rental: Rental, machine: str) -> str | None:
        """Why the provider takes a machine away, such as a spot interruption; None while it stays."""

    def policy(self) -> Mapping[str, Any]:
        """The smallest set of permissions that all this needs, in the provider's format."""
