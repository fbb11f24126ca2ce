"""Tokens for a team's server: made and withdrawn on the command line, kept only as their SHA-256.

A token is 256 random bits, so a slow hash would add nothing. It is written `plim_ID_SECRET`; the id finds the row, so
that nothing is compared but one digest, in constant time.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import insert, select, update

from plimsoll.errors import UnknownName, UsageError
from plimsoll.store.connection import reading, writing
from plimsoll.store.schema import token
from plimsoll.store.store import Store
from plimsoll.units import DAY, HOUR

NAME = re.compile(r"[\w.@-]{1,40}")
_WRITTEN = re.compile(r"plim_([0-9a-f]{16})_([A-Za-z0-9_-]{43})")
_USE_NOTED_EVERY_NS = HOUR


class Scope(StrEnum):
    """What a token allows; each allows everything before it."""

    READ = "read"
    UPLOAD = "upload"
    MERGE = "merge"

    def allows(self, wanted: Scope) -> bool:
        """Whether this scope is enough for `wanted`."""
        order = list(Scope)
        return order.index(self) >= order.index(wanted)


@dataclass(frozen=True)
class Token:
    """A token without its secret. Times are ns since 1970."""

    id: str
    name: str
    scope: Scope
    created_ns: int
    expires_ns: int | None
    revoked_ns: int | None
    used_ns: int | None

    def state(self, now_ns: int) -> str:
        """`valid`, `expired` or `revoked`."""
        if self.revoked_ns is not None:
            return "revoked"
        return "expired" if self.expires_ns is not None and self.expires_ns <= now_ns else "valid"


_COLUMNS = (
    token.c.id,
    token.c.name,
    token.c.scope,
    token.c.created_ns,
    token.c.expires_ns,
    token.c.revoked_ns,
    token.c.used_ns,
)


def _read(row: Iterable[object]) -> Token:
    identity, name, scope, *times = row
    return Token(str(identity), str(name), Scope(str(scope)), *times)  # type: ignore[arg-type]


def create(store: Store, name: str, scope: Scope, days: int | None) -> str:
    """A new token as it is written; it cannot be shown again. Raises UsageError if a valid one has this name."""
    if not NAME.fullmatch(name):
        raise UsageError(f"{name!r} is not a name for a token; use up to 40 letters, digits, '.', '_', '-' and '@'")
    now_ns = time.time_ns()
    if any(each.name == name and each.state(now_ns) == "valid" for each in listed(store)):
        raise UsageError(f"there is a valid token named {name!r}; revoke it first, or choose another name")
    identity, secret = secrets.token_hex(8), secrets.token_urlsafe(32)
    row = {
        "id": identity,
        "name": name,
        "digest": _digest(secret),
        "scope": scope.value,
        "created_ns": now_ns,
        "expires_ns": None if days is None else now_ns + days * DAY,
    }
    with writing(store.engine) as connection:
        connection.execute(insert(token).values(row))
    return f"plim_{identity}_{secret}"


def listed(store: Store) -> list[Token]:
    """All tokens, the newest first."""
    with reading(store.engine) as connection:
        rows = connection.execute(select(*_COLUMNS).order_by(token.c.created_ns.desc(), token.c.id)).all()
    return [_read(row) for row in rows]


def revoke(store: Store, name: str) -> Token:
    """Withdraw the valid token of this name or id; it stays in the list. Raises UnknownName."""
    now_ns = time.time_ns()
    valid = [each for each in listed(store) if each.state(now_ns) == "valid"]
    found = next((each for each in valid if name in (each.name, each.id)), None)
    if found is None:
        raise UnknownName("valid token", name, (each.name for each in valid), f"the store {store.place}")
    with writing(store.engine) as connection:
        connection.execute(update(token).where(token.c.id == found.id).values(revoked_ns=now_ns))
    return found


def check(store: Store, written: str) -> Token | None:
    """The token that `written` is, if it is valid now; notes once an hour that it was used."""
    match = _WRITTEN.fullmatch(written)
    if match is None:
        return None
    with reading(store.engine) as connection:
        row = connection.execute(select(*_COLUMNS, token.c.digest).where(token.c.id == match[1])).one_or_none()
    if row is None or not hmac.compare_digest(row.digest, _digest(match[2])):
        return None
    found = _read(row[:-1])
    now_ns = time.time_ns()
    if found.state(now_ns) != "valid":
        return None
    if found.used_ns is None or now_ns - found.used_ns > _USE_NOTED_EVERY_NS:
        with writing(store.engine) as connection:
            connection.execute(update(token).where(token.c.id == found.id).values(used_ns=now_ns))
    return found


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
