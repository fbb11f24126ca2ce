"""A managed database as people write it: `mysql,class=db.m6g.large,storage=io1,size=200GiB,iops=1000`.

Its storage is not sold as volumes are: baselines, ranges and prices are its own, and are in the `databases.py` of the
provider's folder. Its class is an instance type with a prefix, whose limits hold for it as well.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast

from plimsoll.catalog.instance import Instance
from plimsoll.catalog.instances import instances
from plimsoll.catalog.limits import Limits
from plimsoll.catalog.options import read_options
from plimsoll.catalog.provider import Provider, providers
from plimsoll.catalog.shape import throughput_in
from plimsoll.catalog.volume_type import Provisioned, VolumeType
from plimsoll.errors import UnknownName, UsageError
from plimsoll.parameter import Parameter, read_plain, read_text
from plimsoll.units import GIB, MIB, exact_size, parse_count, parse_size

Engine = Literal["mysql", "mariadb", "postgres"]
ENGINES: Mapping[str, tuple[Engine, str, int]] = {
    "mysql": ("mysql", "mysql", 3306),
    "mariadb": ("mariadb", "mysql", 3306),
    "postgres": ("postgres", "postgresql", 5432),
    "postgresql": ("postgres", "postgresql", 5432),
}
"""By the name that people write: the provider's own, the scheme of the driver that speaks to it, and its port."""
TITLES: Mapping[Engine, str] = {"mysql": "MySQL", "mariadb": "MariaDB", "postgres": "PostgreSQL"}
CLASS_PREFIX = "db."
OPTIONS: Mapping[str, Parameter] = {
    each.name: each
    for each in (
        Parameter("class", None, read_text, "class of the database's machine, such as db.m6g.large"),
        Parameter("storage", None, read_text, "type of its storage, such as gp3, io1 or io2"),
        Parameter("size", None, parse_size, "size of its storage, whole GiB"),
        Parameter("iops", None, parse_count, "provisioned IOPS, where the storage takes them"),
        Parameter("throughput", None, read_plain, "provisioned throughput, such as 750MiB"),
        Parameter("version", None, read_plain, "of the database; without it, the provider's default"),
        Parameter("zone", None, read_text, "availability zone, such as us-east-1a; that of its clients"),
    )
}
"""What a managed database is written with, after its engine."""


@dataclass(frozen=True)
class AskedOfDatabase(Provisioned):
    """What somebody asks for of a database's storage."""

    engine: Engine = "mysql"


@dataclass(frozen=True, kw_only=True)
class DatabaseShape:
    """A managed database with its numbers."""

    provider: Provider
    engine: Engine
    version: str | None
    instance: Instance
    storage: VolumeType
    asked: AskedOfDatabase
    limits: Limits
    """Of its storage."""
    zone: str | None

    @property
    def class_name(self) -> str:
        """`db.m6g.large`."""
        return CLASS_PREFIX + self.instance.name

    @property
    def storage_name(self) -> str:
        """As the provider calls it, such as io1."""
        return self.storage.name.partition("-")[2]

    @property
    def summary(self) -> str:
        """`MySQL on db.m6g.large, io1 200 GiB, 1,000 IOPS, 250 MiB/s`."""
        iops, rate = self.limits.iops, self.limits.throughput
        parts = [f"{TITLES[self.engine]} on {self.class_name}", f"{self.storage_name} {self.asked.size_gib:,.0f} GiB"]
        parts += [f"{iops.sustained:,} IOPS" + (f" (burst {iops.rate:,})" if iops.baseline else "")] if iops else []
        parts += [f"{rate.sustained / MIB:,.0f} MiB/s"] if rate else []
        return ", ".join(parts)

    @property
    def capped(self) -> str | None:
        """That the class sustains less than its storage; None where it gives all."""
        own, given = self.limits.iops, self.instance.volume_limits.iops
        if own is None or given is None or given.sustained >= own.sustained:
            return None
        return f"{self.class_name} sustains {given.sustained:,} IOPS, fewer than the {own.sustained:,} of its storage"


def database_scheme(provider: Provider) -> str:
    """`aws-rds:`."""
    return f"{provider.name}-{provider.database_service}:"


def database_provider(where: str) -> Provider | None:
    """Whose managed database a place is; None for every other place."""
    sold = (each for each in providers() if each.database_service)
    return next((each for each in sold if where.startswith(database_scheme(each))), None)


def database_storage(provider: Provider) -> tuple[VolumeType, ...]:
    """The types of storage for databases, also those that are no longer sold."""
    found = importlib.import_module(f"{provider.package}.databases").STORAGE
    return tuple(replace(cast(VolumeType, each), provider=provider) for each in found)


def database_shape(provider: Provider, engine: str, options: Mapping[str, str], where: str) -> DatabaseShape:
    """The database written as options; raises UnknownName and UsageError for what is not sold."""
    if engine not in ENGINES:
        raise UnknownName("database engine", engine, ENGINES, where)
    given = read_options(OPTIONS, options, where, "option of a database")
    _check_complete(given, where)
    name = ENGINES[engine][0]
    machine = _machine(given["class"], provider, where)
    storage = _storage(given["storage"], provider, where)
    size = given["size"]
    if size % GIB:
        raise UsageError(f"{where}: a database's storage is sold in whole GiB, not {exact_size(size)}")
    throughput = throughput_in(given, storage, where)
    asked = AskedOfDatabase(size / GIB, given.get("iops"), throughput, machine, where, name)
    return DatabaseShape(
        provider=provider,
        engine=name,
        version=given.get("version"),
        instance=machine,
        storage=storage,
        asked=asked,
        limits=storage.limits(asked),
        zone=given.get("zone"),
    )


def _check_complete(given: Mapping[str, object], where: str) -> None:
    missing = [name for name in ("class", "storage", "size") if name not in given]
    if missing:
        example = "mysql,class=db.m6g.large,storage=io1,size=200GiB,iops=1000"
        raise UsageError(f"{where}: a database needs {', '.join(f'{name}=…' for name in missing)}; such as {example}")


def _machine(text: str, provider: Provider, where: str) -> Instance:
    known = {CLASS_PREFIX + name: each for name, each in instances().items() if each.provider == provider.name}
    if CLASS_PREFIX + text in known:
        raise UsageError(f"{where}: class={text} is a machine; a database's class is {CLASS_PREFIX}{text}")
    if text not in known:
        raise UnknownName("database class", text, known, where)
    return known[text]


def _storage(text: str, provider: Provider, where: str) -> VolumeType:
    kinds = {each.name.partition("-")[2]: each for each in database_storage(provider)}
    if text not in kinds:
        raise UnknownName("storage of databases", text, [name for name, each in kinds.items() if not each.until], where)
    if kinds[text].until:
        instead = " or ".join(successors(provider, text))
        raise UsageError(f"{where}: {kinds[text].title} is no longer sold; take {instead}")
    return kinds[text]


def successors(provider: Provider, storage: str) -> Sequence[str]:
    """What is rented instead of storage that is no longer sold."""
    found: Mapping[str, Sequence[str]] = importlib.import_module(f"{provider.package}.databases").SUCCESSORS
    return found.get(storage, ())
