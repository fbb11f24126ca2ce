"""Saved comparisons: what was chosen, under a short id. They outlive the sessions that they speak of."""

from __future__ import annotations

import base64
import hashlib
import time
from dataclasses import dataclass

from sqlalchemy import delete, func, insert, select

from plimsoll.errors import UsageError
from plimsoll.store.connection import reading, writing
from plimsoll.store.schema import comparison
from plimsoll.store.store import Store

ID_LENGTH = 10
MOST_COMPARISONS = 10_000
MAX_QUERY = 6_000
MAX_TITLE = 200


@dataclass(frozen=True)
class Saved:
    """One of them; `query` is the canonical query string that makes it."""

    id: str
    title: str
    query: str
    created_ns: int
    created_by: str


def save(store: Store, title: str, query: str, by: str) -> str:
    """Keep a comparison; its id, which is the same however often it is saved. Raises UsageError for one too many."""
    if len(query) > MAX_QUERY:
        raise UsageError("this comparison is too long to be saved; choose fewer targets or shorter names")
    identity = base64.b32encode(hashlib.sha256(query.encode()).digest()).decode().lower()[:ID_LENGTH]
    with writing(store.engine) as connection:
        if connection.execute(select(comparison.c.id).where(comparison.c.id == identity)).first() is not None:
            return identity
        if connection.execute(select(func.count()).select_from(comparison)).scalar_one() >= MOST_COMPARISONS:
            raise UsageError(f"{MOST_COMPARISONS:,} comparisons are saved, as many as there may be; delete one first")
        row = {"id": identity, "title": title.strip()[:MAX_TITLE], "query": query, "created_by": by}
        connection.execute(insert(comparison).values(row | {"created_ns": time.time_ns()}))
    return identity


def saved(store: Store, identity: str) -> Saved | None:
    """The comparison of this id."""
    columns = (comparison.c[name] for name in Saved.__dataclass_fields__)
    with reading(store.engine) as connection:
        row = connection.execute(select(*columns).where(comparison.c.id == identity)).one_or_none()
    return None if row is None else Saved(*row)


def remove(store: Store, identity: str) -> bool:
    """Forget a comparison; whether there was one. Saved again, it has the same id."""
    with writing(store.engine) as connection:
        return bool(connection.execute(delete(comparison).where(comparison.c.id == identity)).rowcount)


def newest(store: Store, limit: int = 20) -> list[Saved]:
    """Those that were saved last."""
    columns = (comparison.c[name] for name in Saved.__dataclass_fields__)
    statement = select(*columns).order_by(comparison.c.created_ns.desc(), comparison.c.id).limit(limit)
    with reading(store.engine) as connection:
        return [Saved(*row) for row in connection.execute(statement)]
