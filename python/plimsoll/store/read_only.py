"""Stores that cannot be written: on a medium mounted read-only, without the right, or made immutable. They are read.

SQLite wants to write even where it only reads: beside a store lies the index of its write-ahead log. Where that cannot
be made, nobody has the store open, and its file alone is read as it is. What that file does not hold, because a log was
left beside it, and a store of an older version, are brought together in memory.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from typing import Any
from urllib.parse import quote

from sqlalchemy import URL, Engine, NullPool, QueuePool, create_engine, event, text

from plimsoll.drafts import scratch_folder
from plimsoll.errors import StoreError
from plimsoll.store.connection import BUSY_TIMEOUT_MS, begin_sqlite, reading, sqlite_file, translated
from plimsoll.store.migrate import bring_up_to_date, revision_of
from plimsoll.store.schema import HEAD


def is_read_only(url: URL) -> bool:
    """Whether a store is there whose file or folder this process may not write."""
    file = sqlite_file(url)
    if file is None or not os.path.isfile(file):
        return False
    return not (os.access(file, os.W_OK) and os.access(os.path.dirname(os.path.abspath(file)), os.W_OK))


def connect_read_only(url: URL) -> Engine:
    """Connections that only read, and change nothing of the file. Raises StoreError for one that cannot be read."""
    file = str(sqlite_file(url))
    with translated(url):
        for options in _ways(file):
            engine = _engine(url, _address(file, options))
            if (found := _revision(engine)) == HEAD:
                return engine
            engine.dispose()
            if found is not None:
                break
        return _in_memory(url, file)


def open_as_it_is(url: URL) -> Engine:
    """The same without a look at it, for what is damaged."""
    file = str(sqlite_file(url))
    return _engine(url, _address(file, _ways(file)[0]))


def _address(file: str, options: str) -> str:
    return f"file:{quote(os.path.abspath(file))}?{options}"


def _ways(file: str) -> list[str]:
    """How to open it: where nobody has it open, so that SQLite need not make an index of a log beside it."""
    alone = [] if _has_log(file) else ["mode=ro&immutable=1"]
    return ["mode=ro", *alone] if os.path.exists(f"{file}-shm") or not alone else alone


def _has_log(file: str) -> bool:
    try:
        return os.path.getsize(f"{file}-wal") > 0
    except OSError:
        return False


def _engine(url: URL, address: str) -> Engine:
    def connected() -> sqlite3.Connection:
        # As SQLAlchemy opens files: a pool hands each connection to one thread at a time.
        return sqlite3.connect(address, uri=True, check_same_thread=False)

    # No connection is kept: what is read as it is may be written by its owner one day.
    engine = create_engine(url, creator=connected, poolclass=NullPool, hide_parameters=True)
    event.listen(engine, "connect", _set_up)
    event.listen(engine, "begin", begin_sqlite)
    return engine


def _set_up(connection: Any, _record: Any) -> None:
    connection.isolation_level = None
    for setting in (f"busy_timeout = {BUSY_TIMEOUT_MS}", "query_only = ON", "trusted_schema = OFF"):
        connection.execute(f"PRAGMA {setting}").close()


def _revision(engine: Engine) -> str | None:
    """The version of the tables; None where the file cannot be opened in this way."""
    try:
        with reading(engine) as connection:
            return revision_of(connection)
    except StoreError:
        return None


def _in_memory(url: URL, file: str) -> Engine:
    """A copy of the file and its log, brought to the tables of this version; the copy on disk goes at once."""
    memory = sqlite3.connect(":memory:", check_same_thread=False)
    with scratch_folder() as folder:
        copy = folder / "store.db"
        try:
            for end in ("", "-wal"):
                if not end or _has_log(file):
                    shutil.copyfile(f"{file}{end}", f"{copy}{end}")
        except OSError as error:
            raise StoreError(
                f"the store {file} cannot be read: {error.strerror}; ask its owner for the right, or for a copy"
            ) from None
        with closing(sqlite3.connect(copy)) as source:
            source.backup(memory)
    # One connection for all, one after the other.
    engine = create_engine(url, creator=lambda: memory, poolclass=QueuePool, pool_size=1, max_overflow=0)
    event.listen(engine, "begin", begin_sqlite)
    memory.isolation_level = None
    bring_up_to_date(engine)
    with engine.connect() as connection:
        connection.execute(text("PRAGMA query_only = ON"))
    return engine
