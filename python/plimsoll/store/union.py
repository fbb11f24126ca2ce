"""The union of records by id: in any order, in any grouping, twice, the result is the same.

Runs never change; of two versions of a session the one further along stays. Of what users say of it, title, note and
each tag, the later change stays, and a tag that was taken away stays away.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from sqlalchemy import Connection, select, update

from plimsoll.errors import ResultFileError, StoreError
from plimsoll.model import Run, Session, SessionState
from plimsoll.stats.parts import extensions_of
from plimsoll.store.codec import canonical_record
from plimsoll.store.connection import reading, writing
from plimsoll.store.records import (
    CHUNK,
    insert_runs,
    insert_session,
    read_runs,
    read_session,
    session_row,
    told,
)
from plimsoll.store.result_file import Record, read_results
from plimsoll.store.schema import run, session
from plimsoll.store.seal import without
from plimsoll.store.store import Store

_FURTHER = {SessionState.RUNNING: 0, SessionState.INTERRUPTED: 1, SessionState.DONE: 2}


@dataclass
class ImportSummary:
    """What an import or merge added, and how many runs were there before."""

    new_sessions: int = 0
    new_runs: int = 0
    already_there: int = 0

    def __str__(self) -> str:
        return (
            f"{_number(self.new_sessions, 'new session')}, {_number(self.new_runs, 'new run')}, "
            f"{_number(self.already_there, 'run')} already there"
        )


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def add_records(store: Store, records: Iterable[Record], place: str) -> ImportSummary:
    """Add sessions and runs that were read from elsewhere, sessions before their runs; `place` names it in errors."""
    summary = ImportSummary()
    with _lasting(store) as connection:
        absorb(connection, iter(records), place, summary, new=True)
    return summary


def merge_records(store: Store, records: Iterable[Record], place: str) -> ImportSummary:
    """Add sessions and runs from another store, with the checksums that they have; `place` names it in errors."""
    summary = ImportSummary()
    with _lasting(store) as connection:
        absorb(connection, iter(records), place, summary)
    return summary


def merge_sources(store: Store, sources: Sequence[Store | Path]) -> ImportSummary:
    """Add everything of open stores and result files that the store does not have: all of it, or nothing.

    Raises ResultFileError for a file that is damaged, hostile or contradicts the store, naming the run.
    """
    summary = ImportSummary()
    for source in sources:
        if not isinstance(source, Store):
            # To the end, so that a bad file is known before the store is locked.
            deque(read_results(source), maxlen=0)
    with _lasting(store) as connection:
        for source in sources:
            place = source.place if isinstance(source, Store) else str(source)
            absorb(connection, _records(source), place, summary)
    return summary


@contextmanager
def _lasting(store: Store) -> Iterator[Connection]:
    """As `writing`. Raises StoreError if what was written is in a file that nobody finds at the store's place."""
    with writing(store.engine) as connection:
        yield connection
    if store.has_vanished():
        raise StoreError(
            f"the store {store.place} was moved, deleted or replaced while it was written to; put it back, then run "
            "the command again"
        )


def _records(source: Store | Path) -> Iterator[Record]:
    return _all_of(source) if isinstance(source, Store) else read_results(source, checked=True)


def stored_records(connection: Connection, session_ids: Sequence[str]) -> Iterator[Record]:
    """Sessions by id, each followed by its runs by id."""
    for session_id in session_ids:
        yield read_session(connection.execute(select(session).where(session.c.id == session_id)).one())
        rows = connection.execute(select(run).where(run.c.session_id == session_id).order_by(run.c.id)).all()
        yield from read_runs(connection, rows, raw=True)


def _all_of(store: Store) -> Iterator[Record]:
    with reading(store.engine) as connection:
        yield from stored_records(connection, sorted(connection.execute(select(session.c.id)).scalars()))


def join(one: Session, other: Session) -> Session:
    """The version of a session that stays: further extended, then further along, ended later, last in canonical JSON.

    Of what users say of it, the later change stays.
    """
    return _labelled(max(one, other, key=_further), one, other)


def _further(version: Session) -> tuple[int, int, int, str]:
    plain = version.model_copy(update={"tags": (), "note": "", "edited": {}})
    # A title that was changed says nothing of how far a version is.
    if "title" in version.edited:
        plain = plain.model_copy(update={"title": ""})
    # One that is being extended is further along than the finished one that it was.
    parts = len(extensions_of(version.study))
    return parts, _FURTHER[version.state], version.ended_ns or 0, canonical_record(plain)


def _labelled(base: Session, one: Session, other: Session) -> Session:
    """`base` with what `one` and `other`, two versions of it, say: of title, note and each tag the later change."""
    edited = {name: max(one.edited.get(name, 0), other.edited.get(name, 0)) for name in {*one.edited, *other.edited}}
    pair = (one, other)
    note = max((each.edited.get("note", 0), each.note) for each in pair)[1]
    # A title that nobody changed belongs to the version that stays; only changed ones compete.
    changed = [(each.edited["title"], each.title) for each in pair if "title" in each.edited]
    title = max(changed)[1] if changed else base.title
    # A tag with a time that is not there was taken away; one without a time was there from the start, or never.
    tags = {
        tag
        for tag in {*one.tags, *other.tags}
        if max((each.edited.get(f"tag {tag}", 0), tag in each.tags) for each in pair)[1]
    }
    labels = {"title": title, "note": note, "tags": tuple(sorted(tags)), "edited": edited}
    return base.model_copy(update=labels)


def absorb(
    connection: Connection, records: Iterator[Record], place: str, summary: ImportSummary, *, new: bool = False
) -> None:
    """Add what the store does not have, within the transaction of `connection`; `place` names it in errors.

    With `new`, runs were just made, and get their checksums here.
    """
    # One moment for all: none of them came last.
    came_ns = time.time_ns()
    while chunk := list(islice(records, CHUNK)):
        _absorb_sessions(connection, [each for each in chunk if isinstance(each, Session)], summary, came_ns)
        _absorb_runs(connection, [each for each in chunk if isinstance(each, Run)], place, summary, new=new)


def _absorb_sessions(connection: Connection, arriving: Iterable[Session], summary: ImportSummary, came_ns: int) -> None:
    for record in arriving:
        row = connection.execute(select(session).where(session.c.id == record.id)).one_or_none()
        if row is None:
            insert_session(connection, record, came_ns)
            summary.new_sessions += 1
            continue
        there = read_session(row)
        joined = join(there, record)
        if joined != there:
            connection.execute(update(session).where(session.c.id == record.id).values(session_row(joined)))


def _absorb_runs(
    connection: Connection, arriving: Sequence[Run], place: str, summary: ImportSummary, *, new: bool
) -> None:
    rows = connection.execute(select(run).where(run.c.id.in_([record.id for record in arriving]))).all()
    there = {record.id: record for record in read_runs(connection, rows, raw=True)}
    for record in arriving:
        if record.id in there and _content(there[record.id]) != _content(record):
            raise ResultFileError(
                f"{place}: run {record.id} is known with other content; runs never change, so one of the two was "
                f"altered or made up: nothing was imported; {_which(there[record.id], record, place)}"
            )
    fresh = [record for record in arriving if record.id not in there]
    insert_runs(connection, fresh, new=new)
    summary.new_runs += len(fresh)
    summary.already_there += len(arriving) - len(fresh)


def _content(record: Run) -> str:
    """What two copies of a run must share; one that was made anew from another tool's file has no checksums yet."""
    return canonical_record(without(record))


def _which(there: Run, record: Run, place: str) -> str:
    """Which of two versions of a run does not match its own checksums."""
    altered = [name for name, each in (("the store", there), (place, record)) if told(each).findings != each.findings]
    if len(altered) == 1:
        return f"the one in {altered[0]} does not match its checksum; leave it out"
    return "find out which, and leave the other out"
