"""Files that others sent: added to the store, or refused, and noted in either case."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uuid_utils
from sqlalchemy import Connection, func, insert, select

from plimsoll.errors import PlimsollError, ResultFileError
from plimsoll.model import Session
from plimsoll.store.connection import reading, writing
from plimsoll.store.records import read_session
from plimsoll.store.result_file import Limits, Record, read_results
from plimsoll.store.schema import run, session, upload, upload_session
from plimsoll.store.store import Store
from plimsoll.store.union import ImportSummary, absorb, join

MAX_NAME = 200
MAX_MESSAGE = 2000


@dataclass(frozen=True)
class Sender:
    """Who sends what, as it is noted; `may_merge` allows adding to sessions that somebody else brought."""

    token_id: str
    token_name: str
    client: str
    file_name: str
    size_bytes: int
    sha256: str
    may_merge: bool = False


@dataclass(frozen=True)
class Received:
    """What became of an accepted upload."""

    summary: ImportSummary
    session_ids: tuple[str, ...]
    """Every session in the file, whether it is new or not."""


@dataclass
class _Seen:
    sessions: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    protected: set[str] = field(default_factory=set)


def receive(store: Store, path: Path, sender: Sender, limits: Limits) -> Received:
    """Add the records of a result file that was checked before: all of it, or nothing.

    Raises ResultFileError where the file contradicts the store, or changes a session that another sender brought or
    that was measured here, unless the sender may merge.
    """
    summary, seen = ImportSummary(), _Seen()
    with writing(store.engine) as connection:
        records = _guarded(connection, read_results(path, limits, checked=True), sender, seen)
        try:
            absorb(connection, records, sender.file_name, summary)
        except ResultFileError as error:
            raise ResultFileError(str(error).replace(str(path), sender.file_name)) from None
        noted = _note(connection, sender, accepted=True, message=str(summary), **vars(summary))
        rows = [{"session_id": each, "upload_id": noted} for each in seen.new]
        if rows:
            connection.execute(insert(upload_session), rows)
    return Received(summary, tuple(seen.sessions))


def refuse(store: Store, sender: Sender, error: PlimsollError) -> None:
    """Note an upload that was refused."""
    with writing(store.engine) as connection:
        _note(connection, sender, accepted=False, message=str(error), new_sessions=0, new_runs=0, already_there=0)


def is_known(store: Store, token_id: str, sha256: str) -> bool:
    """Whether this sender sent this very file before and everything that it brought is still there."""
    brought = select(func.count()).where(upload_session.c.upload_id == upload.c.id).scalar_subquery()
    statement = select(upload.c.id).where(
        upload.c.sha256 == sha256,
        upload.c.token_id == token_id,
        upload.c.accepted,
        upload.c.new_sessions > 0,
        upload.c.new_sessions == brought,
    )
    with reading(store.engine) as connection:
        return connection.execute(statement.limit(1)).first() is not None


def listed(store: Store, limit: int = 100) -> list[dict[str, Any]]:
    """The newest uploads, refused ones too: the columns of the table `upload`."""
    order = upload.c.received_ns.desc(), upload.c.id.desc()
    with reading(store.engine) as connection:
        return [dict(row._mapping) for row in connection.execute(select(upload).order_by(*order).limit(limit))]


def _note(connection: Connection, sender: Sender, *, accepted: bool, message: str, **counts: int) -> str:
    identity = str(uuid_utils.uuid7())
    values = {
        "id": identity,
        "received_ns": time.time_ns(),
        "token_id": sender.token_id,
        "token_name": sender.token_name,
        "client": sender.client,
        "file_name": _storable(sender.file_name)[:MAX_NAME],
        "size_bytes": sender.size_bytes,
        "sha256": sender.sha256,
        "accepted": accepted,
        "message": _storable(message)[:MAX_MESSAGE],
    }
    connection.execute(insert(upload).values(values | counts))
    return identity


def _storable(text: str) -> str:
    """Text that both databases can hold."""
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8", "replace")


def _guarded(connection: Connection, records: Iterator[Record], sender: Sender, seen: _Seen) -> Iterator[Record]:
    for record in records:
        if isinstance(record, Session):
            _admit_session(connection, record, sender, seen)
        elif record.session_id in seen.protected:
            there = connection.execute(select(run.c.session_id).where(run.c.id == record.id)).scalar()
            if there != record.session_id:
                raise _not_yours(record.session_id)
        yield record


def _admit_session(connection: Connection, record: Session, sender: Sender, seen: _Seen) -> None:
    seen.sessions.append(record.id)
    row = connection.execute(select(session).where(session.c.id == record.id)).one_or_none()
    if row is None:
        seen.new.append(record.id)
        return
    owner = (
        select(upload.c.token_id)
        .join(upload_session, upload_session.c.upload_id == upload.c.id)
        .where(upload_session.c.session_id == record.id)
    )
    if sender.may_merge or connection.execute(owner).scalar() == sender.token_id:
        return
    there = read_session(row)
    if join(there, record) != there:
        raise _not_yours(record.id)
    seen.protected.add(record.id)


def _not_yours(session_id: str) -> ResultFileError:
    return ResultFileError(
        f"session {session_id} is there already and came from somebody else, and the file would change it: nothing was "
        "kept; ask for a token that may merge (plimsoll token create NAME --allow merge)"
    )
