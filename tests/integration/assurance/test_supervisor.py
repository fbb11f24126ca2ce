"""A chosen system call fails, and no other; what is said to be killed is."""

from __future__ import annotations

import errno
import signal
import subprocess
from pathlib import Path

import pytest
from benches.torture.supervisor import Call, Supervisor
from tests.conftest import need

SCRIPT = "echo one >a; echo two >b; echo three >a; mv a c; echo four >d/e; cat c b"


def run(root: Path, supervisor: Supervisor, script: str = SCRIPT) -> subprocess.CompletedProcess[str]:
    (root / "d").mkdir()
    try:
        process = supervisor.start(
            ["/bin/sh", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=str(root)
        )
    except OSError as error:
        need(False, f"seccomp with notifications ({error})")
        raise
    out, err = process.communicate(timeout=60)
    return subprocess.CompletedProcess([], process.returncode, out, err)


def test_calls_are_counted_by_what_they_do_and_where(tmp_path: Path) -> None:
    supervisor = Supervisor(tmp_path)
    done = run(tmp_path, supervisor)
    assert (done.returncode, done.stdout) == (0, "three\ntwo\n")
    assert supervisor.seen["write", "a"] == 2
    assert supervisor.seen["rename", "c"] == 1
    assert supervisor.seen["open", "d/e"] == 1
    assert supervisor.seen["clone", "sh"] >= 2
    # The shell's own libraries are nobody's interest.
    assert not any(place.startswith(("usr", "lib", "proc")) for _, place in supervisor.seen)


def test_of_many_alike_the_first_and_the_last_are_kept(tmp_path: Path) -> None:
    supervisor = Supervisor(tmp_path)
    supervisor.seen["write", "log"] = 9
    assert [call.number for call in supervisor.calls(4)] == [1, 2, 8, 9]
    assert [call.number for call in supervisor.calls(5)] == [1, 2, 3, 8, 9]
    assert len(supervisor.calls()) == 9


def test_one_call_fails_once(tmp_path: Path) -> None:
    supervisor = Supervisor(tmp_path, fails=Call("write", "a", 2), error=errno.ENOSPC)
    done = run(tmp_path, supervisor)
    assert "I/O error" in done.stderr, "dash says it of every error of a write"
    assert supervisor.struck == "ENOSPC for write a #2 of sh"
    # The file was emptied and not written; everything else went on.
    assert done.stdout == "two\n"
    assert (tmp_path / "d/e").read_text() == "four\n"


def test_a_process_that_cannot_be_made(tmp_path: Path) -> None:
    supervisor = Supervisor(tmp_path, fails=Call("clone", "sh", 1), error=errno.EAGAIN)
    done = run(tmp_path, supervisor)
    assert done.returncode != 0
    assert "fork" in done.stderr


def test_a_command_is_killed_at_a_call_and_its_children_are_not(tmp_path: Path) -> None:
    supervisor = Supervisor(tmp_path, kills=Call("write", "b", 1))
    done = run(tmp_path, supervisor)
    assert done.returncode == -signal.SIGKILL
    assert supervisor.struck == "killed at write b #1"
    assert (tmp_path / "a").read_text() == "one\n"
    assert (tmp_path / "b").read_text() == ""


@pytest.mark.parametrize("call", [Call("write", "a", 3), Call("rename", "b", 1)])
def test_a_call_that_is_never_made_changes_nothing(tmp_path: Path, call: Call) -> None:
    supervisor = Supervisor(tmp_path, fails=call)
    assert run(tmp_path, supervisor).stdout == "three\ntwo\n"
    assert supervisor.struck == ""
