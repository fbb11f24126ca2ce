"""A store that cannot be used for a while, or for good, costs no finished run: they wait as files and are taken in."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conftest import need, need_program, need_root
from tests.factories import make_study
from tests.integration.store import postgres

from plimsoll import notices
from plimsoll.errors import NotKeepable, StoreError
from plimsoll.location import home
from plimsoll.model import Run, Session, SessionState
from plimsoll.store import keeper as keeping
from plimsoll.store import spill
from plimsoll.store.keeper import Keeper
from plimsoll.store.opening import open_store
from plimsoll.store.result_file import read_results
from plimsoll.store.store import Store
from plimsoll.store.union import add_records

END_NS = 1_795_000_900_000_000_000


@pytest.fixture(autouse=True)
def _hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "FIRST_PAUSE_S", 0.0)
    monkeypatch.setattr(keeping, "LONGEST_PAUSE_S", 0.0)


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    heard: list[str] = []
    monkeypatch.setattr(notices, "_listeners", [heard.append])
    return heard


def study() -> tuple[Session, list[Run]]:
    return make_study(("a", "b"), ("randread",), 4, state=SessionState.RUNNING, ended_ns=None)


def keeper_of(store: Store, session: Session, end_timeout_s: float = 0.5) -> Keeper:
    keeper = Keeper(store, wait_ms=50, end_timeout_s=end_timeout_s)
    keeper.begin(session)
    return keeper


def ended(session: Session, state: SessionState = SessionState.DONE) -> Session:
    return session.model_copy(update={"state": state, "ended_ns": END_NS})


def nothing_waits(store: Store) -> bool:
    return spill.waiting(store.engine.url) == {} and spill.told(store.engine.url) == ""


def by_id(runs: list[Run]) -> list[Run]:
    return sorted(runs, key=lambda run: run.id)


def test_a_lock_held_by_another_keeps_nobody_from_measuring(tmp_path: Path, said: list[str]) -> None:
    path = tmp_path / "results.db"
    session, runs = study()
    with open_store(str(path)) as store:
        keeper = keeper_of(store, session)
        keeper.add(runs[0])
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        for run in runs[1:4]:
            keeper.add(run)
        assert store.runs([session.id]) == runs[:1]
        (files,) = spill.waiting(store.engine.url).values()
        assert {file.name for file in files} == {f"{run.id}.plimsoll.gz" for run in runs[1:4]}
        assert all(file.stat().st_mode & 0o077 == 0 for file in (files[0].parent, files[0].parent.parent))
        assert [line for line in said if "database is locked" in line and "Nothing is lost" in line]
        assert len(said) == 1
        other.execute("ROLLBACK")
        other.close()
        keeper.add(runs[4])
        assert store.runs([session.id]) == runs[:5]
        assert nothing_waits(store)
        assert f"3 finished runs of session {session.id.replace('-', '')[-8:]}" in said[1]
        assert "can be used again" in said[2]
        assert not (home() / spill.NAME).exists()
        assert keeper.finish(SessionState.DONE, END_NS, stopped=False) == ""
        assert store.sessions() == [ended(session)]
        assert store.altered([session.id]) == {}


def test_what_waits_at_the_end_is_taken_in_by_whoever_opens_the_store(tmp_path: Path, said: list[str]) -> None:
    path = tmp_path / "results.db"
    session, runs = study()
    with open_store(str(path)) as store:
        keeper = keeper_of(store, session, end_timeout_s=0.2)
        keeper.add(runs[0])
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        for run in runs[1:]:
            keeper.add(run)
        left = keeper.finish(SessionState.DONE, END_NS, stopped=False)
        other.close()
    assert f"{len(runs) - 1} finished runs of session" in left
    assert "database is locked" in left
    assert f"plimsoll show {session.id.replace('-', '')[-8:]}" in left
    with open_store(str(path)) as store:
        assert store.sessions() == [ended(session)]
        assert store.runs([session.id]) == runs
        assert nothing_waits(store)
    assert "now in the store" in said[-1]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """An ext4 of 4 MiB in a file, behind a loop device."""
    need_root()
    for program in ("mkfs.ext4", "mount", "losetup"):
        need_program(program)
    image, place = tmp_path / "disk.img", tmp_path / "small"
    image.write_bytes(bytes(4 * 2**20))
    place.mkdir()
    subprocess.run(["mkfs.ext4", "-q", "-m", "0", str(image)], check=True)
    mounted = subprocess.run(["mount", "-o", "loop", str(image), str(place)], capture_output=True, text=True)
    need(mounted.returncode == 0, f"loop devices ({mounted.stderr.strip()})")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def fill(disk: Path) -> Path:
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            pass
    return ballast


@pytest.mark.parametrize("home_too", [False, True])
def test_a_full_disk_costs_no_run(
    small_disk: Path, said: list[str], monkeypatch: pytest.MonkeyPatch, *, home_too: bool
) -> None:
    """Nor where the files would lie on the same disk."""
    if home_too:
        (small_disk / "home").mkdir()
        monkeypatch.setenv("PLIMSOLL_HOME", str(small_disk / "home"))
    session, runs = make_study(("a", "b"), ("randrw",), 6, intervals=60, state=SessionState.RUNNING, ended_ns=None)
    with open_store(str(small_disk / "results.db")) as store:
        keeper = keeper_of(store, session)
        keeper.add(runs[0])
        ballast = fill(small_disk)
        for run in runs[1:]:
            keeper.add(run)
        assert "disk is full" in said[0]
        (folder,) = spill.waiting(store.engine.url)
        assert folder.is_relative_to(small_disk) is False
        ballast.unlink()
        assert keeper.finish(SessionState.DONE, END_NS, stopped=False) == ""
        assert by_id(store.runs([session.id])) == by_id(runs)
        assert nothing_waits(store)


def test_where_no_disk_takes_them_they_are_kept_in_memory(
    tmp_path: Path, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "results.db"
    session, runs = study()
    (tmp_path / "a file").touch()
    monkeypatch.setattr(spill, "_places", lambda: iter([tmp_path / "a file"]))
    with open_store(str(path)) as store:
        keeper = keeper_of(store, session)
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        for run in runs[:3]:
            keeper.add(run)
        assert "3 finished runs only in memory" in said[-1]
        other.close()
        assert keeper.finish(SessionState.DONE, END_NS, stopped=False) == ""
        assert store.runs([session.id]) == runs[:3]
    with open_store(str(path)) as store:
        keeper = keeper_of(store, make_study(seed=9, blocks=0)[0])
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        keeper.add(runs[3].model_copy(update={"session_id": make_study(seed=9, blocks=0)[0].id}))
        assert "1 finished run could not be stored on any" in keeper.finish(SessionState.DONE, END_NS, stopped=True)
        other.close()


@pytest.mark.parametrize("how", ["deleted", "moved", "replaced"])
def test_a_store_that_vanished_is_noticed_at_the_next_run(tmp_path: Path, said: list[str], how: str) -> None:
    path = tmp_path / "results.db"
    session, runs = study()
    with open_store(str(path)) as store:
        keeper = keeper_of(store, session)
        for run in runs[:3]:
            keeper.add(run)
        assert said == []
        if how == "moved":
            path.rename(tmp_path / "elsewhere.db")
        else:
            for each in tmp_path.glob("results.db*"):
                each.unlink()
        if how == "replaced":
            open_store(str(path)).close()
        keeper.add(runs[3])
        assert "was moved or deleted while it was in use" in said[0]
        if how != "replaced":
            # All four, those that were in it included; and no new one is made while the session measures.
            (files,) = spill.waiting(store.engine.url).values()
            assert len(spill.runs_of(files)) == 4
            keeper.add(runs[4])
            assert not path.exists()
        else:
            keeper.add(runs[4])
        assert keeper.finish(SessionState.DONE, END_NS, stopped=False) == ""
    with open_store(str(path)) as again:
        assert again.sessions() == [ended(session)]
        assert again.runs([session.id]) == runs[:5]
        assert nothing_waits(again)


def test_a_store_that_another_replaced_before_the_session_began_loses_nothing(tmp_path: Path) -> None:
    """Found by the campaign: what stood at the path when the session began was taken for the file that was open."""
    path = tmp_path / "results.db"
    session, runs = study()
    with open_store(str(path)) as store:
        (tmp_path / "away").mkdir()
        for each in tmp_path.glob("results.db*"):
            each.rename(tmp_path / "away" / each.name)
        open_store(str(path)).close()
        keeper = keeper_of(store, session)
        for run in runs[:3]:
            keeper.add(run)
        assert keeper.finish(SessionState.DONE, END_NS, stopped=False) == ""
    with open_store(str(path)) as again:
        assert again.runs([session.id]) == runs[:3]
        assert again.sessions() == [ended(session)]
        assert nothing_waits(again)


def test_a_store_that_goes_while_an_import_writes_is_no_success(tmp_path: Path) -> None:
    path = tmp_path / "results.db"
    session, runs = study()

    def records() -> Iterator[Session | Run]:
        yield session
        for each in tmp_path.glob("results.db*"):
            each.unlink()
        yield from runs[:2]

    with open_store(str(path)) as store, pytest.raises(StoreError, match="moved, deleted or replaced"):
        add_records(store, records(), "a file")


def test_a_folder_that_is_gone_is_not_filled_with_a_new_store(tmp_path: Path) -> None:
    """As when a medium is taken away: what lies below its mount point is another folder."""
    folder = tmp_path / "medium"
    folder.mkdir()
    session, runs = study()
    with open_store(str(folder / "results.db")) as store:
        keeper = keeper_of(store, session, end_timeout_s=0.1)
        keeper.add(runs[0])
        shutil.move(folder, tmp_path / "away")
        folder.mkdir()
        keeper.add(runs[1])
        left = keeper.finish(SessionState.INTERRUPTED, END_NS, stopped=True)
        assert list(folder.iterdir()) == []
    assert "2 finished runs of session" in left
    folder.rmdir()
    shutil.move(tmp_path / "away", folder)
    with open_store(str(folder / "results.db")) as again:
        assert again.runs([session.id]) == runs[:2]
        assert again.sessions() == [ended(session, SessionState.INTERRUPTED)]


@pytest.fixture
def server() -> Iterator[postgres.PostgresServer]:
    """A PostgreSQL server that a test may stop."""
    programs = postgres.find_programs()
    need(programs is not None, "PostgreSQL (Debian: postgresql)")
    assert programs is not None
    with postgres.running(programs) as started:
        yield started


def test_a_server_that_is_stopped_and_started_again(server: postgres.PostgresServer, said: list[str]) -> None:
    session, runs = study()
    with open_store(server.new_database()) as store:
        keeper = keeper_of(store, session)
        keeper.add(runs[0])
        server.stop()
        for run in runs[1:4]:
            keeper.add(run)
        assert "Nothing is lost" in said[0]
        assert "s3cr3t" not in "".join(said)
        server.start()
        keeper.add(runs[4])
        assert by_id(store.runs([session.id])) == by_id(runs[:5])
        server.stop()
        keeper.add(runs[5])
        back = threading.Timer(0.5, server.start)
        back.start()
        assert Keeper.finish(keeper, SessionState.DONE, END_NS, stopped=True) == "" or nothing_waits(store) is False
        back.join()
        with open_store(store.engine.url.render_as_string(hide_password=False)) as again:
            assert by_id(again.runs([session.id])) == by_id(runs[:6])
            assert again.sessions() == [ended(session)]
            assert nothing_waits(again)


def test_a_server_that_hangs_keeps_nobody_from_measuring(server: postgres.PostgresServer, said: list[str]) -> None:
    """It takes connections and says nothing: stopped in its tracks, as by a disk that does not answer."""
    session, runs = study()
    with open_store(server.new_database()) as store:
        # Longer than any answer of a server that is well takes on a busy machine.
        keeper = Keeper(store, wait_ms=50, answer_s=3.0, end_timeout_s=60.0)
        keeper.begin(session)
        keeper.add(runs[0])
        with server.frozen():
            for run in runs[1:4]:
                keeper.add(run)
        assert "has not answered for 3 s" in said[0]
        keeper.add(runs[4])
        assert keeper.finish(SessionState.DONE, END_NS, stopped=False) == ""
        assert by_id(store.runs([session.id])) == by_id(runs[:5])
        assert store.sessions() == [ended(session)]
        assert nothing_waits(store)


def test_a_store_that_cannot_be_opened_names_what_waits_for_it(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    session, runs = study()
    with open_store(str(folder / "results.db")) as store:
        where = spill.spill(store.engine.url, session, runs[0])
    shutil.rmtree(folder)
    with pytest.raises(StoreError, match=r"1 finished run waits for this store in .*the next command that can open it"):
        open_store(str(folder / "results.db"))
    assert list(where.iterdir())


def test_who_comes_second_to_what_waits_has_nothing_to_do(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "results.db")) as store, spill.alone(store.engine.url) as alone:
        assert not alone


def test_a_file_that_is_damaged_stays_and_is_named(tmp_path: Path, said: list[str]) -> None:
    session, runs = study()
    with open_store(str(tmp_path / "results.db")) as store:
        where = spill.spill(store.engine.url, session, runs[0])
        spill.spill(store.engine.url, session, runs[1])
    damaged = where / f"{runs[0].id}.plimsoll.gz"
    damaged.write_bytes(damaged.read_bytes()[:-40])
    with open_store(str(tmp_path / "results.db")) as store:
        assert store.runs([session.id]) == runs[1:2]
    assert [each.name for each in where.iterdir()] == [damaged.name]
    assert f"{damaged} waits for the store" in "".join(said)


def test_a_stranger_cannot_bring_in_runs_by_a_folder_for_everybody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, runs = study()
    with open_store(str(tmp_path / "results.db")) as store:
        monkeypatch.setattr(spill, "_places", lambda: iter([tmp_path / "shared"]))
        spill.spill(store.engine.url, session, runs[0])
        (tmp_path / "shared").chmod(0o777)
        assert spill.waiting(store.engine.url) == {}
        with pytest.raises(StoreError, match="not a folder of this user alone"):
            spill.spill(store.engine.url, session, runs[1])
        (tmp_path / "shared").rename(tmp_path / "own")
        os.symlink(tmp_path / "own", tmp_path / "shared")
        assert spill.waiting(store.engine.url) == {}


def test_what_no_store_can_hold_is_told_at_once(tmp_path: Path) -> None:
    session, runs = study()
    with open_store(str(tmp_path / "results.db")) as store:
        keeper = keeper_of(store, session)
        with pytest.raises(NotKeepable, match=r"facts\.x is nan"):
            keeper.add(runs[0].model_copy(update={"facts": {"x": float("nan")}}))
        assert nothing_waits(store)


def test_what_waits_is_a_result_file_like_any_other(tmp_path: Path) -> None:
    session, runs = study()
    with open_store(str(tmp_path / "results.db")) as store:
        where = spill.spill(store.engine.url, session, runs[0])
        (file,) = where.iterdir()
        assert [each.id for each in read_results(file)] == [session.id, runs[0].id]
