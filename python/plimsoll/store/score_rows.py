"""Scores of many runs as light rows, each checked as it is read."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, and_, case, func, not_, or_, select, true, tuple_

from plimsoll.model import Direction, RunStatus, Unit
from plimsoll.stats.carryover import Neighbours, neighbours_in
from plimsoll.stats.paired import ScoreRow
from plimsoll.stats.stated import Stated, stated_in
from plimsoll.store.checked import altered_runs
from plimsoll.store.schema import run, score, session
from plimsoll.store.seal import joined, of_score

MOST_WANTED = 10_000
"""Pairs of plan and metric that one query may name; databases bound the number of its variables."""
_SCORE_ROW = (
    run.c.session_id,
    run.c.case_label,
    score.c.metric,
    score.c.unit,
    score.c.direction,
    run.c.target_name,
    run.c.block,
    run.c.attempt,
    run.c.position,
    run.c.status,
    score.c.value,
    run.c.plan_hash,
    # Facts are long: they are touched only where a table of another tool may have given a spread, and for slices.
    case(
        (
            or_(
                and_(session.c.study.contains('"imported"'), run.c.facts.contains('"spread"')),
                run.c.facts.contains('"after_own"'),
            ),
            run.c.facts,
        )
    ),
    # None for runs that were stored before there were checksums: nobody can tell.
    case((run.c.checksum.is_not(None), func.coalesce(score.c.checksum, ""))),
)
"""In the order of the fields of a `ScoreRow`; from the facts its last fields are made."""
_METRIC, _UNIT, _DIRECTION, _VALUE = 2, 3, 4, 10
_OF_RUN = itemgetter(0, 1, 5, 6, 7, 8, 9, 11)
"""What of it is in the checksum of each score, after the run's id."""


def read_score_rows(
    connection: Connection, session_ids: Sequence[str], metrics: Mapping[str, Collection[str]] | None
) -> list[ScoreRow]:
    """The rows of `Store.score_rows`, which says what they are."""
    wanted = [(plan, metric) for plan, names in (metrics or {}).items() for metric in names]
    asked = metrics is not None and len(wanted) <= MOST_WANTED
    is_wanted = tuple_(run.c.plan_hash, score.c.metric).in_(wanted) if asked else true()
    statement = (
        select(run.c.id, *_SCORE_ROW)
        .join_from(run, score, and_(score.c.run_id == run.c.id, is_wanted), isouter=True)
        .join(session, session.c.id == run.c.session_id)
        .where(run.c.session_id.in_(session_ids))
        .order_by(run.c.started_ns, run.c.position, run.c.id, score.c.position)
    )
    # A run does not count if any of its scores was changed. Those that are given out are checked as they were found
    # here: where pages are damaged, another query may find others.
    altered = set(altered_runs(connection, session_ids, not_(is_wanted)) if asked else ())
    rows = []
    for run_id, *row, facts, checksum in connection.execute(statement):
        if checksum is not None and row[_METRIC] is not None and not _is_sealed(run_id, row, checksum):
            altered.add(run_id)
        rows.append((run_id, ScoreRow._make((*row, *_from_facts(facts, row[_METRIC], row[_VALUE])))))
    found = [row._replace(status=RunStatus.INVALID.value) if run_id in altered else row for run_id, row in rows]
    if metrics is not None and not asked:
        found = [row for row in found if row.metric is None or row.metric in metrics[row.plan_hash]]
    return _with_missing(found)


def _is_sealed(run_id: str, row: Sequence[Any], checksum: str) -> bool:
    """Whether the columns `_SCORE_ROW` of a score are those that were stored."""
    text = joined((run_id, *_OF_RUN(row)))
    return of_score(text, row[_METRIC], row[_UNIT], row[_DIRECTION], row[_VALUE]) == checksum


def _from_facts(facts: str | None, metric: str, value: float | None) -> tuple[Stated | None, Neighbours | None]:
    """The last fields of a `ScoreRow`."""
    if facts is None:
        return None, None
    found = _loaded(facts)
    return stated_in(found, metric, value), neighbours_in(found)


@lru_cache(maxsize=256)
def _loaded(facts: str) -> Any:
    """The facts of a run, once for all of its scores."""
    return json.loads(facts)


def _with_missing(rows: list[ScoreRow]) -> list[ScoreRow]:
    """The rows of scores; those of runs without any are spread over the metrics of their case, at the end."""
    missing = [row for row in rows if row.metric is None]
    if not missing:
        return rows
    present = [row for row in rows if row.metric is not None]
    measured: dict[tuple[str, str], dict[tuple[str, Unit, Direction], None]] = defaultdict(dict)
    for row in present:
        measured[row.session, row.case][row.metric, row.unit, row.direction] = None
    return present + [
        row._replace(metric=metric, unit=unit, direction=direction)
        for row in missing
        for metric, unit, direction in measured.get((row.session, row.case), ())
    ]
