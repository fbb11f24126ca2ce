"""Nothing of a session stays behind: normal end, exception, signals, kill -9; and nothing of others is touched."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from plimsoll.errors import TargetError
from plimsoll.location import home
from plimsoll.targets.workdir import MARKER, leftovers, sweep, workdir

SESSION = "01937000-0000-7000-8000-0123456789ab"
FOLDER = "plimsoll-456789ab"

VICTIM = """
import sys, time
from pathlib import Path
from plimsoll.targets.workdir import workdir
with workdir(Path(sys.argv[1]), sys.argv[2]) as folder:
    (folder / "data").write_bytes(b"x" * 10000)
    print(folder.path, flush=True)
    time.sleep(60)
"""


@pytest.fixture
def victim(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that works in a folder below `tmp_path`."""
    process = subprocess.Popen(
        [sys.executable, "-c", VICTIM, str(tmp_path), SESSION],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Who runs the tests may ignore hang-ups, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
    )
    assert process.stdout is not None
    assert process.stdout.readline().strip() == str(tmp_path / FOLDER)
    yield process
    process.kill()
    process.communicate()


def kill(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()


def registry() -> list[Path]:
    return list((home() / "active").glob("*.json"))


def test_a_normal_end_leaves_nothing(tmp_path: Path) -> None:
    with workdir(tmp_path, SESSION) as folder:
        assert folder.path == tmp_path / FOLDER
        assert folder.path.stat().st_mode & 0o777 == 0o700
        (folder / "sub").mkdir()
        (folder / "sub/file").write_text("x")
    assert list(tmp_path.iterdir()) == []
    assert registry() == []


def test_an_exception_leaves_nothing_and_passes_through(tmp_path: Path) -> None:
    def fail() -> None:
        with workdir(tmp_path, SESSION) as folder:
            (folder / "file").write_text("x")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_leaves_nothing(victim: subprocess.Popen[str], tmp_path: Path, number: signal.Signals) -> None:
    victim.send_signal(number)
    assert victim.wait(30) != 0
    assert list(tmp_path.iterdir()) == []
    assert registry() == []


def test_an_interrupt_while_cleaning_up_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unlink = os.unlink
    arrived = []

    def interrupted_unlink(name: str, *, dir_fd: int | None = None) -> None:
        signal.raise_signal(signal.SIGINT)
        arrived.append(name)
        unlink(name, dir_fd=dir_fd)

    def work() -> None:
        with workdir(tmp_path, SESSION) as folder:
            (folder / "file").write_text("x")
            monkeypatch.setattr("plimsoll.targets.workdir.os.unlink", interrupted_unlink)

    with pytest.raises(KeyboardInterrupt):
        work()
    assert arrived
    monkeypatch.undo()
    assert list(tmp_path.iterdir()) == []


def test_the_handlers_of_signals_are_given_back(tmp_path: Path) -> None:
    before = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)]
    with workdir(tmp_path, SESSION):
        pass
    assert [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)] == before


def test_works_outside_the_main_thread(tmp_path: Path) -> None:
    seen = []

    def work() -> None:
        with workdir(tmp_path, SESSION) as folder:
            seen.append(folder.path.exists())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [True]
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_session_left_is_swept(victim: subprocess.Popen[str], tmp_path: Path) -> None:
    assert sweep() == []
    assert (tmp_path / FOLDER / "data").exists(), "a living session is left alone"
    kill(victim)
    assert [claim.session for claim in leftovers()] == [SESSION]
    (message,) = sweep()
    assert str(tmp_path / FOLDER) in message
    assert list(tmp_path.iterdir()) == []
    assert registry() == []
    assert sweep() == []


def test_links_inside_the_folder_are_not_followed(victim: subprocess.Popen[str], tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").write_text("keep me")
    folder = tmp_path / FOLDER
    (folder / "link").symlink_to(precious)
    (folder / "sub").mkdir()
    (folder / "sub/link").symlink_to(precious / "file")
    kill(victim)
    sweep()
    assert not folder.exists()
    assert (precious / "file").read_text() == "keep me"


def test_a_folder_swapped_for_a_link_is_left_alone(victim: subprocess.Popen[str], tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    kill(victim)
    (tmp_path / FOLDER).rename(moved)
    (tmp_path / FOLDER).symlink_to(moved)
    (message,) = sweep()
    assert "alone" in message
    assert (moved / "data").exists()
    assert (moved / MARKER).exists()


def test_a_folder_without_the_right_marker_is_left_alone(victim: subprocess.Popen[str], tmp_path: Path) -> None:
    kill(victim)
    (tmp_path / FOLDER / MARKER).write_text("{}")
    sweep()
    assert (tmp_path / FOLDER / "data").exists()
    assert registry() == [], "it is not looked at again"


def test_a_marker_that_is_a_pipe_does_not_hang(victim: subprocess.Popen[str], tmp_path: Path) -> None:
    kill(victim)
    (tmp_path / FOLDER / MARKER).unlink()
    os.mkfifo(tmp_path / FOLDER / MARKER)
    sweep()
    assert (tmp_path / FOLDER / "data").exists()


def test_a_foreign_folder_of_the_same_name_is_not_touched(tmp_path: Path) -> None:
    foreign = tmp_path / FOLDER
    foreign.mkdir()
    (foreign / "file").write_text("not ours")
    with workdir(tmp_path, SESSION) as folder:
        assert folder.path.parent == tmp_path
        assert folder.path != foreign
        (folder / "data").write_text("x")
    assert [path.name for path in tmp_path.iterdir()] == [FOLDER]
    assert (foreign / "file").read_text() == "not ours"
    assert registry() == []


def test_a_folder_that_was_deleted_under_us(tmp_path: Path) -> None:
    with workdir(tmp_path, SESSION) as folder:
        shutil.rmtree(folder.path)
    assert registry() == []


def test_a_parent_that_was_deleted_under_us(tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    with workdir(place, SESSION):
        shutil.rmtree(place)
    assert registry() == []


def test_a_place_that_cannot_be_written() -> None:
    with pytest.raises(TargetError, match="cannot make a work folder in /proc"), workdir(Path("/proc"), SESSION):
        pass
    assert registry() == []


def test_a_damaged_registry_entry_is_ignored(tmp_path: Path) -> None:
    with workdir(tmp_path, SESSION):
        (home() / "active/broken.json").write_text("{ not json")
        (home() / "active/other.json").write_text(registry()[0].read_text())
        assert sweep() == []
    assert list(tmp_path.iterdir()) == []
