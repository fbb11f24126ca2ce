"""A first look at a file that is named as the store. It may be another program's, so nothing of it is changed.

SQLite itself changes a file when it is merely opened for writing: an unfinished change is taken back, a log is written
into it, and files appear beside it. What is looked at here is opened for reading, and where even that would leave a
trace, with the promise that nobody else is at work (`immutable`).
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Collection
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from plimsoll.drafts import scratch_folder
from plimsoll.errors import NotAStore, StoreError
from plimsoll.store.location import STORE_VARIABLE
from plimsoll.store.schema import VERSION_TABLE

_HEAD = b"SQLite format 3\0"
_LOGGED = b"\x02\x02"
"""At byte 18 of a database whose changes go to a write-ahead log."""
_WAIT_S = 5.0


def some_of(tables: Collection[str]) -> str:
    """The first three names, and whether there are more."""
    return ", ".join(sorted(tables)[:3]) + (", …" if len(tables) > 3 else "")


def refuse_foreign_file(file: str) -> None:
    """Raise NotAStore if `file` is an SQLite database of another program; what cannot be read is left to be told."""
    try:
        with open(file, "rb") as opened:
            head = opened.read(20)
    except OSError:
        return
    if not head.startswith(_HEAD):
        return
    cut_off = _holds_something(f"{file}-journal")
    logged = head[18:20] == _LOGGED
    log = _holds_something(f"{file}-wal")
    live = log and Path(f"{file}-shm").exists()
    try:
        tables = _tables(file, alone=cut_off or (logged and not live))
        if log and not live and not tables:
            tables = _tables_of_copy(file)
    except (sqlite3.Error, OSError, UnicodeError):
        # The last where the name of a table is no text: a damaged file, of which more is told later.
        if not cut_off:
            return
        # A store of ours never has such a file: its changes go to a log.
        raise StoreError(
            f"{file} is an SQLite database whose last change another program has not finished; nothing was done with "
            f"it: set {STORE_VARIABLE} to a file of its own"
        ) from None
    if tables and VERSION_TABLE not in tables:
        raise NotAStore(
            f"the database {file} holds tables of another program ({some_of(tables)}), and nothing in it was changed; "
            f"give Plimsoll a file of its own ({STORE_VARIABLE})"
        )


def _tables(file: str, *, alone: bool) -> set[str]:
    place = f"file:{quote(file)}?mode=ro{'&immutable=1' if alone else ''}"
    with closing(sqlite3.connect(place, uri=True, timeout=_WAIT_S)) as connection:
        rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    return {str(name) for (name,) in rows}


def _tables_of_copy(file: str) -> set[str]:
    """Of a database all of which is still in its log: who reads that makes a file beside it."""
    with scratch_folder() as folder:
        copy = os.path.join(folder, "copy")
        for end in ("", "-wal"):
            shutil.copyfile(file + end, copy + end)
        return _tables(copy, alone=False)


def _holds_something(path: str) -> bool:
    try:
        return Path(path).stat().st_size > 0
    except OSError:
        return False
