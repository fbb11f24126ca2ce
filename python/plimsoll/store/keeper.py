"""Keeps what one session measures: in its store, and while that cannot be used, in files that are taken in later.

Measuring goes on meanwhile. The store is asked again only between runs, with less and less haste and never for long: a
target that waits for a database rests, and a volume that rests saves credits.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from threading import Thread
from typing import TypeVar

from plimsoll.errors import NotKeepable, StoreError, UnknownName
from plimsoll.model import Run, Session, SessionState
from plimsoll.notices import tell
from plimsoll.store import spill
from plimsoll.store.intake import take_in
from plimsoll.store.migrate import bring_up_to_date
from plimsoll.store.names import short_id
from plimsoll.store.store import Store
from plimsoll.store.union import add_records

Answer = TypeVar("Answer")

ANSWER_S = 5.0
"""How long a run may wait for a store that is there and says nothing."""
WAIT_MS = 1_000
"""How long a run may wait for the store between two runs; a transaction takes milliseconds."""
FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 60.0
END_TIMEOUT_S = 30.0
"""How long the end of a session waits for the store: nothing is measured any more."""
STOPPED_TIMEOUT_S = 2.0
"""The same where the user stopped it and waits for the prompt."""


class Keeper:
    """The runs of one session; `begin` or `reopen` comes first."""

    def __init__(
        self,
        store: Store,
        say: Callable[[str], None] = tell,
        *,
        wait_ms: int = WAIT_MS,
        answer_s: float = ANSWER_S,
        end_timeout_s: float = END_TIMEOUT_S,
    ) -> None:
        self._store = store
        # The same connections, for those who do not wait as long.
        self._hasty = store.impatient(wait_ms)
        self._say, self._wait_ms, self._answer_s, self._end_timeout_s = say, wait_ms, answer_s, end_timeout_s
        self._session: Session | None = None
        self._away = ""
        """Why the store cannot be used; empty while it can."""
        self._held: list[Run] = []
        """Runs that no place would take."""
        self._pause_s, self._next_try_s = FIRST_PAUSE_S, 0.0
        self._asked: Thread | None = None
        """Who waits for an answer, perhaps for ever: a server that hangs, a network file system."""

    def begin(self, session: Session) -> None:
        """A new session. Raises StoreError: nothing is measured yet that could be lost."""
        self._store.add_session(session)
        self._session = session

    def reopen(self, session: Session) -> None:
        """A session that goes on. Raises StoreError."""
        self._store.reopen_session(session)
        self._session = session

    def add(self, run: Run) -> None:
        """Keep a finished run: it is on disk when this returns. Raises NotKeepable for what no store can hold."""
        if not self._away or (time.monotonic() >= self._next_try_s and self._try_again()):
            try:
                self._ask(lambda: self._hasty.add_run(run))
                if self._hasty.has_vanished():
                    self._save_from_the_vanished()
                return
            except NotKeepable:
                raise
            except StoreError as error:
                self._went_away(str(error))
        self._spill(run)

    def finish(self, state: SessionState, ended_ns: int, *, stopped: bool) -> str:
        """Mark the session as ended; returns where its runs are if they are not in the store, else nothing.

        The store is waited for, which harms nothing now; only shortly where the user stopped the session.
        """
        session = self._now(state, ended_ns)
        timeout_s = min(STOPPED_TIMEOUT_S, self._end_timeout_s) if stopped else self._end_timeout_s
        give_up_s, pause_s = time.monotonic() + timeout_s, 0.1
        while True:
            if not self._away and self._hasty.has_vanished():
                self._save_from_the_vanished()
            if not self._away or self._try_again(at_the_end=True):
                try:
                    self._ask(lambda: self._end(session))
                except StoreError as error:
                    self._went_away(str(error))
                else:
                    if not self._hasty.has_vanished():
                        return ""
            if time.monotonic() + pause_s > give_up_s:
                return self._left(session)
            time.sleep(pause_s)
            pause_s = min(2 * pause_s, 2.0)

    def _end(self, session: Session) -> None:
        assert session.ended_ns is not None  # it ends
        try:
            self._hasty.finish_session(session.id, session.state, session.ended_ns)
        except UnknownName:
            # Another store stands there now, and the session had no run yet.
            add_records(self._hasty, [session], "this session")

    def _now(self, state: SessionState, ended_ns: int | None) -> Session:
        assert self._session is not None  # begin or reopen
        return self._session.model_copy(update={"state": state, "ended_ns": ended_ns})

    def _went_away(self, reason: str) -> None:
        if not self._away:
            self._say(
                f"{reason}. Nothing is lost: finished runs are kept in $PLIMSOLL_HOME/{spill.NAME}, and taken in "
                "between runs as soon as the store can be used again"
            )
            self._pause_s = FIRST_PAUSE_S
        self._away = reason
        self._next_try_s = time.monotonic() + self._pause_s
        self._pause_s = min(2 * self._pause_s, LONGEST_PAUSE_S)

    def _try_again(self, *, at_the_end: bool = False) -> bool:
        """Whether the store can be used again; what waited is in it then."""
        try:
            if not self._answers(at_the_end=at_the_end):
                raise StoreError(self._away)
            if self._hasty.has_vanished():
                # Another one is there by now.
                self._save_from_the_vanished()
            held = tuple(self._held)
            for sentence in self._ask(lambda: self._bring_back(held)):
                self._say(sentence)
            del self._held[: len(held)]
            if spill.waiting(self._store.engine.url):
                raise StoreError(self._away)
        except StoreError as error:
            self._went_away(str(error))
            return False
        self._say(f"the store {self._store.place} can be used again")
        self._away = ""
        return True

    def _bring_back(self, held: Sequence[Run]) -> list[str]:
        """Everything that waits, into the store; says what became of it."""
        bring_up_to_date(self._hasty.engine)
        self._hasty.look_again()
        add_records(self._hasty, [self._now(SessionState.RUNNING, None), *held], "this session")
        return take_in(self._hasty)

    def _ask(self, question: Callable[[], Answer]) -> Answer:
        """What the store answers, in time. Raises StoreError where it does not; its answer is not waited for any more.

        What it may still write then is the same that is kept as a file, so it is there once.
        """
        if self._asked is not None and self._asked.is_alive():
            raise StoreError(self._away)
        answer: Future[Answer] = Future()
        asked = Thread(target=_answered, args=(question, answer), daemon=True, name="plimsoll-store")
        try:
            asked.start()
        except RuntimeError:
            # No further thread can be started: what was measured is kept all the same, however long that takes.
            return question()
        self._asked = asked
        try:
            return answer.result(self._answer_s)
        except TimeoutError:
            raise StoreError(
                f"the store {self._store.place} has not answered for {self._answer_s:g} s; check its server or its disk"
            ) from None

    def _answers(self, *, at_the_end: bool) -> bool:
        """Whether it is worth asking: a file that is gone is not made anew behind the user's back while we measure."""
        url = self._store.engine.url
        if url.get_backend_name() == "sqlite":
            return not self._hasty.is_missing() or (at_the_end and self._hasty.folder_is_the_same())
        if url.host is None or url.host.startswith("/"):
            return True
        try:
            # A server that is cut off would keep us for the whole time limit of a connection.
            socket.create_connection((url.host, url.port or 5432), timeout=self._wait_ms / 1000).close()
        except OSError:
            return False
        return True

    def _spill(self, run: Run) -> None:
        session = self._now(SessionState.RUNNING, None)
        self._held.append(run)
        while self._held:
            try:
                spill.spill(self._store.engine.url, session, self._held[0])
            except NotKeepable:
                self._held.pop(0)
                raise
            except StoreError as error:
                self._say(
                    f"{error}. {_runs(len(self._held))} only in memory until a disk takes them: free some space before "
                    "the session ends"
                )
                return
            self._held.pop(0)

    def _save_from_the_vanished(self) -> None:
        """The file was moved or deleted while we hold it open: what it has of this session can still be read."""
        self._went_away(f"the store {self._store.place} was moved or deleted while it was in use")
        session = self._now(SessionState.RUNNING, None)
        try:
            for run in self._hasty.raw_runs(session.id):
                self._spill(run)
        finally:
            # From here on nothing is written to a file that nobody can find.
            self._store.close()

    def _left(self, session: Session) -> str:
        """What is where, at the end of a session whose store did not come back."""
        with suppress(StoreError):
            spill.spill(self._store.engine.url, session)
        name = short_id(session.id)
        told = [self._away]
        for folder, files in spill.waiting(self._store.engine.url).items():
            if folder.name == session.id:
                told.append(
                    f"{_runs(len(spill.runs_of(files)))} of session {name} are kept in {folder}: the next command that "
                    f"can open the store takes them in, such as `plimsoll show {name}`, and "
                    f"`PLIMSOLL_STORE=other.db plimsoll import '{folder}/*'` takes them elsewhere"
                )
        if self._held:
            told.append(f"{_runs(len(self._held))} could not be stored on any disk and are lost")
        return ". ".join(told)


def _answered(question: Callable[[], Answer], answer: Future[Answer]) -> None:
    try:
        answer.set_result(question())
    except BaseException as error:  # (whatever it is, it belongs to who asked)
        answer.set_exception(error)


def _runs(count: int) -> str:
    return "1 finished run" if count == 1 else f"{count:,} finished runs"
