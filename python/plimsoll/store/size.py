"""How much there is in a store."""

from __future__ import annotations

import os
from dataclasses import dataclass

from sqlalchemy import func, select, text

from plimsoll.model import SessionState
from plimsoll.store.connection import reading, sqlite_file
from plimsoll.store.schema import session, session_work
from plimsoll.store.store import Store


@dataclass(frozen=True)
class Size:
    """Sessions by the state that is stored, runs, and the bytes that all of it takes."""

    sessions: dict[str, int]
    runs: int
    valid: int
    bytes: int


def size_of(store: Store) -> Size:
    """Counted now."""
    sums = func.coalesce(func.sum(session_work.c.runs), 0), func.coalesce(func.sum(session_work.c.valid), 0)
    by_state = select(session.c.state, func.count()).group_by(session.c.state).order_by(session.c.state)
    with reading(store.engine) as connection:
        states = dict.fromkeys(map(str, SessionState), 0) | dict(map(tuple, connection.execute(by_state)))
        runs, valid = connection.execute(select(*sums)).one()
        if connection.dialect.name == "postgresql":
            taken = int(connection.execute(text("SELECT pg_database_size(current_database())")).scalar_one())
        else:
            taken = _bytes(sqlite_file(store.engine.url))
    return Size(states, int(runs), int(valid), taken)


def _bytes(file: str | None) -> int:
    """A store with the log that is written ahead of it; in memory it takes none."""
    paths = [f"{file}{end}" for end in ("", "-wal")] if file else []
    return sum(os.path.getsize(path) for path in paths if os.path.exists(path))
