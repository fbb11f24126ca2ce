"""`plimsoll bonnie` says what it will write before it does, and asks where nobody chose the size."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

from tests.integration.frontends.conftest import Command, disk, plimsoll

PLIMSOLL = str(Path(sys.executable).with_name("plimsoll"))
UNASKED = ("bonnie++", "-r", "1", "-n", "1", "-m", "box")

__all__ = ["disk", "plimsoll"]


def on_a_terminal(answer: str, *words: str, cwd: Path) -> tuple[int, str, str]:
    """Exit code, standard output, and what a person saw who typed `answer`."""
    ours, theirs = pty.openpty()
    with subprocess.Popen([PLIMSOLL, *words], cwd=cwd, stdin=theirs, stdout=subprocess.PIPE, stderr=theirs) as done:
        os.close(theirs)
        os.write(ours, f"{answer}\n".encode())
        assert done.stdout is not None
        out = done.stdout.read().decode()
        code = done.wait(60)
    seen = b""
    try:
        while more := os.read(ours, 4096):
            seen += more
    except OSError:  # the other side is closed
        pass
    os.close(ours)
    return code, out, seen.decode()


def test_without_a_size_a_person_is_asked(disk: Path) -> None:
    code, out, seen = on_a_terminal("n", *UNASKED, cwd=disk)
    assert "Go on? [y/N]" in seen
    assert "nothing was written" in seen
    assert (code, out, list(disk.iterdir())) == (2, "", [])
    code, out, seen = on_a_terminal("y", *UNASKED, cwd=disk)
    assert code == 0, seen
    assert "are free; twice the memory" in seen
    assert out.splitlines()[-1].count(",") == 49


def test_with_a_size_nobody_is_asked(disk: Path) -> None:
    code, _, seen = on_a_terminal("", *UNASKED, "-s", "2", cwd=disk)
    assert code == 0
    assert "writes 2" in seen
    assert "Go on?" not in seen
    assert "twice the memory" not in seen


def test_in_a_pipeline_the_plan_comes_first(disk: Path, plimsoll: Command) -> None:
    told = plimsoll(*UNASKED, cwd=disk).err.splitlines()
    assert told[0].startswith("plimsoll bonnie: writes")
    assert "Go on?" not in "".join(told)
    assert "writes" not in plimsoll(*UNASKED, "-q", cwd=disk).err


def test_what_does_not_fit_is_told_in_the_options_of_this_command(disk: Path, plimsoll: Command) -> None:
    said = plimsoll("bonnie++", "-r", "1024", "-s", "60000000", "-n", "0", cwd=disk, check=2).err
    assert "give a smaller -s or -n, or make room" in said
    assert "size=" not in said
    assert not list(disk.iterdir())


def test_an_interrupted_run_is_not_done(disk: Path, plimsoll: Command) -> None:
    words = [PLIMSOLL, "bonnie++", "-r", "1024", "-s", "2048", "-n", "1", "-f"]
    with subprocess.Popen(words, cwd=disk, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        seen = ""
        while "Writing" not in seen:
            more = running.stderr.read(1)
            assert more, f"it ended: {seen}"
            seen += more
        running.send_signal(signal.SIGINT)
        assert running.wait(60) == 130
        assert "done" not in running.stderr.read()
    assert not list(disk.iterdir())
    (session,) = json.loads(plimsoll("list", "sessions", "--json", cwd=disk).out)
    assert session["state"] == "interrupted"
    answer = plimsoll("run", "--resume", session["session"], cwd=disk, check=2).err
    assert "a command line of bonnie++" in answer
    assert "type it again" in answer
