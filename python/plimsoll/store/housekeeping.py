"""What users say of a session after it was measured: its title, tags and a note; and its removal.

Runs never change, these do, and in several stores at once. Each change keeps its time, for where stores meet.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import delete, func, select, update

from plimsoll.errors import UnknownName, UsageError
from plimsoll.model import Session
from plimsoll.store import works
from plimsoll.store.codec import MAX_TIME_NS, NotStorable, check_labels
from plimsoll.store.connection import writing
from plimsoll.store.records import read_session, session_row
from plimsoll.store.schema import run, session
from plimsoll.store.store import Store

MAX_TITLE = 200


@dataclass(frozen=True)
class Removed:
    """What a removal took out of the store."""

    sessions: int
    runs: int


def set_title(store: Store, session_id: str, title: str) -> Session:
    """Give a session another title. Raises UsageError for one that cannot be shown, UnknownName without a session."""
    title = title.strip()
    if not title or len(title) > MAX_TITLE or not title.isprintable():
        raise UsageError(f"a title has 1 to {MAX_TITLE} printable characters in one line; this one has not")
    return _changed(store, session_id, title=title)


def set_note(store: Store, session_id: str, note: str) -> Session:
    """Write the note of a session anew; an empty text takes it away. Raises UsageError and UnknownName."""
    note = note.strip()
    if not all(character.isprintable() or character in "\n\t" for character in note):
        raise UsageError("a note is text: letters, signs and line breaks; this one has control characters")
    return _changed(store, session_id, note=note)


def change_tags(store: Store, session_id: str, add: Iterable[str] = (), remove: Iterable[str] = ()) -> Session:
    """Put tags to a session and take others away; letters become small. Raises UsageError and UnknownName."""
    wanted, unwanted = ({tag.strip().lower() for tag in tags} for tags in (add, remove))
    if both := sorted(wanted & unwanted):
        raise UsageError(f"tag {both[0]!r} is to be added and removed; say one of the two")
    return _changed(store, session_id, add=wanted, remove=unwanted)


def delete_sessions(store: Store, session_ids: Sequence[str]) -> Removed:
    """Remove sessions with all their runs: all of them, or nothing. Raises UnknownName if one is not there.

    What belongs to a run goes with it (foreign keys); the log of uploads stays, as it tells what others sent.
    """
    wanted = sorted(set(session_ids))
    with writing(store.engine) as connection:
        known = set(connection.execute(select(session.c.id).where(session.c.id.in_(wanted))).scalars())
        for each in wanted:
            if each not in known:
                raise UnknownName("session", each, (), f"the store {store.place}")
        runs = connection.execute(select(func.count()).where(run.c.session_id.in_(wanted))).scalar_one()
        left = works.works_of(connection, wanted)
        connection.execute(delete(session).where(session.c.id.in_(wanted)))
        works.forget(connection, left)
    return Removed(len(wanted), int(runs))


def _changed(
    store: Store,
    session_id: str,
    *,
    title: str | None = None,
    note: str | None = None,
    add: Iterable[str] = (),
    remove: Iterable[str] = (),
) -> Session:
    """The session with these changes, as it is stored now; what is as it was keeps its time."""
    with writing(store.engine) as connection:
        row = connection.execute(select(session).where(session.c.id == session_id)).one_or_none()
        if row is None:
            raise UnknownName("session", session_id, (), f"the store {store.place}")
        before = read_session(row)
        after = before.model_copy(
            update={
                "title": before.title if title is None else title,
                "note": before.note if note is None else note,
                "tags": tuple(sorted({*before.tags, *add} - {*remove})),
            }
        )
        names = [name for name in ("title", "note") if getattr(before, name) != getattr(after, name)]
        names += [f"tag {tag}" for tag in {*before.tags} ^ {*after.tags}]
        # Later than the change before, also where that was made on a machine whose clock is ahead.
        times = {name: min(max(time.time_ns(), before.edited.get(name, 0) + 1), MAX_TIME_NS) for name in names}
        after = after.model_copy(update={"edited": before.edited | times})
        try:
            check_labels(after.tags, after.note, after.edited)
        except NotStorable as error:
            raise UsageError(f"{error}; nothing was changed") from None
        columns = session_row(after)
        values = {name: columns[name] for name in ("title", "note", "tags", "edited")}
        connection.execute(update(session).where(session.c.id == session_id).values(**values))
    return after
