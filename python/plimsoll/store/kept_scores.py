"""The scores of each session that count, by work and metric, kept when runs are stored: a history asks these.

What is made of them, such as a median, is not kept, so that no rule of the statistics is frozen here. Each row has a
checksum: one that does not match it counts as missing, and the history asks the runs themselves.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, select

from plimsoll.model import RunStatus
from plimsoll.store.codec import canonical_json
from plimsoll.store.connection import upsert
from plimsoll.store.schema import run, score, session, session_score
from plimsoll.store.seal import OF_RUN, joined, of_score
from plimsoll.store.works import COUNTED, keys_of

SINCE = "0007"
"""Format of the first stores that have them."""

_SCORE = ("run_id", "metric", "unit", "direction", "value", "checksum")
_AT_ONCE = 300

Row = Mapping[str, Any]
Key = tuple[str, str, str]
"""Of a row: work, metric, session."""


class Counting(NamedTuple):
    """A score of an ok run above zero that is as it was stored."""

    block: int
    attempt: int
    value: float


def keep_scores(connection: Connection, runs: Sequence[Row], keys: Sequence[str], scores: Iterable[Row]) -> None:
    """Add scores of runs that were just stored; `keys` are the works of the runs, in their order."""
    found = counting(runs, keys, scores)
    # In one order, so that two writers never wait for each other.
    ordered = sorted(found)
    statement = upsert(connection, session_score)
    statement = statement.on_conflict_do_update(
        index_elements=list(session_score.primary_key),
        set_={name: statement.excluded[name] for name in ("content", "checksum")},
    )
    for start in range(0, len(ordered), _AT_ONCE):
        some = ordered[start : start + _AT_ONCE]
        there = _kept(connection, some)
        # To a damaged row nothing is added: its checksum would be right again.
        rows = [_row(key, [*old, *found[key]]) for key in some if (old := there.get(key, ())) is not None]
        if rows:
            connection.execute(statement, rows)


def keep_all(connection: Connection) -> None:
    """Keep the scores of a store of an older version."""
    for of in connection.execute(select(session.c.id).order_by(session.c.id)).scalars().all():
        runs, scores = _stored(connection, of)
        keep_scores(connection, runs, keys_of(connection, runs), scores)


def counting(runs: Sequence[Row], keys: Sequence[str], scores: Iterable[Row]) -> dict[Key, list[Counting]]:
    """The scores of these runs that count."""
    known = {row["id"]: (row, key, [row[name] for name in OF_RUN]) for row, key in zip(runs, keys, strict=True)}
    found: dict[Key, list[Counting]] = {}
    for each in scores:
        row, key, of_run = known[each["run_id"]]
        if row["status"] == RunStatus.OK.value and _counts(row, of_run, each):
            of = found.setdefault((key, each["metric"], row["session_id"]), [])
            of.append(Counting(row["block"], row["attempt"], float(each["value"])))
    return found


def _counts(row: Row, of_run: Sequence[Any], kept: Row) -> bool:
    value = kept["value"]
    if not (isinstance(value, float | int) and 0 < value < math.inf):
        return False
    parts = (kept[name] for name in ("metric", "unit", "direction", "value"))
    # Runs that were stored before there were checksums have none.
    return row["checksum"] is None or of_score(joined(of_run), *parts) == kept["checksum"]


def read(key: Key, content: str, checksum: str) -> tuple[Counting, ...] | None:
    """What a row holds; None where it is not what was kept."""
    if _checksum(key, content) != checksum:
        return None
    return tuple(Counting(*each) for each in json.loads(content))


def differing(connection: Connection, session_id: str) -> bool:
    """Whether what is kept of a session differs from its runs."""
    runs, scores = _stored(connection, session_id)
    found = counting(runs, keys_of(connection, runs), scores)
    made = [_row(key, values) for key, values in found.items()]
    expected = {(row["work_key"], row["metric"]): (row["content"], row["checksum"]) for row in made}
    columns = (session_score.c[name] for name in ("work_key", "metric", "content", "checksum"))
    rows = connection.execute(select(*columns).where(session_score.c.session_id == session_id))
    return expected != {(key, metric): (content, checksum) for key, metric, content, checksum in rows}


def _stored(connection: Connection, session_id: str) -> tuple[list[Row], list[Row]]:
    """The runs of a session and their scores."""
    columns = [run.c[name] for name in dict.fromkeys((*COUNTED, *OF_RUN, "checksum"))]
    runs = connection.execute(select(*columns).where(run.c.session_id == session_id)).all()
    of_scores = select(*(score.c[name] for name in _SCORE)).join(run, run.c.id == score.c.run_id)
    scores = connection.execute(of_scores.where(run.c.session_id == session_id)).all()
    return [dict(each._mapping) for each in runs], [dict(each._mapping) for each in scores]


def _kept(connection: Connection, keys: Sequence[Key]) -> dict[Key, tuple[Counting, ...] | None]:
    """What is there already; None for what is damaged."""
    works, metrics, sessions = (sorted(set(part)) for part in zip(*keys, strict=True))
    columns = session_score.c
    statement = select(columns.work_key, columns.metric, columns.session_id, columns.content, columns.checksum)
    statement = statement.where(
        columns.work_key.in_(works), columns.metric.in_(metrics), columns.session_id.in_(sessions)
    )
    rows = connection.execute(statement)
    return {(work, metric, of): read((work, metric, of), *rest) for work, metric, of, *rest in rows}


def _row(key: Key, values: Iterable[Counting]) -> dict[str, Any]:
    content = canonical_json(sorted(values))
    work, metric, of = key
    return {
        "work_key": work,
        "metric": metric,
        "session_id": of,
        "content": content,
        "checksum": _checksum(key, content),
    }


def _checksum(key: Key, content: str) -> str:
    return hashlib.sha256("\0".join((*key, content)).encode("utf-8", "surrogatepass")).hexdigest()[:16]
