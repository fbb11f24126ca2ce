"""Finding sessions among hundreds of thousands of runs, without reading the runs themselves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, and_, func, literal_column, or_, select, tuple_

from plimsoll.model import Run, RunStatus, Session, Target
from plimsoll.store.checked import altered_among
from plimsoll.store.connection import reading
from plimsoll.store.names import MIN_TYPED
from plimsoll.store.records import CHUNK, read_runs, read_session, read_target
from plimsoll.store.schema import histogram, run, session, session_work, work
from plimsoll.store.store import Store

MAX_WORDS = 8
TAG_WORD = "tag:"
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


_LINE = (
    session.c.id,
    session.c.title,
    session.c.started_ns,
    session.c.ended_ns,
    session.c.state,
    func.coalesce(session.c.host_name, "").label("host"),
    func.coalesce(session.c.tags, "").label("tags"),
    func.coalesce(session.c.note, "").label("note"),
)
_NEWEST_FIRST = session.c.started_ns.desc(), session.c.id.desc()


def find_lines(store: Store, query: Query, before: tuple[int, str] | None = None, limit: int = 50) -> list[Line]:
    """Sessions that fit, newest first; `before` is start and id of the last one that was shown."""
    statement = select(*_LINE).where(*_conditions(query)).order_by(*_NEWEST_FIRST).limit(limit)
    if before is not None:
        statement = statement.where(tuple_(session.c.started_ns, session.c.id) < before)
    return _lines(store, statement)


def lines_of(store: Store, session_ids: Sequence[str]) -> list[Line]:
    """These sessions, newest first."""
    return _lines(store, select(*_LINE).where(session.c.id.in_(session_ids)).order_by(*_NEWEST_FIRST))


def _lines(store: Store, statement: Select[Any]) -> list[Line]:
    with reading(store.engine) as connection:
        rows = [dict(row._mapping) for row in connection.execute(statement)]
        by_session: dict[str, list[Place]] = defaultdict(list)
        for start in range(0, len(rows), CHUNK):
            for row in connection.execute(_places_of([each["id"] for each in rows[start : start + CHUNK]])):
                by_session[row[0]].append(Place._make(row))
    return [
        Line(**each | {"tags": tuple(each["tags"].split()), "places": tuple(by_session[each["id"]])}) for each in rows
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


def heard_ns(store: Store, session_id: str) -> int:
    """When the last stored run of a session began; 0 where it has none."""
    statement = select(func.max(session_work.c.last_ns)).where(session_work.c.session_id == session_id)
    with reading(store.engine) as connection:
        return connection.execute(statement).scalar() or 0


def run_counts(store: Store) -> dict[str, tuple[int, int]]:
    """How many runs of each session are valid, and how many there are; a session without runs is absent."""
    sums = func.sum(session_work.c.valid), func.sum(session_work.c.runs)
    statement = select(session_work.c.session_id, *sums).group_by(session_work.c.session_id)
    with reading(store.engine) as connection:
        rows = connection.execute(statement).all()
    return {session_id: (int(ok), int(made)) for session_id, ok, made in rows}


def _places_of(session_ids: Sequence[str]) -> Select[Any]:
    counts, names = session_work.c, ("test", "case_label", "target_name", "target_kind", "plan_hash")
    columns = (counts.session_id, *(work.c[name] for name in names))
    return (
        select(*columns, func.sum(counts.runs), func.sum(counts.valid))
        .join_from(session_work, work)
        .where(counts.session_id.in_(session_ids))
        .group_by(*columns)
        .order_by(counts.session_id, work.c.test, work.c.case_label, work.c.target_name, work.c.plan_hash)
    )


def _conditions(query: Query) -> list[ColumnElement[bool]]:
    found = [_word(word) for word in query.text.split()[:MAX_WORDS]]
    same = [
        column == value
        for column, value in (
            (work.c.test, query.test),
            (work.c.target_name, query.target),
            (work.c.target_kind, query.kind),
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
    ran = [column.icontains(word, autoescape=True) for column in (work.c.test, work.c.case_label, work.c.target_name)]
    return or_(*own, _has_run(or_(*ran)))


def _has_run(condition: ColumnElement[bool]) -> ColumnElement[bool]:
    fitting = select(work.c.key).where(condition)
    own = session_work.c.session_id == session.c.id, session_work.c.work_key.in_(fitting)
    return select(session_work.c.session_id).where(*own).exists()


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
    tags: tuple[str, ...]


def choices(store: Store) -> Choices:
    """The tests, kinds of targets, hosts and tags that occur, in order of their names; baselines are no such tags."""
    with reading(store.engine) as connection:
        pairs = connection.execute(select(work.c.test, work.c.target_kind).distinct().limit(MAX_CHOICES * 10)).all()
        hosts = connection.execute(select(session.c.host_name).distinct().limit(MAX_CHOICES)).scalars().all()
        tagged = select(session.c.tags).where(session.c.tags.is_not(None)).distinct().limit(MAX_CHOICES * 10)
        tags = {tag for text in connection.execute(tagged).scalars() for tag in text.split() if ":" not in tag}
    return Choices(
        tags=tuple(sorted(tags)[:MAX_CHOICES]),
        tests=tuple(sorted({test for test, _ in pairs if test})[:MAX_CHOICES]),
        kinds=tuple(sorted({kind for _, kind in pairs if kind})[:MAX_CHOICES]),
        hosts=tuple(sorted(host for host in hosts if host)),
    )
