"""The result store: sessions and runs in SQLite, or in PostgreSQL for a team."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import Engine, or_, select, update
from sqlalchemy.exc import IntegrityError

from plimsoll.errors import StoreError, UnknownName
from plimsoll.model import RENTED, Plan, Run, Session, SessionState
from plimsoll.store import names
from plimsoll.store.checked import altered_runs
from plimsoll.store.connection import WAIT_OPTION, reading, show, writing
from plimsoll.store.open_file import OPTION, OpenFile, identity
from plimsoll.store.records import (
    CHUNK,
    insert_runs,
    insert_session,
    read_plan,
    read_runs,
    read_session,
    session_row,
)
from plimsoll.store.schema import histogram, run, score, session

if TYPE_CHECKING:
    from plimsoll.stats.paired import ScoreRow


class Store:
    """Sessions and their runs. Every method is one transaction; when it returns, what it wrote is on disk."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.look_again()

    def impatient(self, wait_ms: int) -> Store:
        """This store, through the same connections, for one who waits so long for another writer, and no longer."""
        return Store(self.engine.execution_options(**{WAIT_OPTION: wait_ms}))

    @property
    def _file(self) -> OpenFile | None:
        """None for a server, and for a store that is only read."""
        held: OpenFile | None = self.engine.get_execution_options().get(OPTION)
        return held

    def look_again(self) -> None:
        """Remember which folder this is."""
        self._folder = identity(self._file.path.parent) if self._file else None

    def is_missing(self) -> bool:
        """Whether there is no file at the place of the store."""
        return self._file is not None and identity(self._file.path) is None

    def has_vanished(self) -> bool:
        """Whether the file at the place of the store is not the one that is open: moved, deleted, or replaced."""
        return self._file is not None and self._file.is_elsewhere()

    def folder_is_the_same(self) -> bool:
        """Whether the folder of the store is the one it was, and not what lies below a medium that went away."""
        return self._file is not None and identity(self._file.path.parent) == self._folder

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections; the next one may have another file."""
        self.engine.dispose()
        if self._file:
            self._file.release()

    @property
    def place(self) -> str:
        """Where the store is, for messages: a path, or a URL without its password."""
        return show(self.engine.url)

    def add_session(self, record: Session) -> None:
        """Write a new session."""
        with writing(self.engine) as connection:
            try:
                insert_session(connection, record)
            except IntegrityError:
                raise StoreError(f"session {record.id} is already in the store {self.place}") from None

    def finish_session(self, session_id: str, state: SessionState, ended_ns: int) -> None:
        """Mark a session as ended in `state`. Raises UnknownName if there is none of this id."""
        self._update_session(session_id, state=state.value, ended_ns=ended_ns)

    def reopen_session(self, record: Session) -> None:
        """Mark a session as running again, for more runs, with host facts, study and rules of `record`.

        Raises UnknownName.
        """
        columns = session_row(record)
        kept = {name: columns[name] for name in ("host", "study", "policy_version")} | {"added_ns": time.time_ns()}
        self._update_session(record.id, state=SessionState.RUNNING.value, ended_ns=None, **kept)

    def restore_session(self, record: Session) -> None:
        """Make a stored session again what `record` says, which it was before it was opened. Raises UnknownName."""
        columns = session_row(record)
        kept = ("state", "ended_ns", "host", "study", "policy_version")
        self._update_session(record.id, **{name: columns[name] for name in kept})

    def _update_session(self, session_id: str, **values: Any) -> None:
        with writing(self.engine) as connection:
            done = connection.execute(update(session).where(session.c.id == session_id).values(**values))
            if not done.rowcount:
                raise UnknownName("session", session_id, (), f"the store {self.place}")

    def add_run(self, record: Run) -> None:
        """Write a finished run. It is on disk when this returns."""
        with writing(self.engine) as connection:
            try:
                insert_runs(connection, [record], new=True)
            except IntegrityError:
                raise StoreError(
                    f"run {record.id} cannot be added to the store {self.place}: it is already there, or its session "
                    f"{record.session_id} is not"
                ) from None

    def sessions(self, limit: int | None = None) -> list[Session]:
        """Sessions, newest first."""
        statement = select(session).order_by(session.c.started_ns.desc(), session.c.id.desc()).limit(limit)
        with reading(self.engine) as connection:
            return [read_session(row) for row in connection.execute(statement)]

    def last_session(self) -> Session | None:
        """The session that the store got last: measured, gone on with, imported or merged.

        Of several that came at once, and of an older store, the one that began last.
        """
        order = session.c.added_ns.desc().nulls_last(), session.c.started_ns.desc(), session.c.id.desc()
        statement = select(session).order_by(*order).limit(1)
        with reading(self.engine) as connection:
            row = connection.execute(statement).one_or_none()
        return None if row is None else read_session(row)

    def find_session(self, text: str) -> Session:
        """The session that `text` names: short id (4 digits or more), full id or exact title.

        Raises UnknownName where nothing fits and UsageError, with the candidates, where several do.
        """
        order = session.c.started_ns.desc(), session.c.id.desc()
        with reading(self.engine) as connection:
            listed = connection.execute(select(session.c.id, session.c.title).order_by(*order))
            found = names.find(text, (names.Named(*row) for row in listed))
            return read_session(connection.execute(select(session).where(session.c.id == found)).one())

    def runs(self, session_ids: Sequence[str], targets: Collection[str] | None = None) -> list[Run]:
        """All runs of the sessions with all their material, in the order in which they started.

        With `targets`, only those on targets of these names.
        """
        statement = select(run).where(run.c.session_id.in_(session_ids))
        # Imported runs may all have started at an unknown time; their order is that of their file.
        statement = statement.order_by(run.c.started_ns, run.c.position, run.c.id)
        if targets is not None:
            statement = statement.where(run.c.target_name.in_(sorted(targets)))
        with reading(self.engine) as connection:
            return list(read_runs(connection, connection.execute(statement).all()))

    def raw_runs(self, session_id: str) -> Iterator[Run]:
        """All runs of a session as they are stored, with their checksums, to be copied."""
        with reading(self.engine) as connection:
            rows = connection.execute(select(run).where(run.c.session_id == session_id).order_by(run.c.id)).all()
            yield from read_runs(connection, rows, raw=True)

    def histograms(self, run_ids: Sequence[str], kind: str) -> dict[str, bytes]:
        """HdrHistogram V2 (deflate) of one operation kind by run; runs without it are absent."""
        statement = select(histogram.c.run_id, histogram.c.encoded).where(histogram.c.kind == kind)
        with reading(self.engine) as connection:
            return {
                run_id: bytes(encoded)
                for start in range(0, len(run_ids), CHUNK)
                for run_id, encoded in connection.execute(
                    statement.where(histogram.c.run_id.in_(run_ids[start : start + CHUNK]))
                )
            }

    def plans(self, session_ids: Sequence[str]) -> dict[str, Plan]:
        """The plans of the sessions by hash. Cases that share one give it all their metrics."""
        # Which plans there are is told by an index alone; their texts are then looked up one by one.
        named = (run.c.session_id, run.c.test, run.c.case_label, run.c.plan_hash)
        kinds = select(*named).where(run.c.session_id.in_(session_ids)).distinct().subquery()
        text_of = select(run.c.plan).where(*(column == kinds.c[column.name] for column in named)).limit(1)
        statement = select(kinds.c.plan_hash, text_of.scalar_subquery().label("plan"))
        found: dict[str, Plan] = {}
        with reading(self.engine) as connection:
            rows = sorted(set(map(tuple, connection.execute(statement))))
        for key, text in rows:
            plan = read_plan(text)
            first = found.setdefault(key, plan)
            metrics = tuple(dict.fromkeys(first.metrics + plan.metrics))
            found[key] = first.model_copy(update={"metrics": metrics})
        return found

    def may_end(self, session_ids: Sequence[str]) -> frozenset[str]:
        """Names of targets whose rates may not last: their volume is known, or a burst or a series is in their runs."""
        from plimsoll.catalog.targets import SCHEME

        burst = select(score.c.run_id).where(score.c.run_id == run.c.id, score.c.metric.endswith("_burst")).exists()
        words = (run.c.target.contains(word) for word in ('"as"', SCHEME, f'"{RENTED}"'))
        said = (*words, run.c.facts.contains('"series"'))
        statement = select(run.c.target_name).where(run.c.session_id.in_(session_ids), or_(*said, burst)).distinct()
        with reading(self.engine) as connection:
            return frozenset(connection.execute(statement).scalars())

    def score_rows(
        self, session_ids: Sequence[str], metrics: Mapping[str, Collection[str]] | None = None
    ) -> list[ScoreRow]:
        """One light row per score, in the order in which the runs started; `metrics` names those wanted of each plan.

        A run without any of these has a row with value None for each metric that others of its case and session have,
        so that a comparison sees that it was tried.
        """
        # Statistics and all that they load, for whoever asks for them: a list of sessions does without.
        from plimsoll.store.score_rows import read_score_rows

        with reading(self.engine) as connection:
            return read_score_rows(connection, session_ids, metrics)

    def altered(self, session_ids: Sequence[str]) -> Mapping[str, tuple[str, str, str]]:
        """By id of each run whose scores were changed after it was stored: its session, case and target."""
        with reading(self.engine) as connection:
            return altered_runs(connection, session_ids)
