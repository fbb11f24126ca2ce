"""A file of another program that is named as the store, in every state SQLite has: not a byte of it changes."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from plimsoll.errors import StoreError
from plimsoll.store.opening import open_store

Picture = dict[str, tuple[bytes, int]]


def picture(folder: Path) -> Picture:
    """Bytes and time of change of every file, but of the memory that readers of a live database share."""
    files = [path for path in folder.iterdir() if not path.name.endswith("-shm")]
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


def theirs(path: Path, mode: str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(f"PRAGMA journal_mode={mode}")
    connection.execute("CREATE TABLE bookmarks (url TEXT)")
    connection.execute("INSERT INTO bookmarks VALUES ('https://example.org')")
    return connection


@contextmanager
def closed(path: Path, mode: str) -> Iterator[None]:
    theirs(path, mode).close()
    yield


@contextmanager
def at_work(path: Path, mode: str) -> Iterator[None]:
    connection = theirs(path, mode)
    yield
    connection.close()


@contextmanager
def cut_off(path: Path, mode: str) -> Iterator[None]:
    """Copies of the files in the middle of a change, as a killed process leaves them."""
    draft = path.with_name("draft")
    draft.mkdir()
    connection = theirs(draft / path.name, mode)
    connection.execute("PRAGMA cache_size=1")
    connection.execute("BEGIN")
    connection.execute("UPDATE bookmarks SET url = hex(zeroblob(20000))")
    connection.execute("INSERT INTO bookmarks SELECT hex(zeroblob(20000)) FROM bookmarks")
    for file in draft.iterdir():
        if not file.name.endswith("-shm"):
            shutil.copy(file, path.parent / file.name)
    connection.close()
    shutil.rmtree(draft)
    yield


@pytest.mark.parametrize("state", [closed, at_work, cut_off])
@pytest.mark.parametrize("mode", ["delete", "truncate", "persist", "wal"])
def test_it_is_not_changed(tmp_path: Path, mode: str, state: object) -> None:
    path = tmp_path / "their file #1?.sqlite"
    with state(path, mode):  # type: ignore[operator]
        before = picture(tmp_path)
        assert path.name in before
        there = sorted(file.name for file in tmp_path.iterdir())
        with pytest.raises(StoreError, match="another program"):
            open_store(str(path))
        assert picture(tmp_path) == before
        assert sorted(file.name for file in tmp_path.iterdir()) == there


def test_a_store_of_ours_is_opened_in_every_state(tmp_path: Path) -> None:
    path = tmp_path / "results.db"
    open_store(str(path)).close()
    with open_store(str(path)), open_store(str(path)) as second:
        assert second.sessions() == []
    # As a killed process leaves it: the log is there, and all of a new store may be in it.
    with open_store(str(tmp_path / "live.db")):
        for file in tmp_path.glob("live.db*"):
            shutil.copy(file, tmp_path / file.name.replace("live", "left"))
    with open_store(str(tmp_path / "left.db")) as left:
        assert left.sessions() == []


def test_an_empty_file_and_an_empty_database_become_a_store(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    sqlite3.connect(tmp_path / "new").execute("VACUUM").connection.close()
    for name in ("empty", "new"):
        open_store(str(tmp_path / name)).close()
