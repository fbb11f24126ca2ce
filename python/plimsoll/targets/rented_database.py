"""`aws-rds:mysql,class=db.m6g.large,storage=io1,size=200GiB,iops=1000`: a database that is rented for the session.

As with `vol:`, what says how it is belongs to the place, and every other option overrides a parameter of the test.
"""

from __future__ import annotations

from collections.abc import Mapping

from plimsoll.catalog.databases import (
    ENGINES,
    OPTIONS,
    DatabaseShape,
    database_provider,
    database_scheme,
    database_shape,
)
from plimsoll.errors import UsageError
from plimsoll.model import Target

KIND = "rented-database"
USER = NAME = "plimsoll"
"""Of the user, and of the database that is made with the server."""
PASSWORD_ENV = "PLIMSOLL_DATABASE_PASSWORD"
"""Of the clients: the same in every session, so that its plans stay comparable."""
DRIVER_OPTIONS: Mapping[str, Mapping[str, str]] = {"postgresql": {"tls": "require"}}
"""What drivers have to be told: RDS takes only encrypted connections to PostgreSQL (rds.force_ssl)."""


def is_rented_database(target: Target) -> bool:
    """Whether it is a database that is rented for the session."""
    return target.kind == KIND


def rented_database_target(name: str, where: str, options: Mapping[str, str]) -> Target:
    """The target with all that says what is rented in its place, and nothing else there.

    An option given beside the place replaces the one in it. Raises UsageError.
    """
    scheme, engine, own = _split(where, f"target {name or where!r}")
    own |= {option: value for option, value in options.items() if option in OPTIONS}
    driver = ENGINES[engine][1] if engine in ENGINES else ""
    told = {"password_env": PASSWORD_ENV, **DRIVER_OPTIONS.get(driver, {})}
    return Target(
        name=name or engine,
        kind=KIND,
        where=scheme + ",".join([engine, *(f"{option}={value}" for option, value in own.items())]),
        options=told | {option: value for option, value in options.items() if option not in own},
    )


def planned_address(target: Target) -> str:
    """An address of the kind that it will have. Raises UsageError, UnknownName for what is not sold."""
    return address(rented_shape(target).engine, "rented.invalid", ENGINES[rented_shape(target).engine][2])


def address(engine: str, host: str, port: int) -> str:
    """As a target is written, without a password."""
    return f"{ENGINES[engine][1]}://{USER}@{host}:{port}/{NAME}"


def rented_shape(target: Target) -> DatabaseShape:
    """The database that a target rents; raises UnknownName and UsageError for what is not sold."""
    provider = database_provider(target.where)
    who = f"target {target.name}"
    assert provider is not None  # its kind says so
    _, engine, own = _split(target.where, who)
    return database_shape(provider, engine, own, who)


def _split(where: str, who: str) -> tuple[str, str, dict[str, str]]:
    """Scheme, engine and options: the first word has no `=`, all others have one."""
    provider = database_provider(where)
    assert provider is not None  # whoever calls has looked
    scheme = database_scheme(provider)
    engine, *words = (word.strip() for word in where.removeprefix(scheme).split(","))
    if not engine or "=" in engine:
        raise UsageError(f"{who}: name the engine first, as in {scheme}mysql,class=db.m6g.large,…")
    found: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise UsageError(f"{who}: {word!r} is not an option; write NAME=VALUE, as in size=200GiB")
        if name in found:
            raise UsageError(f"{who}: {name} is given twice; keep one of them")
        found[name] = value.strip()
    return scheme, engine, found
