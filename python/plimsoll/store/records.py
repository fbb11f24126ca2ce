"""Rows to records and back, on an open connection."""

from __future__ import annotations

import json
import time
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Row, Table, insert, select

from plimsoll.errors import NotKeepable, StoreError
from plimsoll.model import Artefact, Finding, Plan, Run, Score, Session, Target
from plimsoll.store import schema
from plimsoll.store import seal as seals
from plimsoll.store.codec import (
    NotStorable,
    as_stored,
    canonical_json,
    check_storable,
    intervals_json,
    pack_intervals,
    read_intervals,
    unpack_json,
)
from plimsoll.store.kept_scores import keep_scores
from plimsoll.store.works import count_runs

CHUNK = 500
"""Runs that are read at once: bounds memory and the length of a statement."""


def insert_session(connection: Connection, record: Session, added_ns: int | None = None) -> None:
    """Write a new session, which came at `added_ns` or now. Raises StoreError if a database cannot hold it."""
    came = time.time_ns() if added_ns is None else added_ns
    connection.execute(insert(schema.session).values(session_row(record) | {"added_ns": came}))


def session_row(record: Session) -> dict[str, Any]:
    """The columns of a session."""
    values = _checked(record)
    return values | {
        "state": record.state.value,
        "host": canonical_json(values["host"]),
        "study": canonical_json(values["study"]),
        "host_name": host_name(record),
        "tags": f" {' '.join(record.tags)} " if record.tags else None,
        "note": record.note or None,
        "edited": canonical_json(record.edited) if record.edited else None,
    }


def host_name(record: Session) -> str | None:
    """The name of the machine as its facts tell it, to search by; None where they do not."""
    named = record.host.get("hostname") or record.host.get("name")
    return named if isinstance(named, str) else None


_NOT_OF_THE_RECORD = ("host_name", "added_ns")
"""Columns of a session that are derived from it, or say something of this store."""


def read_session(row: Row[Any]) -> Session:
    """A session from its row. Raises StoreError if it cannot be read."""
    values = dict(row._mapping)
    values = {name: value for name, value in values.items() if name not in _NOT_OF_THE_RECORD}
    with damage(f"session {row.id}"):
        values |= {name: json.loads(values[name] or "{}") for name in ("host", "study", "edited")}
        return Session(**values | {"tags": tuple((row.tags or "").split()), "note": row.note or ""})


def read_plan(text: str) -> Plan:
    """A plan from its column. Raises StoreError if it cannot be read."""
    with damage("a plan"):
        return Plan(**json.loads(text))


def read_target(text: str) -> Target:
    """A target from its column. Raises StoreError if it cannot be read."""
    with damage("a target"):
        return Target(**json.loads(text))


@contextmanager
def damage(what: str) -> Iterator[None]:
    """Says what is damaged. The faults are those of JSON, pydantic and zlib."""
    try:
        yield
    except (ValueError, TypeError, zlib.error) as error:
        raise StoreError(
            f"{what} in the store is damaged ({str(error).splitlines()[0]}); `plimsoll store check` names all that is, "
            "and `plimsoll store rescue OUT` saves every intact session"
        ) from None


def insert_runs(connection: Connection, records: Iterable[Run], *, new: bool = False) -> None:
    """Write new runs and everything that belongs to them. Raises StoreError if a database cannot hold one.

    Each keeps the checksums that came with it; with `new`, one without any was just made, and gets them.
    """
    rows: dict[Table, list[dict[str, Any]]] = defaultdict(list)
    for record in records:
        row, parts = _rows_of(record, new=new)
        rows[schema.run].append(row)
        for table, part_rows in parts.items():
            rows[table] += [{"run_id": record.id, **part} for part in part_rows]
    for table in schema.metadata.sorted_tables:
        if rows.get(table):
            connection.execute(insert(table), rows[table])
    keys = count_runs(connection, rows[schema.run])
    keep_scores(connection, rows[schema.run], keys, rows[schema.score])


def _rows_of(record: Run, *, new: bool) -> tuple[dict[str, Any], dict[Table, list[dict[str, Any]]]]:
    """The columns of a run and of its parts."""
    bare = seals.without(record)
    values = _checked(bare)
    row, parts = _run_row(bare, values), _part_rows(values)
    found = seals.carried(record.facts)
    if found is None and new:
        found = seals.seal(row, parts, intervals_json(values["intervals"]) if values["intervals"] else b"")
    row["checksum"] = None if found is None else found.whole
    for position, part in enumerate(parts[schema.score]):
        # One more than there were checksums for was added by somebody: it has one that nothing matches.
        part["checksum"] = None if found is None else (*found.scores, *[""] * len(parts[schema.score]))[position]
    return row, parts


def sealed(record: Run) -> Run:
    """A run that was just made, with its checksums, for a result file."""
    return seals.sealed(record, seals.carried(record.facts) or _seal_of(seals.without(record)))


def told(record: Run) -> Run:
    """A run from a result file as it is to be shown: with what its checksums say."""
    bare = seals.without(record)
    return seals.told(bare, _seal_of(bare), seals.carried(record.facts))


def _seal_of(record: Run) -> seals.Seal:
    values = _checked(record)
    intervals = intervals_json(values["intervals"]) if values["intervals"] else b""
    return seals.seal(_run_row(record, values), _part_rows(values), intervals)


def _run_row(record: Run, values: dict[str, Any]) -> dict[str, Any]:
    same = ("id", "session_id", "block", "attempt", "started_ns", "ended_ns", "reason")
    return {name: values[name] for name in same} | {
        "status": record.status.value,
        "position": values["order"],
        "case_label": record.plan.case,
        "target_name": record.target.name,
        "plan_hash": record.plan.hash,
        "target": canonical_json(values["target"]),
        "plan": canonical_json(values["plan"]),
        "facts": canonical_json(values["facts"]),
        "test": record.plan.test,
        "target_kind": record.target.kind,
    }


def _part_rows(values: dict[str, Any]) -> dict[Table, list[dict[str, Any]]]:
    return {
        schema.score: [{**score, "position": i} for i, score in enumerate(values["scores"])],
        # In the order in which a store gives them back.
        schema.histogram: [
            {"kind": kind, "encoded": encoded} for kind, encoded in sorted(values["histograms"].items())
        ],
        schema.series: [{"intervals": pack_intervals(values["intervals"])}] if values["intervals"] else [],
        schema.finding: [
            {
                **{name: found[name] for name in ("guard", "message", "advice")},
                "level": str(found["level"]),
                "position": i,
                "measured": canonical_json(found["values"]),
            }
            for i, found in enumerate(values["findings"])
        ],
        schema.artefact: [{**artefact, "position": i} for i, artefact in enumerate(values["artefacts"])],
    }


def check_keepable(record: Session | Run) -> None:
    """Raise NotKeepable for a record that no store can hold, such as one from a damaged store."""
    _checked(record if isinstance(record, Session) else seals.without(record))


def _checked(record: Session | Run) -> dict[str, Any]:
    values = as_stored(record)
    try:
        check_storable(values)
    except NotStorable as error:
        kind = type(record).__name__.lower()
        raise NotKeepable(f"{kind} {record.id} cannot be stored: {error}; nothing of it was kept") from None
    return values


def read_runs(connection: Connection, rows: Sequence[Row[Any]], *, raw: bool = False) -> Iterator[Run]:
    """Full runs from rows of the table `run`, in the same order. Raises StoreError for a run that cannot be read.

    They are told as their checksums say: one that was changed afterwards does not count. With `raw` they are as they
    are, with their checksums as a fact, to be copied.
    """
    targets: dict[str, Target] = {}
    plans: dict[str, Plan] = {}
    for start in range(0, len(rows), CHUNK):
        chunk = rows[start : start + CHUNK]
        parts = _read_parts(connection, [row.id for row in chunk])
        for row in chunk:
            with damage(f"run {row.id} of session {row.session_id}"):
                # Thousands of runs share a few targets and plans; frozen records can be shared too.
                if row.target not in targets:
                    targets[row.target] = read_target(row.target)
                if row.plan not in plans:
                    plans[row.plan] = read_plan(row.plan)
                own = {table: of_run.get(row.id, []) for table, of_run in parts.items()}
                run = _read_run(row, targets[row.target], plans[row.plan], own, raw=raw)
            yield run


Parts = dict[Table, dict[str, list[Row[Any]]]]


def _read_parts(connection: Connection, run_ids: Sequence[str]) -> Parts:
    """Rows of each part table by run."""
    parts: Parts = {}
    for table in (schema.score, schema.histogram, schema.series, schema.finding, schema.artefact):
        statement = select(table).where(table.c.run_id.in_(run_ids)).order_by(*table.primary_key)
        by_run: dict[str, list[Row[Any]]] = defaultdict(list)
        for row in connection.execute(statement).all():
            by_run[row.run_id].append(row)
        parts[table] = by_run
    return parts


def _read_run(row: Row[Any], target: Target, plan: Plan, parts: dict[Table, list[Row[Any]]], *, raw: bool) -> Run:
    series = parts[schema.series]
    intervals = unpack_json(series[0].intervals) if series else b""
    run = Run(
        id=row.id,
        session_id=row.session_id,
        block=row.block,
        order=row.position,
        attempt=row.attempt,
        target=target,
        plan=plan,
        started_ns=row.started_ns,
        ended_ns=row.ended_ns,
        status=row.status,
        reason=row.reason,
        scores=tuple(
            Score(metric=part.metric, value=part.value, unit=part.unit, direction=part.direction)
            for part in parts[schema.score]
        ),
        histograms={part.kind: bytes(part.encoded) for part in parts[schema.histogram]},
        intervals=read_intervals(intervals) if series else (),
        findings=tuple(
            Finding(
                guard=part.guard,
                level=part.level,
                message=part.message,
                advice=part.advice,
                values=json.loads(part.measured),
            )
            for part in parts[schema.finding]
        ),
        facts=json.loads(row.facts),
        artefacts=tuple(
            Artefact(name=part.name, sha256=part.sha256, content=bytes(part.content)) for part in parts[schema.artefact]
        ),
    )
    scores = tuple(part.checksum for part in parts[schema.score])
    then = seals.carried(run.facts) if row.checksum is None else seals.Seal(row.checksum, scores)
    if raw:
        return seals.sealed(seals.without(run), then)
    mappings = {table: [dict(part._mapping) for part in rows] for table, rows in parts.items()}
    return seals.told(seals.without(run), seals.seal(dict(row._mapping), mappings, intervals), then)
