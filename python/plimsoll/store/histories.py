"""One case on one target over many sessions: which there are, what belongs to one, and its runs."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, func, or_, select

from plimsoll.identity import differing
from plimsoll.model import RunStatus
from plimsoll.store.connection import reading
from plimsoll.store.kept_scores import Counting, read
from plimsoll.store.records import CHUNK, read_plan
from plimsoll.store.schema import place, run, score, session, session_score, session_work, work
from plimsoll.store.seal import OF_RUN, joined, of_score
from plimsoll.store.store import Store

MAX_WORDS = 8
MAX_SESSIONS = 2_000
"""Most sessions of one history; the newest are taken."""

_NAMED_FOR_ITSELF = ("device", "address")
"""Facts that no two places share: one of them makes two names one target."""


@dataclass(frozen=True)
class Series:
    """One case on one target of one host, which may have a history."""

    case: str
    target: str
    sessions: int
    runs: int
    last_ns: int
    host: str


def series(store: Store, text: str = "", limit: int = 100) -> list[Series]:
    """The cases and targets with the most sessions; `text` narrows them to names that hold its words.

    A session that ran several plans under one label counts for each of them.
    """
    names = work.c.case_label, work.c.target_name
    words = [or_(*(name.icontains(word, autoescape=True) for name in names)) for word in text.split()[:MAX_WORDS]]
    # Counted by an index alone, before names are looked up.
    counts = _counted(select(session_work.c.work_key)).subquery()
    sessions = func.sum(counts.c.sessions)
    statement = (
        select(*names, sessions, func.sum(counts.c.runs), func.max(counts.c.last_ns), place.c.host)
        .join_from(counts, work, work.c.key == counts.c.work_key)
        .join(place, place.c.key == work.c.place_key)
        .where(*words)
        .group_by(*names, place.c.host)
        .order_by(sessions.desc(), *names, place.c.host)
        .limit(limit)
    )
    with reading(store.engine) as connection:
        rows = connection.execute(statement).all()
    return [
        Series(case, target, int(count), int(runs), last_ns, host) for case, target, count, runs, last_ns, host in rows
    ]


def _counted(statement: Select[Any]) -> Select[Any]:
    return statement.add_columns(
        func.count().label("sessions"),
        func.sum(session_work.c.runs).label("runs"),
        func.max(session_work.c.last_ns).label("last_ns"),
    ).group_by(session_work.c.work_key)


@dataclass(frozen=True)
class Work:
    """One plan of a case on a target at one place, with what is counted of it over all sessions."""

    key: str
    target: str
    plan: str
    host: str
    """The machine of the place; "" where it is not known."""
    facts: Mapping[str, str]
    sessions: int
    runs: int
    last_ns: int


def works(store: Store, case_label: str, target: str) -> list[Work]:
    """The works of one case and name of a target, the newest first."""
    return _works(store, work.c.case_label == case_label, work.c.target_name == target)


def _works(store: Store, *which: ColumnElement[bool]) -> list[Work]:
    columns = work.c.key, work.c.target_name, work.c.plan_hash, place.c.host, place.c.facts
    keys = select(work.c.key).where(*which)
    counts = _counted(select(session_work.c.work_key).where(session_work.c.work_key.in_(keys))).subquery()
    statement = (
        select(*columns, counts.c.sessions, counts.c.runs, counts.c.last_ns)
        .join_from(counts, work, work.c.key == counts.c.work_key)
        .join(place, place.c.key == work.c.place_key)
        .order_by(counts.c.last_ns.desc(), work.c.key)
    )
    with reading(store.engine) as connection:
        rows = connection.execute(statement).all()
    return [
        Work(key, target, plan, host, json.loads(facts), sessions, int(runs), last_ns)
        for key, target, plan, host, facts, sessions, runs, last_ns in rows
    ]


def renamed(store: Store, case_label: str, plan: str, known: Sequence[Work]) -> list[Work]:
    """Works of the same plan on the same devices under other names, which no session has beside a known one.

    Two names that one session measured side by side are two targets, whatever they stand for.
    """
    sure = [each for each in known if each.facts.keys() & set(_NAMED_FOR_ITSELF)]
    if not sure:
        return []
    names = {each.target for each in known}
    others = _works(
        store, work.c.case_label == case_label, work.c.plan_hash == plan, work.c.target_name.not_in(sorted(names))
    )
    same = [each for each in others if any(_is_same(each.facts, mine.facts) for mine in sure)]
    beside = _beside(store, {each.key for each in known}, {each.key for each in same})
    apart = {each.target for each in same if each.key in beside}
    return [each for each in same if each.target not in apart]


def _is_same(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    shared = [name for name in _NAMED_FOR_ITSELF if name in one and name in other]
    return bool(shared) and not differing(one, other)


def _beside(store: Store, known: Collection[str], others: Collection[str]) -> set[str]:
    """Those of the others that some session has beside a known one."""
    mine = select(session_work.c.session_id).where(session_work.c.work_key.in_(sorted(known)))
    statement = select(session_work.c.work_key).where(
        session_work.c.work_key.in_(sorted(others)), session_work.c.session_id.in_(mine)
    )
    with reading(store.engine) as connection:
        return set(connection.execute(statement.distinct()).scalars()) if others else set()


def metrics_of(store: Store, case_label: str, target: str, plan_hash: str) -> dict[str, tuple[str, str]]:
    """Unit and direction of the metrics that the newest runs of a series have, those first by which they are judged."""
    newest = (
        select(run.c.id, run.c.plan)
        .where(run.c.case_label == case_label, run.c.target_name == target, run.c.plan_hash == plan_hash)
        .order_by(run.c.started_ns.desc())
        .limit(20)
    )
    with reading(store.engine) as connection:
        runs = connection.execute(newest).all()
        statement = (
            select(score.c.metric, score.c.unit, score.c.direction)
            .where(score.c.run_id.in_([each.id for each in runs]))
            .order_by(score.c.position)
        )
        found = {metric: (unit, direction) for metric, unit, direction in connection.execute(statement)}
    judged = read_plan(runs[0].plan).metrics if runs else ()
    return {name: found[name] for name in dict.fromkeys((*judged, *found)) if name in found}


@dataclass(frozen=True)
class Wanted:
    """The runs that a history is of. Times are ns since 1970; `until_ns` is not in it any more."""

    case: str
    plan: str
    works: tuple[Work, ...]
    since_ns: int | None = None
    until_ns: int | None = None

    @property
    def keys(self) -> list[str]:
        """Keys of the works."""
        return sorted(each.key for each in self.works)

    @property
    def names(self) -> list[str]:
        """Names of the target."""
        return sorted({each.target for each in self.works})


class SessionScores(NamedTuple):
    """What one session has of a history."""

    session_id: str
    host: str
    started_ns: int
    runs: int
    work: Work
    """Of several the one that began first."""
    scores: tuple[Counting, ...]
    """Those that count, by block and attempt."""


def scores(store: Store, wanted: Wanted, metric: str, most: int = MAX_SESSIONS) -> list[SessionScores]:
    """The sessions of a history in the order in which its runs began, the newest `most` of them."""
    with reading(store.engine) as connection:
        rows = connection.execute(_scores_of_works(wanted, metric, most)).all()
        groups: dict[str, list[Row[Any]]] = {}
        for row in reversed(rows):
            groups.setdefault(row.session_id, []).append(row)
        found = {of: _kept(of, metric, group) for of, group in groups.items()}
        lost = [of for of, kept in found.items() if kept is None]
        found |= _from_runs(connection, wanted, metric, lost)
    by_key = {each.key: each for each in wanted.works}
    return [
        SessionScores(
            of,
            group[0].host_name or "",
            group[0].first_ns,
            sum(row.runs for row in group),
            by_key[group[0].work_key],
            tuple(sorted(found[of] or ())),
        )
        for of, group in groups.items()
    ]


def _scores_of_works(wanted: Wanted, metric: str, most: int) -> Select[Any]:
    """A row for each work of a session, those that began last first."""
    mine = session_work.c
    kept = and_(
        session_score.c.work_key == mine.work_key,
        session_score.c.metric == metric,
        session_score.c.session_id == mine.session_id,
    )
    # Which sessions: told by the counts alone, before their long rows are touched.
    began_ns = func.min(mine.first_ns)
    of = (
        select(mine.session_id, began_ns.label("began_ns"))
        .where(mine.work_key.in_(wanted.keys))
        .group_by(mine.session_id)
        .having(and_(True, *_between(began_ns, wanted)))
        .order_by(began_ns.desc(), mine.session_id.desc())
        .limit(most)
        .subquery()
    )
    return (
        select(mine.session_id, mine.work_key, mine.first_ns, mine.runs, mine.valid, session.c.host_name)
        .add_columns(session_score.c.content, session_score.c.checksum)
        .select_from(
            of.join(session_work, mine.session_id == of.c.session_id)
            .join(session, session.c.id == of.c.session_id)
            .outerjoin(session_score, kept)
        )
        .where(mine.work_key.in_(wanted.keys))
        .order_by(of.c.began_ns.desc(), mine.session_id.desc(), mine.first_ns.desc(), mine.work_key.desc())
    )


def _kept(session_id: str, metric: str, group: Sequence[Row[Any]]) -> list[Counting] | None:
    """What is kept of the works of a session; None where one of them is damaged, or lacks some of its valid runs.

    An older version that had the store open while it was migrated adds runs without their scores. A work whose runs
    have no such score looks the same, and is asked of its runs as well.
    """
    found: list[Counting] = []
    for row in group:
        kept: Sequence[Counting] | None = (
            () if row.content is None else read((row.work_key, metric, session_id), row.content, row.checksum)
        )
        if kept is None or len(kept) < row.valid:
            return None
        found += kept
    return found


def _from_runs(
    connection: Connection, wanted: Wanted, metric: str, session_ids: Sequence[str]
) -> dict[str, list[Counting] | None]:
    """The same from the runs themselves, for sessions of which nothing sound is kept."""
    found: dict[str, list[Counting] | None] = {of: [] for of in session_ids}
    for start in range(0, len(session_ids), CHUNK):
        for point in _points(connection, wanted, metric, session_ids[start : start + CHUNK]):
            counts = found[point.session_id]
            if counts is not None and point.status == RunStatus.OK and point.value is not None and point.value > 0:
                counts.append(Counting(point.block, point.attempt, point.value))
    return found


class Point(NamedTuple):
    """One run of a series; `value` is None where it has no such score."""

    run_id: str
    session_id: str
    block: int
    attempt: int
    started_ns: int
    status: str
    value: float | None


def points(store: Store, wanted: Wanted, metric: str, session_ids: Sequence[str]) -> list[Point]:
    """The runs of a history in some of its sessions, in the order of time."""
    with reading(store.engine) as connection:
        return _points(connection, wanted, metric, session_ids)


def _points(connection: Connection, wanted: Wanted, metric: str, session_ids: Sequence[str]) -> list[Point]:
    columns = (run.c.id, run.c.session_id, run.c.block, run.c.attempt, run.c.started_ns, run.c.status)
    checked = (score.c.metric, score.c.unit, score.c.direction, score.c.value, score.c.checksum)
    joined = run.outerjoin(score, and_(score.c.run_id == run.c.id, score.c.metric == metric))
    statement = (
        select(run.c.checksum, *(run.c[name] for name in OF_RUN), *checked, *columns, score.c.value)
        .select_from(joined)
        .where(run.c.case_label == wanted.case, run.c.target_name.in_(wanted.names), run.c.plan_hash == wanted.plan)
        .where(run.c.session_id.in_(session_ids))
        .order_by(run.c.started_ns, run.c.id)
    )
    return [_point(row) for row in connection.execute(statement)]


def _between(column: ColumnElement[int], wanted: Wanted) -> Iterable[ColumnElement[bool]]:
    if wanted.since_ns is not None:
        yield column >= wanted.since_ns
    if wanted.until_ns is not None:
        yield column < wanted.until_ns


def _point(row: Sequence[Any]) -> Point:
    """A run of a series; one whose score was changed after it was stored does not count."""
    sealed, *rest = row
    of_run, (*parts, checksum), point = rest[: len(OF_RUN)], rest[len(OF_RUN) : -7], Point._make(rest[-7:])
    if sealed is None or point.value is None or of_score(joined(of_run), *parts) == checksum:
        return point
    return point._replace(status=RunStatus.INVALID.value)
