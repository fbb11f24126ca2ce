"""Which runs have scores that were changed after they were stored, without reading more than the scores."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, and_, select

from plimsoll.store.schema import run, score
from plimsoll.store.seal import OF_RUN, joined, of_score

_COLUMNS = (
    *(run.c[name] for name in OF_RUN),
    *(score.c.metric, score.c.unit, score.c.direction, score.c.value, score.c.checksum),
)
_ID, _SESSION, _CASE, _TARGET = range(4)
"""Places in OF_RUN."""


def altered_runs(
    connection: Connection, session_ids: Sequence[str], *among: ColumnElement[bool]
) -> dict[str, tuple[str, str, str]]:
    """By id of each such run of the sessions: its session, case and target. `among` says of which scores."""
    return _altered(connection, and_(run.c.session_id.in_(session_ids), *among))


def altered_among(connection: Connection, run_ids: Sequence[str]) -> dict[str, tuple[str, str, str]]:
    """Runs among `run_ids` that do not match their checksums."""
    return _altered(connection, run.c.id.in_(run_ids))


def _altered(connection: Connection, which: ColumnElement[bool]) -> dict[str, tuple[str, str, str]]:
    # Runs that were stored before there were checksums have none, and nobody can tell.
    statement = select(*_COLUMNS).join_from(run, score, score.c.run_id == run.c.id)
    found: dict[str, tuple[str, str, str]] = {}
    for row in connection.execute(statement.where(which, run.c.checksum.is_not(None))):
        of_run = row[: len(OF_RUN)]
        metric, unit, direction, value, checksum = row[len(OF_RUN) :]
        if of_score(joined(of_run), metric, unit, direction, value) != checksum:
            found[of_run[_ID]] = (of_run[_SESSION], of_run[_CASE], of_run[_TARGET])
    return found
