"""What sessions ran where, counted when runs are stored: lists and searches ask this, not the runs themselves."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import Connection, Table, case, delete, select

from plimsoll.identity import place_facts
from plimsoll.model import RunStatus, Target
from plimsoll.store.codec import canonical_json
from plimsoll.store.connection import upsert
from plimsoll.store.schema import place, run, session, session_work, work

_OF_RUN = ("test", "case_label", "target_name", "target_kind", "plan_hash")
COUNTED = ("session_id", *_OF_RUN, "target", "status", "started_ns")
"""Columns of `run` that are needed to count one."""
_AT_ONCE = 500
SINCE = "0005"
"""Format of the first stores that have these counts."""


class _Place(NamedTuple):
    """A row of the table `place`."""

    key: str
    host: str
    facts: str


def count_runs(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Add runs, which were just stored, to the counts of their sessions; `rows` are columns of `run`.

    Returns the works of the runs, by key.
    """
    places: dict[str, dict[str, str]] = {}
    works: dict[str, dict[str, str]] = {}
    keys: list[str] = []
    for row, found in zip(rows, _places(connection, rows), strict=True):
        places[found.key] = found._asdict()
        of_run = {name: row[name] or "" for name in _OF_RUN}
        key = _key(row, found)
        works[key] = {"key": key, "place_key": found.key, **of_run}
        keys.append(key)
    _insert(connection, place, list(places.values()))
    _insert(connection, work, list(works.values()))
    _insert(connection, session_work, _counts(rows, keys))
    return keys


def keys_of(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The works of stored runs, by key; `rows` are columns of `run`."""
    return [_key(row, found) for row, found in zip(rows, _places(connection, rows), strict=True)]


def miscounted(connection: Connection, session_id: str) -> bool:
    """Whether the counts of a session differ from its runs."""
    rows = _runs(connection, session_id)
    names = ("work_key", "runs", "valid", "first_ns", "last_ns")
    kept = select(*(session_work.c[name] for name in names)).where(session_work.c.session_id == session_id)
    counted = {tuple(each[name] for name in names) for each in _counts(rows, keys_of(connection, rows))}
    return counted != set(map(tuple, connection.execute(kept)))


def _places(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> list[_Place]:
    wanted = select(session.c.id, session.c.host).where(session.c.id.in_({row["session_id"] for row in rows}))
    hosts: dict[str, str] = dict(map(tuple, connection.execute(wanted)))
    return [_place(row["target"], hosts.get(row["session_id"], "{}")) for row in rows]


def _key(row: Mapping[str, Any], found: _Place) -> str:
    return _digest(*(row[name] or "" for name in _OF_RUN), found.key)[:32]


def _counts(rows: Sequence[Mapping[str, Any]], keys: Sequence[str]) -> list[dict[str, Any]]:
    """Rows of the table `session_work`."""
    counts: dict[tuple[str, str], dict[str, Any]] = {}
    for row, key in zip(rows, keys, strict=True):
        _add(counts.setdefault((row["session_id"], key), {}), row)
    return [{"session_id": of, "work_key": key} | each for (of, key), each in counts.items()]


def _add(count: dict[str, Any], row: Mapping[str, Any]) -> None:
    started_ns = row["started_ns"]
    count["runs"] = count.get("runs", 0) + 1
    count["valid"] = count.get("valid", 0) + (row["status"] == RunStatus.OK.value)
    count["first_ns"] = min(count.get("first_ns", started_ns), started_ns)
    count["last_ns"] = max(count.get("last_ns", started_ns), started_ns)


def _insert(connection: Connection, table: Table, rows: list[dict[str, Any]]) -> None:
    """Rows that may be there already: names stay, counts are added."""
    if not rows:
        return
    statement = upsert(connection, table)
    if table is session_work:
        old, new = session_work.c, statement.excluded
        statement = statement.on_conflict_do_update(
            index_elements=[old.session_id, old.work_key],
            set_={
                "runs": old.runs + new.runs,
                "valid": old.valid + new.valid,
                "first_ns": case((new.first_ns < old.first_ns, new.first_ns), else_=old.first_ns),
                "last_ns": case((new.last_ns > old.last_ns, new.last_ns), else_=old.last_ns),
            },
        )
    else:
        statement = statement.on_conflict_do_nothing()
    # In one order, so that two writers never wait for each other.
    keys = [column.name for column in table.primary_key]
    connection.execute(statement, sorted(rows, key=lambda row: [row[name] for name in keys]))


def count_all(connection: Connection) -> None:
    """Count the runs of a store of an older version."""
    for of in connection.execute(select(session.c.id).order_by(session.c.id)).scalars().all():
        count_runs(connection, _runs(connection, of))


def _runs(connection: Connection, session_id: str) -> list[dict[str, Any]]:
    """What of the runs of a session is counted."""
    columns = [run.c[name] for name in COUNTED]
    rows = connection.execute(select(*columns).where(run.c.session_id == session_id))
    return [dict(row._mapping) for row in rows]


def works_of(connection: Connection, session_ids: Sequence[str]) -> set[str]:
    """The works of sessions, by key."""
    statement = select(session_work.c.work_key).where(session_work.c.session_id.in_(session_ids)).distinct()
    return set(connection.execute(statement).scalars())


def forget(connection: Connection, keys: Collection[str]) -> None:
    """Remove those of these works that no session has any more, and places without a work."""
    for start in range(0, len(keys), _AT_ONCE):
        some = work.c.key.in_(sorted(keys)[start : start + _AT_ONCE])
        used = select(session_work.c.work_key).where(session_work.c.work_key == work.c.key).exists()
        connection.execute(delete(work).where(some, ~used))
    connection.execute(delete(place).where(~select(work.c.key).where(work.c.place_key == place.c.key).exists()))


@lru_cache(maxsize=256)
def _place(target: str, host: str) -> _Place:
    """The place of a run from its target and the facts of its session's host, both as they are stored."""
    try:
        facts = place_facts(Target(**json.loads(target)), dict(json.loads(host)))
    except (ValueError, TypeError):
        # A damaged record has no place that anybody knows; what reads it says so.
        facts = {}
    text = canonical_json(facts)
    return _Place(_digest(text)[:16], facts.get("host", ""), text)


def _digest(*words: str) -> str:
    return hashlib.sha256("\0".join(words).encode("utf-8", "surrogatepass")).hexdigest()
