"""`--clients-on aws:m7i.large,count=8`: machines that are rented to be the clients of a rented database."""

from __future__ import annotations

from dataclasses import replace

from plimsoll.catalog.databases import database_provider
from plimsoll.catalog.instances import instance
from plimsoll.catalog.provider import providers
from plimsoll.clouds.wanted import Machine
from plimsoll.errors import UnknownName, UsageError
from plimsoll.model import Target
from plimsoll.targets.rented_database import is_rented_database

MOST = 64
"""Client machines of one session: more are a mistake in typing."""
EXAMPLE = "aws:m7i.large,count=4"


def clients(text: str) -> tuple[str, tuple[Machine, ...]]:
    """Provider and machines, client1, client2, …, of `aws:m7i.large,count=4`. Raises UsageError, UnknownName."""
    where = "--clients-on"
    name, colon, rest = text.strip().partition(":")
    kind, *words = (word.strip() for word in rest.split(","))
    if not colon or not kind or "=" in kind:
        raise UsageError(f"{where} {text}: write PROVIDER:INSTANCE,count=N, such as {EXAMPLE}")
    if name not in (known := [each.name for each in providers() if each.database_service]):
        raise UnknownName("provider of databases", name, known, where)
    count = 1
    for word in words:
        option, equals, value = word.partition("=")
        if option != "count" or not equals:
            raise UsageError(f"{where} {text}: {word!r} is not an option; there is count=N, such as {EXAMPLE}")
        if not value.isdigit() or not 1 <= int(value) <= MOST:
            raise UsageError(f"{where} {text}: count={value} must be 1 to {MOST}")
        count = int(value)
    machine = instance(kind, where=where)
    if machine.provider != name:
        raise UsageError(f"{where} {text}: {machine.name} is not an instance type of {name}")
    return name, tuple(Machine(name=f"client{number}", type=machine.name) for number in range(1, count + 1))


def machines(text: str, zone: str | None) -> tuple[Machine, ...]:
    """The client machines, in a zone; None where the provider is to choose."""
    return tuple(replace(each, zone=zone) for each in clients(text)[1])


def check(targets: tuple[Target, ...], text: str | None) -> None:
    """Rented databases need client machines, and these such databases, of one provider. Raises UsageError."""
    rented = [target for target in targets if is_rented_database(target)]
    if rented and text is None:
        names = ", ".join(target.name for target in rented)
        raise UsageError(
            f"a rented database is measured by machines beside it: add --clients-on {EXAMPLE} (target {names})"
        )
    if text is None:
        return
    if not rented:
        raise UsageError(f"--clients-on {text}: no target is a rented database, such as db=aws-rds:mysql,class=…")
    provider, _ = clients(text)
    for target in rented:
        sold_by = database_provider(target.where)
        if sold_by is None or sold_by.name != provider:
            raise UsageError(f"--clients-on {text}: target {target.name} is of another provider; rent both from one")
