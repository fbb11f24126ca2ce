"""Results between stores: export, import and merge."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from sqlalchemy import or_, select

from plimsoll.errors import ResultFileError, UnknownName, UsageError
from plimsoll.store.codec import ADDED_LATER
from plimsoll.store.connection import reading
from plimsoll.store.opening import open_store
from plimsoll.store.result_file import VERSION, Counts, write_results
from plimsoll.store.schema import session
from plimsoll.store.store import Store
from plimsoll.store.union import ImportSummary, merge_sources, stored_records

Source = Store | str | Path

_SQLITE_MAGIC = b"SQLite format 3\0"


def export(store: Store, session_ids: Sequence[str], path: Path | str) -> Counts:
    """Write sessions and their runs as a result file. Equal sessions make equal files, byte for byte.

    Raises UnknownName for a session that is not in the store and StoreError if the file cannot be written.
    """
    if not session_ids:
        raise UsageError("there is no session to export; `plimsoll list sessions` shows what is there")
    with reading(store.engine) as connection:
        known = set(connection.execute(select(session.c.id)).scalars())
        for wanted in session_ids:
            if wanted not in known:
                raise UnknownName("session", wanted, (), f"the store {store.place}")
        ids = sorted(set(session_ids))
        later = or_(*(session.c[name].is_not(None) for name in ADDED_LATER))
        newer = connection.execute(select(session.c.id).where(session.c.id.in_(ids), later).limit(1)).first()
        return write_results(Path(path), stored_records(connection, ids), version=1 if newer is None else VERSION)


def import_results(store: Store, path: Path | str) -> ImportSummary:
    """Add everything of a result file that the store does not have: all of it, or nothing.

    Raises ResultFileError for a file that is damaged, hostile or contradicts the store.
    """
    return merge(store, [Path(path)])


def merge(store: Store, sources: Sequence[Source]) -> ImportSummary:
    """Add everything of other stores and result files that the store does not have: all of it, or nothing.

    A source is an open store, an SQLAlchemy URL, or the path of a result file or SQLite store. Raises ResultFileError
    for a file that is damaged, hostile or contradicts the store, naming the run.
    """
    with ExitStack() as opened:
        return merge_sources(store, [_opened(source, opened) for source in sources])


def _opened(source: Source, opened: ExitStack) -> Store | Path:
    """A store to read from, or the path of a result file."""
    if isinstance(source, Store):
        return source
    return opened.enter_context(open_store(str(source))) if _is_store(source) else Path(source)


def _is_store(source: str | Path) -> bool:
    if "://" in str(source):
        return True
    try:
        with open(source, "rb") as file:
            return file.read(len(_SQLITE_MAGIC)) == _SQLITE_MAGIC
    except OSError as error:
        raise ResultFileError(f"cannot read {source}: {error.strerror}; check its name and rights") from None
