"""What loads have left in databases: found by the mark that it carries, and removed when its owner says so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from plimsoll.addresses import shown
from plimsoll.declared import DbParameters
from plimsoll.errors import PlimsollError, UsageError
from plimsoll.model import Target
from plimsoll.profile import Entry, cases
from plimsoll.run.outcome import Made
from plimsoll.run.private_server import PrivateServer
from plimsoll.run.workers import databases
from plimsoll.run.workers.databases import DbJob
from plimsoll.run.workloads import db
from plimsoll.targets import database
from plimsoll.targets.lock import lock_address
from plimsoll.targets.parse import parse_target

AT_ONCE = 8
"""Databases that are asked at the same time."""
OPTIONS = ("password_env", "tls", "ca_file", "timeout")
"""What an address may be followed by: how to get in, and for how long to try."""
TIMEOUT = "5s"


@dataclass(frozen=True)
class Left:
    """A table, or all records of a Redis database; `bytes` where the database tells them."""

    where: str
    name: str
    records: int
    bytes: int | None


@dataclass(frozen=True)
class Found:
    """What is in one database, or why that cannot be told."""

    where: str
    left: tuple[Left, ...] = ()
    problem: str = ""


def address(text: str) -> Target:
    """The database written as `ADDRESS[,password_env=NAME,…]`. Raises UsageError or TargetError."""
    target = parse_target(text)
    if target.kind != "database":
        raise UsageError(
            f"{shown(text)!r} is not an address of a database; write it as for --on: postgresql://user@host/database, "
            "mysql://…, redis://…, sqlite:/path/of/file.db or rocksdb:/path/of/folder"
        )
    database.check(target)
    if unknown := [name for name in target.options if name not in OPTIONS]:
        raise UsageError(f"{unknown[0]}= means nothing here; after the address there may be {', '.join(OPTIONS)}")
    return target


def made_at(targets: Iterable[Target]) -> list[Found]:
    """What is in each database, in their order."""
    with ThreadPoolExecutor(max_workers=AT_ONCE, thread_name_prefix="plimsoll-data") as pool:
        return list(pool.map(_look, targets))


def made(target: Target) -> tuple[Left, ...]:
    """What loads have left in a database. Raises TargetError."""
    return _left(target, databases.made(_request(target)))


def drop(target: Target, names: Sequence[str]) -> tuple[Left, ...]:
    """Remove what is called so and carries our mark; nothing where one of them carries none. Raises TargetError."""
    with lock_address(target.where, None):
        return _left(target, databases.drop_made(_request(target), names))


def _look(target: Target) -> Found:
    try:
        return Found(target.where, made(target))
    except PlimsollError as error:
        return Found(target.where, problem=str(error))


def _left(target: Target, rows: Iterable[Made]) -> tuple[Left, ...]:
    return tuple(Left(target.where, row["name"], row["records"], row["bytes"]) for row in rows)


def _request(target: Target) -> DbJob:
    (case,) = cases([Entry("ycsb-a", {"data": "keep", "timeout": TIMEOUT})], {}, "data")
    plan = case.plan({name: target.options[name] for name in OPTIONS if name in target.options}, target.where)
    server = PrivateServer(database.driver(target), database.url(target), plan.values(DbParameters)["password_env"])
    return db.spec(plan, server)
