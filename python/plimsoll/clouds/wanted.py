"""What a session shall rent: records without any provider's words, made and checked before anything is rented."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class Disk:
    """One volume of a machine."""

    target: str
    """Name of the target that it is measured as."""
    member: int = 0
    """Its number in an array; 0 where it is alone."""
    type: str
    """As in the catalog, such as gp3; `instance-store` is a disk that the machine brings."""
    size_bytes: int
    iops: int | None = None
    """Provisioned; None where the type has none to choose, or its default is meant."""
    throughput: int | None = None
    """Bytes per second, provisioned; None as for `iops`."""
    encrypted: bool = False
    snapshot: str | None = None
    """What it is made from; its blocks are slow at their first touch."""


@dataclass(frozen=True, kw_only=True)
class Layout:
    """What is made of the disks of a target, on its machine."""

    target: str
    raid: int | None = None
    """Level of md; None where the target is one disk."""
    chunk_bytes: int = 256 << 10
    file_system: str | None = None
    """None where the device itself is measured."""
    mount_options: str = ""
    """As for `mount -o`, such as noatime."""


@dataclass(frozen=True, kw_only=True)
class Machine:
    """One instance with its volumes."""

    name: str
    """Of the worker: `m1`, `m2`, … for machines with targets, `client1`, … for clients."""
    type: str
    """Such as m7i.large."""
    disks: tuple[Disk, ...] = ()
    image: str | None = None
    """Id or public parameter; None is the provider's default."""
    zone: str | None = None
    spot: bool = False


@dataclass(frozen=True, kw_only=True)
class Database:
    """One managed database."""

    target: str
    engine: Literal["mysql", "mariadb", "postgres"]
    version: str | None = None
    """None is the newest that the provider offers."""
    type: str
    """Its class, such as db.m6g.large."""
    storage: str
    """Its storage type, such as io1."""
    size_bytes: int
    iops: int | None = None
    throughput: int | None = None
    zone: str | None = None


@dataclass(frozen=True, kw_only=True)
class Rental:
    """Everything that one allocation of a session rents."""

    id: str
    """Of the rental: 8 hexadecimal digits; its resources' tags and tokens hold it."""
    provider: str
    region: str
    machines: tuple[Machine, ...] = ()
    databases: tuple[Database, ...] = ()
    layouts: tuple[Layout, ...] = ()
    """Of the targets that are more than one bare disk."""
    lease_end_ns: int
    """Nanoseconds since 1970: what is rented ends then by itself."""
    from_address: str
    """The only address that may reach its machines, such as 203.0.113.7/32."""
    unattended: bool = False
    """The user accepts that a database outlives a killed controller where it cannot be given an end of its own."""
    tags: dict[str, str] = field(default_factory=dict)
    """What the user wants on everything beside Plimsoll's own tags."""
