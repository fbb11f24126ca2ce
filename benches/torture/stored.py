"""What the store holds after a round, read by nothing of ours."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

import sqlalchemy
from benches.torture.sandbox import Sandbox

_URL = re.compile(r"^postgres(ql)?://")


@dataclass(frozen=True)
class StoredSession:
    """What the store holds of a session."""

    id: str
    title: str
    state: str
    runs: int
    failed: int = 0
    """Of these, how many ended without a score, for a reason that is stored with them."""
    lasting: int = 0
    """Of these, how many are of the last attempt of their block: one that was cut short is made again, as a whole."""


@dataclass(frozen=True)
class Stored:
    """What the store holds: all rows of all tables."""

    rows: Counter[str]
    sessions: tuple[StoredSession, ...]
    new: tuple[StoredSession, ...] = ()
    """Sessions that were not there before."""


def stored(sandbox: Sandbox, before: Stored | None = None) -> Stored:
    """Everything in the store, read by nothing of ours."""
    url = _URL.sub("postgresql+psycopg://", sandbox.store) if sandbox.store else f"sqlite:///{sandbox.results}"
    engine = sqlalchemy.create_engine(url)
    try:
        with engine.connect() as connection:
            tables = sqlalchemy.MetaData()
            tables.reflect(connection)
            rows: Counter[str] = Counter()
            found: dict[str, list[Any]] = {}
            for name, table in tables.tables.items():
                found[name] = connection.execute(sqlalchemy.select(table)).mappings().all()
                rows.update(f"{name} {dict(row)!r}" for row in found[name])
    finally:
        engine.dispose()
    counted = Counter(row["session_id"] for row in found["run"])
    failed = Counter(row["session_id"] for row in found["run"] if row["status"] != "ok" and row["reason"])
    lasting = _last_attempts(found["run"])
    sessions = tuple(
        StoredSession(row["id"], row["title"], row["state"], counted[row["id"]], failed[row["id"]], lasting[row["id"]])
        for row in found["session"]
    )
    known = {each.id for each in before.sessions} if before else set()
    return Stored(rows, sessions, tuple(each for each in sessions if each.id not in known))


def _last_attempts(runs: list[Any]) -> Counter[str]:
    """By session."""
    last: dict[tuple[Any, ...], int] = {}
    for row in runs:
        block = (row["session_id"], row["case_label"], row["block"])
        last[block] = max(last.get(block, 0), row["attempt"])
    return Counter(
        row["session_id"] for row in runs if row["attempt"] == last[row["session_id"], row["case_label"], row["block"]]
    )
