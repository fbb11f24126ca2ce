"""What of a store is damaged, what of it can be read, and how that is saved. Nothing of the store is changed.

A session is whole if each of its runs can be read with everything that belongs to it, and none of them is missing:
SQLite finds runs by the table and by three indexes, and damage makes these differ.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import URL, ColumnElement, Engine, literal_column, select, text

from plimsoll.altered import GUARD, has_no_checksum
from plimsoll.errors import NotAStore, PlimsollError, StoreError, StoreTooNew
from plimsoll.model import Run, Session
from plimsoll.store import kept_scores, works
from plimsoll.store.connection import check_file, connect, reading, show, sqlite_file
from plimsoll.store.location import STORE_VARIABLE
from plimsoll.store.migrate import revision_of
from plimsoll.store.names import short_id
from plimsoll.store.read_only import connect_read_only, open_as_it_is
from plimsoll.store.records import CHUNK, check_keepable, read_runs, read_session
from plimsoll.store.schema import run, session

MOST_SENTENCES = 20
_WAYS = (
    "SELECT rowid, session_id FROM run NOT INDEXED",
    "SELECT rowid, session_id FROM run INDEXED BY ix_run_session_id_started_ns_id",
    "SELECT rowid, session_id FROM run INDEXED BY ix_run_place",
    "SELECT rowid, session_id FROM run INDEXED BY ix_run_history",
)
_ELSEWHERE = "SELECT id, session_id FROM run"
"""In PostgreSQL, which answers nothing where an index is damaged."""
_SESSIONS = ("SELECT id FROM session NOT INDEXED", "SELECT id FROM session INDEXED BY ix_session_started_ns_id")


@dataclass
class Checked:
    """One session of the store."""

    id: str
    title: str = ""
    readable: list[Any] = field(default_factory=list)
    """Rows of the runs that can be read."""
    together: bool = True
    """Whether they can be read together."""
    damages: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    """Ids of the runs that do not match their checksums."""
    unsealed: int = 0
    """Runs that have none."""
    miscounted: bool = False
    """Whether what is kept of it for lists and histories differs from its runs."""
    record: Session | None = None

    @property
    def whole(self) -> bool:
        """Whether everything of it can be read."""
        return not self.damages

    def as_table(self) -> dict[str, Any]:
        """The record that `--json` prints."""
        return {
            "session": self.id,
            "title": self.title,
            "whole": self.whole,
            "runs": len(self.readable),
            "changed": self.changed,
            "without_checksum": self.unsealed,
            "miscounted": self.miscounted,
            "damages": self.damages,
        }


@dataclass
class Checkup:
    """What was found."""

    place: str
    damages: list[str] = field(default_factory=list)
    """Of the store as a whole."""
    sessions: list[Checked] = field(default_factory=list)

    @property
    def good(self) -> bool:
        """Whether nothing is damaged and nothing was changed."""
        return not self.damages and all(
            each.whole and not each.changed and not each.miscounted for each in self.sessions
        )

    @property
    def sentences(self) -> list[str]:
        """What is not as it should be, one after the other."""
        told = [f"{self.place}: {each}" for each in dict.fromkeys(self.damages)]
        for each in self.sessions:
            name = f"session {short_id(each.id)}" + (f" ({each.title})" if each.title else "")
            told += [f"{name}: {damage}" for damage in each.damages]
            told += [f"{name}: run {changed} was changed after it was stored" for changed in each.changed]
            if each.miscounted:
                told.append(f"{name}: the counts or scores that lists and histories show of it differ from its runs")
        return told


class Examination:
    """An open store that may be damaged. Raises StoreError where none is, or none that this version can read."""

    def __init__(self, place: URL) -> None:
        self._place = place
        self.checkup = Checkup(show(place))
        self._foreign: NotAStore | None = None
        self._engine = self._opened()

    def __enter__(self) -> Examination:
        self._look()
        if self._foreign and not self.checkup.sessions:
            self._engine.dispose()
            raise self._foreign
        return self

    def __exit__(self, *_: object) -> None:
        self._engine.dispose()

    def records(self, of: Checked) -> Iterator[Session | Run]:
        """A session with the runs of it that can be read, as they are stored."""
        if of.record is not None:
            yield of.record
            # As it was examined: where pages are damaged, what is found together and alone may differ.
            for keys in [of.readable] if of.together else [[key] for key in of.readable]:
                yield from self._runs(keys, raw=True)

    def _opened(self) -> Engine:
        nothing = StoreError(f"there is no store at {self.checkup.place}; {STORE_VARIABLE} names one that is elsewhere")
        if not self._is_sqlite:
            engine = connect(self._place)
            with reading(engine) as connection:
                if revision_of(connection) is None:
                    raise nothing
            return engine
        if file := sqlite_file(self._place):
            check_file(file)
            if not Path(file).exists():
                raise nothing
        try:
            return connect_read_only(self._place)
        except StoreTooNew:
            raise
        except StoreError as error:
            self.checkup.damages.append(_reason(error))
            if isinstance(error, NotAStore):
                # The name of a table may be what is damaged: if a session is found, it is a store after all.
                self._foreign = error
        return open_as_it_is(self._place)

    def _look(self) -> None:
        if self._is_sqlite:
            found, error = self._rows(f"PRAGMA integrity_check({MOST_SENTENCES})")
            self.checkup.damages += [str(row[0]) for row in found if row[0] != "ok"]
            self.checkup.damages += [error] if error else []
        known = self._session_ids()
        runs, doubts = self._run_rows()
        for session_id in sorted({*known, *runs}):
            checked = Checked(session_id, damages=list(doubts.get(session_id, [])) + doubts.get("", []))
            self.checkup.sessions.append(checked)
            self._look_at(checked, sorted(runs.get(session_id, ())))

    def _session_ids(self) -> set[str]:
        found = [self._rows(way) for way in (_SESSIONS if self._is_sqlite else ("SELECT id FROM session",))]
        self._note_ends(found, "sessions")
        return {str(row[0]) for rows, _ in found for row in rows}

    def _run_rows(self) -> tuple[dict[str, set[Any]], dict[str, list[str]]]:
        """The runs of each session, and by session (all of them: "") why some may be missing."""
        found = [self._rows(way) for way in (_WAYS if self._is_sqlite else (_ELSEWHERE,))]
        self._note_ends(found, "runs")
        every = {row for rows, _ in found for row in rows}
        runs: dict[str, set[Any]] = defaultdict(set)
        for key, session_id in every:
            runs[str(session_id)].add(key)
        doubts: dict[str, list[str]] = defaultdict(list)
        complete = [set(rows) for rows, error in found if not error]
        if not complete:
            doubts[""].append("runs may be missing: neither the table nor an index can be read to the end")
        for session_id in {str(row[1]) for rows in complete for row in every - rows}:
            doubts[session_id].append("its runs differ between the table and its indexes: some may be missing")
        return runs, doubts

    @property
    def _is_sqlite(self) -> bool:
        return self._place.get_backend_name() == "sqlite"

    @property
    def _key(self) -> ColumnElement[Any]:
        """What names a row of the table of runs."""
        return literal_column("run.rowid") if self._is_sqlite else run.c.id

    def _note_ends(self, found: Sequence[tuple[Sequence[Any], str]], what: str) -> None:
        self.checkup.damages += [f"the list of {what} ends early: {error}" for _, error in found if error]

    def _look_at(self, checked: Checked, keys: Sequence[Any]) -> None:
        try:
            found_session = self._session(checked.id)
            check_keepable(found_session)
            checked.record, checked.title = found_session, found_session.title
        except Exception as error:
            checked.damages.append(f"the session itself cannot be read: {_reason(error)}")
        try:
            found = list(self._runs(keys, raw=False))
        except Exception:
            found = []
        if len(found) == len(keys):
            for key, each in zip(keys, found, strict=True):
                self._count(checked, key, each)
            self._recount(checked)
            return
        checked.together = False
        for key in keys:
            self._try(checked, key)

    def _try(self, checked: Checked, key: Any) -> None:
        try:
            found = next(self._runs([key], raw=False), None)
        except Exception as error:
            checked.damages.append(f"{self._called(key)} cannot be read: {_reason(error)}")
            return
        if found is None:
            checked.damages.append(f"{self._called(key)} is in an index, but not in the table")
        else:
            self._count(checked, key, found)

    def _called(self, key: Any) -> str:
        """A run by its id, or by its row where that cannot be read."""
        rows, _ = self._rows(f"SELECT id FROM run WHERE rowid = {int(key)}") if self._is_sqlite else ([(key,)], "")
        return f"run {rows[0][0]}" if rows else f"the run in row {key}"

    def _count(self, checked: Checked, key: Any, found: Run) -> None:
        if found.session_id != checked.id:
            checked.damages.append(f"run {found.id} is in an index as one of another session")
            return
        try:
            check_keepable(found)
        except StoreError as error:
            checked.damages.append(_reason(error))
            return
        checked.readable.append(key)
        checked.unsealed += has_no_checksum(found)
        if any(finding.guard == GUARD for finding in found.findings):
            checked.changed.append(found.id)

    def _recount(self, checked: Checked) -> None:
        """Compare what is kept with the runs; what was changed since must differ."""
        if not checked.whole or checked.changed:
            return
        try:
            with reading(self._engine) as connection:
                checked.miscounted = works.miscounted(connection, checked.id) or kept_scores.differing(
                    connection, checked.id
                )
        except Exception as error:
            self.checkup.damages.append(f"the counts of sessions cannot be read: {_reason(error)}")

    def _session(self, session_id: str) -> Session:
        with reading(self._engine) as connection:
            row = connection.execute(select(session).where(session.c.id == session_id)).one_or_none()
            if row is None:
                raise StoreError("it is not in the table")
            return read_session(row)

    def _runs(self, keys: Sequence[Any], *, raw: bool) -> Iterator[Run]:
        for start in range(0, len(keys), CHUNK):
            with reading(self._engine) as connection:
                wanted = select(run).where(self._key.in_(keys[start : start + CHUNK])).order_by(self._key)
                yield from read_runs(connection, connection.execute(wanted).all(), raw=raw)

    def _rows(self, statement: str) -> tuple[list[tuple[Any, ...]], str]:
        """What can be read, and why not more."""
        found: list[tuple[Any, ...]] = []
        try:
            with reading(self._engine) as connection:
                found.extend(map(tuple, connection.execute(text(statement))))
        except Exception as error:
            return found, _reason(error)
        return found, ""


def _reason(error: Exception) -> str:
    """The database's own words; the advice of this command's own errors would send the user here again."""
    words = (str(error).strip() or type(error).__name__).splitlines()[0]
    if isinstance(error, PlimsollError):
        words = words.partition(" cannot be used: ")[2] or words
        words = words.partition("; ")[0]
    return words[:300]


def first_damage(place: URL) -> str:
    """What is damaged in a store, in one sentence; empty where nothing is."""
    try:
        with Examination(place) as examination:
            found = [each for each in examination.checkup.sentences if "was changed after" not in each]
    except PlimsollError:
        return ""
    return found[0] if found else ""
