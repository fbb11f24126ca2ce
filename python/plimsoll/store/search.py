"""Finding sessions and series among hundreds of thousands of runs, without reading the runs themselves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, and_, case, distinct, func, literal_column, or_, select, tuple_

from plimsoll.model import Run, RunStatus, Session, Target
from plimsoll.store.checked import altered_among
from plimsoll.store.connection import reading
from plimsoll.store.names import MIN_TYPED
from plimsoll.store.records import CHUNK, read_runs, read_session, read_table, read_target
from plimsoll.store.schema import histogram, run, score, session
from plimsoll.store.seal import OF_RUN, of_score
from plimsoll.store.store import Store

MAX_WORDS = 8
TAG_WORD = "tag:"
MAX_POINTS = 20_000
"""Most runs of one series; the newest are taken."""

MAX_CHOICES = 200


@dataclass(frozen=True)
class Query:
    """What sessions must have; what is empty is not asked for. Times are ns since 1970."""

    text: str = ""
    """Words, all of which stand in the title, a tag, the note, the host, a test, a case or a target or the id.

    `tag:NAME` asks for just this tag.
    """
    test: str = ""
    target: str = ""
    host: str = ""
    kind: str = ""
    since_ns: int | None = None
    until_ns: int | None = None
    tag: str = ""


class Place(NamedTuple):
    """What one session ran of one plan on one target, with the number of runs and of valid runs."""

    session_id: str
    test: str
    case: str
    target: str
    kind: str
    plan_hash: str
    runs: int
    valid: int


@dataclass(frozen=True)
class Line:
    """A session as lists show it."""

    id: str
    title: str
    started_ns: int
    ended_ns: int | None
    state: str
    host: str
    tags: tuple[str, ...]
    note: str
    places: tuple[Place, ...]

    @property
    def tests(self) -> tuple[str, ...]:
        """Its tests, each once."""
        return tuple(dict.fromkeys(place.test for place in self.places))

    @property
    def targets(self) -> tuple[str, ...]:
        """Its targets, each once."""
        return tuple(dict.fromkeys(place.target for place in self.places))

    @property
    def runs(self) -> int:
        """How many runs it has."""
        return sum(place.runs for place in self.places)

    @property
    def valid(self) -> int:
        """How many of them count."""
        return sum(place.valid for place in self.places)


def find_lines(store: Store, query: Query, before: tuple[int, str] | None = None, limit: int = 50) -> list[Line]:
    """Sessions that fit, newest first; `before` is start and id of the last one that was shown."""
    statement = (
        select(
            session.c.id,
            session.c.title,
            session.c.started_ns,
            session.c.ended_ns,
            session.c.state,
            func.coalesce(session.c.host_name, ""),
            func.coalesce(session.c.tags, ""),
            func.coalesce(session.c.note, ""),
        )
        .where(*_conditions(query))
        .order_by(session.c.started_ns.desc(), session.c.id.desc())
        .limit(limit)
    )
    if before is not None:
        statement = statement.where(tuple_(session.c.started_ns, session.c.id) < before)
    with reading(store.engine) as connection:
        rows = connection.execute(statement).all()
        by_session: dict[str, list[Place]] = defaultdict(list)
        for start in range(0, len(rows), CHUNK):
            for row in connection.execute(_places_of([row[0] for row in rows[start : start + CHUNK]])):
                by_session[row[0]].append(Place._make(row))
    return [
        Line(*row[:-2], tags=tuple(row[-2].split()), note=row[-1], places=tuple(by_session[row[0]])) for row in rows
    ]


def matching(store: Store, query: Query) -> set[str]:
    """The ids of all sessions that fit."""
    with reading(store.engine) as connection:
        return set(connection.execute(select(session.c.id).where(*_conditions(query))).scalars())


def databases(store: Store) -> list[Target]:
    """The databases at an address that runs have measured, each as the newest of them had it."""
    statement = (
        select(run.c.target, func.max(run.c.started_ns).label("newest"))
        .where(run.c.target_kind == "database")
        .group_by(run.c.target)
        .order_by(literal_column("newest"))
    )
    with reading(store.engine) as connection:
        found = [read_target(row.target) for row in connection.execute(statement)]
    return list(
        {target.where: target for target in found if not target.where.startswith(("http", "memory", "null"))}.values()
    )


def get_session(store: Store, session_id: str) -> Session | None:
    """The session of this full id, if there is one."""
    with reading(store.engine) as connection:
        row = connection.execute(select(session).where(session.c.id == session_id)).one_or_none()
        return None if row is None else read_session(row)


def get_run(store: Store, run_id: str) -> Run | None:
    """The run of this full id with all its material, if there is one."""
    with reading(store.engine) as connection:
        rows = connection.execute(select(run).where(run.c.id == run_id)).all()
        return next(read_runs(connection, rows), None)


def places(store: Store, session_ids: Sequence[str]) -> list[Place]:
    """What the sessions ran where."""
    with reading(store.engine) as connection:
        return [Place._make(row) for row in connection.execute(_places_of(session_ids))]


def run_counts(store: Store) -> dict[str, tuple[int, int]]:
    """How many runs of each session are valid, and how many there are; a session without runs is absent."""
    valid = func.sum(case((run.c.status == RunStatus.OK.value, 1), else_=0))
    with reading(store.engine) as connection:
        rows = connection.execute(select(run.c.session_id, valid, func.count()).group_by(run.c.session_id)).all()
    return {session_id: (int(ok), int(made)) for session_id, ok, made in rows}


def _places_of(session_ids: Sequence[str]) -> Select[Any]:
    empty: ColumnElement[str] = literal_column("''")
    test, kind = func.coalesce(run.c.test, empty), func.coalesce(run.c.target_kind, empty)
    columns = (run.c.session_id, test, run.c.case_label, run.c.target_name, kind, run.c.plan_hash)
    valid = func.sum(case((run.c.status == RunStatus.OK.value, 1), else_=0))
    return (
        select(*columns, func.count(), valid)
        .where(run.c.session_id.in_(session_ids))
        .group_by(*columns)
        .order_by(run.c.session_id, test, run.c.case_label, run.c.target_name, run.c.plan_hash)
    )


def _conditions(query: Query) -> list[ColumnElement[bool]]:
    found = [_word(word) for word in query.text.split()[:MAX_WORDS]]
    same = [
        column == value
        for column, value in (
            (run.c.test, query.test),
            (run.c.target_name, query.target),
            (run.c.target_kind, query.kind),
        )
        if value
    ]
    if same:
        # One run has it all: test fio on a device, not some fio run and some other run on a device.
        found.append(_has_run(and_(*same)))
    if query.tag:
        found.append(_has_tag(query.tag))
    if query.host:
        found.append(session.c.host_name == query.host)
    if query.since_ns is not None:
        found.append(session.c.started_ns >= query.since_ns)
    if query.until_ns is not None:
        found.append(session.c.started_ns < query.until_ns)
    return found


def _has_tag(tag: str) -> ColumnElement[bool]:
    return session.c.tags.contains(f" {tag.lower()} ", autoescape=True)


def _word(word: str) -> ColumnElement[bool]:
    if word.startswith(TAG_WORD) and len(word) > len(TAG_WORD):
        return _has_tag(word.removeprefix(TAG_WORD))
    texts = session.c.title, session.c.host_name, session.c.tags, session.c.note
    own = [column.icontains(word, autoescape=True) for column in texts]
    if len(word) >= MIN_TYPED:
        own.append(session.c.id.icontains(word, autoescape=True))
    ran = [column.icontains(word, autoescape=True) for column in (run.c.test, run.c.case_label, run.c.target_name)]
    return or_(*own, _has_run(or_(*ran)))


def _has_run(condition: ColumnElement[bool]) -> ColumnElement[bool]:
    return select(run.c.session_id).where(run.c.session_id == session.c.id, condition).exists()


def targets(store: Store, session_id: str) -> dict[str, Target]:
    """The targets of a session by name, with the facts of one of their runs."""
    statement = select(run.c.target).where(run.c.session_id == session_id).distinct().order_by(run.c.target)
    with reading(store.engine) as connection:
        found = [read_target(text) for text in connection.execute(statement).scalars()]
    return {target.name: target for target in found}


class RunLine(NamedTuple):
    """A run as lists show it."""

    id: str
    case: str
    target: str
    block: int
    order: int
    attempt: int
    started_ns: int
    status: str
    reason: str


def run_lines(store: Store, session_id: str, start: int = 0, limit: int = 500) -> list[RunLine]:
    """Runs of a session in the order in which they began, from the one at `start` on."""
    columns = (
        *(run.c.id, run.c.case_label, run.c.target_name, run.c.block, run.c.position, run.c.attempt),
        *(run.c.started_ns, run.c.status, run.c.reason),
    )
    statement = (
        select(*columns).where(run.c.session_id == session_id).order_by(run.c.started_ns, run.c.position, run.c.id)
    )
    with reading(store.engine) as connection:
        lines = [RunLine._make(row) for row in connection.execute(statement.offset(start).limit(limit))]
        altered = altered_among(connection, [line.id for line in lines])
    return [_changed(line) if line.id in altered else line for line in lines]


def _changed(line: RunLine) -> RunLine:
    return line._replace(status=RunStatus.INVALID.value, reason="changed after it was stored")


def histogram_rows(store: Store, session_id: str) -> list[tuple[str, str, str, int, str, bytes]]:
    """Case, target, kind, start and status of every run of a session with the bytes of its histogram, in that order."""
    statement = (
        select(
            *(run.c.case_label, run.c.target_name, histogram.c.kind, run.c.started_ns, run.c.status),
            histogram.c.encoded,
        )
        .join(histogram, histogram.c.run_id == run.c.id)
        .where(run.c.session_id == session_id)
        .order_by(run.c.started_ns, run.c.id, histogram.c.kind)
    )
    with reading(store.engine) as connection:
        return [
            (label, target, kind, started_ns, status, bytes(encoded))
            for label, target, kind, started_ns, status, encoded in connection.execute(statement)
        ]


@dataclass(frozen=True)
class Choices:
    """What a search form offers."""

    tests: tuple[str, ...]
    kinds: tuple[str, ...]
    hosts: tuple[str, ...]


def choices(store: Store) -> Choices:
    """The tests, kinds of targets and hosts that occur, in order of their names."""
    with reading(store.engine) as connection:
        pairs = connection.execute(select(run.c.test, run.c.target_kind).distinct().limit(MAX_CHOICES * 10)).all()
        hosts = connection.execute(select(session.c.host_name).distinct().limit(MAX_CHOICES)).scalars().all()
    return Choices(
        tests=tuple(sorted({test for test, _ in pairs if test})[:MAX_CHOICES]),
        kinds=tuple(sorted({kind for _, kind in pairs if kind})[:MAX_CHOICES]),
        hosts=tuple(sorted(host for host in hosts if host)),
    )


@dataclass(frozen=True)
class Series:
    """One case on one target, which may have a history."""

    case: str
    target: str
    sessions: int
    runs: int
    last_ns: int


def series(store: Store, text: str = "", limit: int = 100) -> list[Series]:
    """The cases and targets with the most sessions; `text` narrows them to names that hold its words."""
    words = [
        or_(run.c.case_label.icontains(word, autoescape=True), run.c.target_name.icontains(word, autoescape=True))
        for word in text.split()[:MAX_WORDS]
    ]
    sessions = func.count(distinct(run.c.session_id))
    statement = (
        select(run.c.case_label, run.c.target_name, sessions, func.count(), func.max(run.c.started_ns))
        .where(*words)
        .group_by(run.c.case_label, run.c.target_name)
        .order_by(sessions.desc(), run.c.case_label, run.c.target_name)
        .limit(limit)
    )
    with reading(store.engine) as connection:
        return [Series(*row) for row in connection.execute(statement)]


class Point(NamedTuple):
    """One run of a series; `value` is None where it has no such score."""

    run_id: str
    session_id: str
    host: str
    block: int
    attempt: int
    started_ns: int
    status: str
    value: float | None


def plans_of(store: Store, case_label: str, target: str) -> list[tuple[str, int, int]]:
    """The plans of a series, the newest first: hash, number of runs, start of the last one."""
    last = func.max(run.c.started_ns)
    statement = (
        select(run.c.plan_hash, func.count(), last)
        .where(run.c.case_label == case_label, run.c.target_name == target)
        .group_by(run.c.plan_hash)
        .order_by(last.desc(), run.c.plan_hash)
        .limit(MAX_CHOICES)
    )
    with reading(store.engine) as connection:
        return [(hash, count, last_ns) for hash, count, last_ns in connection.execute(statement)]


def metrics_of(store: Store, case_label: str, target: str, plan_hash: str) -> dict[str, tuple[str, str]]:
    """Unit and direction of the metrics that the newest runs of a series have, in their order."""
    newest = (
        select(run.c.id)
        .where(run.c.case_label == case_label, run.c.target_name == target, run.c.plan_hash == plan_hash)
        .order_by(run.c.started_ns.desc())
        .limit(20)
    )
    statement = (
        select(score.c.metric, score.c.unit, score.c.direction)
        .where(score.c.run_id.in_(newest))
        .order_by(score.c.position)
    )
    with reading(store.engine) as connection:
        return {metric: (unit, direction) for metric, unit, direction in connection.execute(statement)}


def points(store: Store, case_label: str, target: str, plan_hash: str, metric: str, host: str | None) -> list[Point]:
    """The runs of one plan of a series in the order of time, the newest MAX_POINTS; `host` None means all hosts."""
    host_name = func.coalesce(session.c.host_name, "")
    columns = (run.c.id, run.c.session_id, host_name, run.c.block, run.c.attempt, run.c.started_ns, run.c.status)
    checked = (score.c.metric, score.c.unit, score.c.direction, score.c.value, score.c.checksum)
    joined = run.join(session, session.c.id == run.c.session_id).outerjoin(
        score, and_(score.c.run_id == run.c.id, score.c.metric == metric)
    )
    statement = (
        select(run.c.checksum, *(run.c[name] for name in OF_RUN), *checked, *columns, score.c.value)
        .select_from(joined)
        .where(run.c.case_label == case_label, run.c.target_name == target, run.c.plan_hash == plan_hash)
        .order_by(run.c.started_ns.desc(), run.c.id.desc())
        .limit(MAX_POINTS)
    )
    if host is not None:
        statement = statement.where(host_name == host)
    with reading(store.engine) as connection:
        return [_point(row) for row in connection.execute(statement)][::-1]


def _point(row: Sequence[Any]) -> Point:
    """A run of a series; one whose score was changed after it was stored does not count."""
    sealed, *rest = row
    of_run, (*parts, checksum), point = rest[: len(OF_RUN)], rest[len(OF_RUN) : -8], Point._make(rest[-8:])
    if sealed is None or point.value is None or of_score(of_run, *parts) == checksum:
        return point
    return point._replace(status=RunStatus.INVALID.value)


def places_of(store: Store, case_label: str, target: str, plan_hash: str) -> dict[str, tuple[Target, dict[str, Any]]]:
    """By session the target of a plan of a series, with the facts of its first run, and the facts of the host."""
    statement = (
        select(run.c.session_id, run.c.target, session.c.host)
        .select_from(run.join(session, session.c.id == run.c.session_id))
        .where(run.c.case_label == case_label, run.c.target_name == target, run.c.plan_hash == plan_hash)
        .distinct()
        .order_by(run.c.session_id, run.c.target)
    )
    found: dict[str, tuple[Target, dict[str, Any]]] = {}
    with reading(store.engine) as connection:
        for session_id, text, host in connection.execute(statement):
            if session_id not in found:
                found[session_id] = (read_target(text), read_table(host, f"the host of session {session_id}"))
    return found


def hosts_of(store: Store, case_label: str, target: str, plan_hash: str) -> list[str]:
    """The hosts on which a plan of a series ran, the one of the newest run first; "" where it is not known."""
    last = func.max(run.c.started_ns)
    statement = (
        select(session.c.host_name)
        .select_from(run.join(session, session.c.id == run.c.session_id))
        .where(run.c.case_label == case_label, run.c.target_name == target, run.c.plan_hash == plan_hash)
        .group_by(session.c.host_name)
        .order_by(last.desc())
        .limit(MAX_CHOICES)
    )
    with reading(store.engine) as connection:
        return [host or "" for host in connection.execute(statement).scalars()]
