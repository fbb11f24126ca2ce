"""Managed databases of a rental: what is written as a target, what is rented, and what is measured.

    db=aws-rds:mysql,class=db.m6g.large,…   →  Database (wanted.py)  →  Endpoint  →  @*:mysql://plimsoll@host:3306/plimsoll

The password is in a file of the ledger's folder; it goes to the clients' environment and nowhere else.
"""

from __future__ import annotations

import math
import os
import secrets
from collections.abc import Sequence
from pathlib import Path

from plimsoll.catalog.databases import DatabaseShape, database_shape
from plimsoll.catalog.provider import providers
from plimsoll.clouds.wanted import Database
from plimsoll.model import Target
from plimsoll.prices.cost import Cost
from plimsoll.prices.databases import database_cost
from plimsoll.targets.rented_database import is_rented_database, rented_shape
from plimsoll.units import GIB

PASSWORD_FILE = "database-password"


def wanted(targets: Sequence[Target]) -> tuple[Database, ...]:
    """What the database targets of a study rent. Raises UsageError, UnknownName."""
    return tuple(_wanted(target.name, rented_shape(target)) for target in targets if is_rented_database(target))


def _wanted(target: str, shape: DatabaseShape) -> Database:
    chosen = shape.storage.chosen
    rate = shape.limits.throughput if "throughput" in chosen and shape.asked.throughput is not None else None
    return Database(
        target=target,
        engine=shape.engine,
        version=shape.version,
        type=shape.class_name,
        storage=shape.storage_name,
        size_bytes=math.ceil(shape.asked.size_gib) * GIB,
        iops=shape.asked.iops,
        throughput=rate.rate if rate is not None else None,
        zone=shape.zone,
    )


def shape_of(provider: str, database: Database) -> DatabaseShape:
    """A wanted database with its numbers."""
    sold_by = next(each for each in providers() if each.name == provider)
    given = {"iops": database.iops, "throughput": database.throughput and f"{database.throughput}B"}
    own = {"class": database.type, "storage": database.storage, "size": f"{database.size_bytes}B"}
    own |= {name: str(value) for name, value in given.items() if value is not None}
    own |= {"version": database.version} if database.version else {}
    return database_shape(sold_by, database.engine, own, f"target {database.target}")


def cost_of(provider: str, database: Database, region: str) -> Cost:
    """What a wanted database costs."""
    return database_cost(shape_of(provider, database), region)


def password(folder: Path) -> str:
    """The password of a rental's databases; made once, in a file that is whole and on the disk before it is used."""
    file = folder / PASSWORD_FILE
    if not file.exists():
        draft = file.with_suffix(".part")
        draft.unlink(missing_ok=True)
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as written:
            written.write(secrets.token_urlsafe(24))
            written.flush()
            os.fsync(written.fileno())
        draft.rename(file)
    return file.read_text()
