"""What was said to be stored is stored: after kill -9, with two writers, on a full disk."""

from __future__ import annotations

import random
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conftest import need_program, need_root, until
from tests.factories import make_study
from tests.integration.store.conftest import ROOT

from plimsoll.errors import StoreError
from plimsoll.model import Run
from plimsoll.store import exchange
from plimsoll.store.opening import open_store
from plimsoll.store.store import Store


def start(url: str, environment: dict[str, str], *words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.integration.store.adds_runs", url, *words]
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)


def test_kill_9_loses_nothing_that_was_stored(store: Store, store_url: str, child_environment: dict[str, str]) -> None:
    session, _ = make_study(blocks=0)
    store.add_session(session)
    rng = random.Random(4)
    printed: list[str] = []
    for seed in range(3):
        child = start(store_url, child_environment, session.id, str(seed))
        assert child.stdout is not None
        printed += [child.stdout.readline().strip() for _ in range(rng.randrange(1, 12))]
        # Somewhere within the next transaction.
        time.sleep(rng.uniform(0, 0.005))
        child.kill()
        printed += child.stdout.read().split()
        child.wait()
        child.stdout.close()
        with open_store(store_url) as again:
            stored = {run.id for run in again.runs([session.id])}
        assert stored >= set(printed)
        # At most the run in flight of each killed process was stored without being told.
        assert len(stored) <= len(printed) + seed + 1
    assert len(printed) > 3
    if store.engine.dialect.name == "sqlite":
        with sqlite3.connect(store_url) as raw:
            assert raw.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            assert raw.execute("PRAGMA foreign_key_check").fetchall() == []
        raw.close()


def test_kill_9_while_a_store_is_made(tmp_path: Path, child_environment: dict[str, str]) -> None:
    """The tables are all there or not at all, so the next opening works."""
    path = tmp_path / "results.db"
    session, _ = make_study(blocks=0)
    for seed in range(3):
        child = start(str(path), child_environment, session.id, str(seed))
        until(path.exists, "the store is being made")
        assert child.poll() is None
        time.sleep(0.02 * seed)
        child.kill()
        child.communicate()
        with open_store(str(path)) as store:
            assert store.sessions() == []
        for each in tmp_path.iterdir():
            each.unlink()


def test_two_processes_write_at_once(store: Store, store_url: str, child_environment: dict[str, str]) -> None:
    session, _ = make_study(blocks=0)
    store.add_session(session)
    children = [start(store_url, child_environment, session.id, seed, "40") for seed in ("one", "two")]
    printed = [child.communicate()[0].split() for child in children]
    assert [len(ids) for ids in printed] == [40, 40]
    assert {run.id for run in store.runs([session.id])} == set(printed[0] + printed[1])


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 2 MiB."""
    need_root()
    need_program("mount")
    place = tmp_path / "small"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", place], capture_output=True, text=True)
    assert mounted.returncode == 0, mounted.stderr
    yield place
    subprocess.run(["umount", place], check=True)


def test_a_full_disk_is_told_and_loses_nothing(small_disk: Path) -> None:
    path = small_disk / "results.db"
    session, runs = make_study(tuple("abcde"), ("randrw",), 20, intervals=60)
    stored: list[Run] = []

    def add_all(store: Store) -> None:
        for run in runs:
            store.add_run(run)
            stored.append(run)

    with open_store(str(path)) as store:
        store.add_session(session)
        with pytest.raises(StoreError) as caught:
            add_all(store)
        assert str(path) in str(caught.value)
        assert "disk is full" in str(caught.value)
        assert "earlier results are intact" in str(caught.value)
        assert len(stored) > 10
        assert store.runs([session.id]) == stored
        with pytest.raises(StoreError, match="No space left"):
            exchange.export(store, [session.id], small_disk / "out.plimsoll.gz")
    assert {each.name for each in small_disk.iterdir()} <= {"results.db", "results.db-wal", "results.db-shm"}
    with open_store(str(path)) as store:
        assert store.runs([session.id]) == stored
        subprocess.run(["mount", "-o", "remount,size=8m", small_disk], check=True)
        store.add_run(runs[len(stored)])
        assert len(store.runs([session.id])) == len(stored) + 1


def test_the_first_opening_on_a_full_disk_is_told(small_disk: Path) -> None:
    free = shutil.disk_usage(small_disk).free
    (small_disk / "other").write_bytes(b"x" * free)
    with pytest.raises(StoreError, match=r"(disk is full|disk I/O error|unable to open)"):
        open_store(str(small_disk / "results.db"))
