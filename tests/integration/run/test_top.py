"""`plimsoll top` beside a session that runs, as typed: where it stands, and what became of it."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.integration.run.conftest import PLIMSOLL, Answer, Command

WORDS = ("run", "randread", "--set", "size=16MiB", "--set", "runtime=2s", "--set", "warmup=0s", "--noisy-host")
DEADLINE_S = 60


@pytest.fixture
def session(tmp_path: Path, disk: Path) -> Iterator[subprocess.Popen[str]]:
    """A session of many blocks, in a process of its own."""
    words = [PLIMSOLL, *WORDS, "--on", f"fast={disk}", "--on", f"slow={disk},depth=1", "--repeats", "50", "--quiet"]
    with subprocess.Popen(words, cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        yield process
        process.kill()


def until(plimsoll: Command, wanted: str) -> Answer:
    """What `top --once` prints when it has these words in it."""
    end = time.monotonic() + DEADLINE_S
    while time.monotonic() < end:
        answer = plimsoll("top", "--once", check=None)
        if wanted in answer.out + answer.err:
            return answer
        time.sleep(0.2)
    pytest.fail(f"{wanted!r} did not come: {answer}")


def test_a_running_session_is_seen_and_one_that_was_killed_told(
    plimsoll: Command, session: subprocess.Popen[str]
) -> None:
    answer = until(plimsoll, "1 block ·")
    assert answer.code == 0
    assert "randread on fast, slow" in answer.out
    assert "0 of 1 tests done" in answer.out
    assert "left" in answer.out
    assert all(len(line) < 200 for line in answer.out.splitlines())
    [told] = plimsoll("top", "--json").json
    assert told["alive"]
    assert told["owner"]["pid"] == session.pid
    assert set(told["cases"][0]["cells"]) == {"fast", "slow"}
    short = told["session"].replace("-", "")[-8:]
    assert short in plimsoll("top", short[:5], "--once").out
    assert f"did you mean '{short}'?" in plimsoll("top", short[:-1] + "z", check=2).err
    os.kill(session.pid, signal.SIGKILL)
    session.wait()
    gone = until(plimsoll, "was killed")
    assert gone.code == 1
    assert f"`plimsoll run --resume {short}` goes on" in gone.err


def test_a_session_that_ended_leaves_nothing_to_look_at(plimsoll: Command, session: subprocess.Popen[str]) -> None:
    until(plimsoll, "0 of 1 tests done")
    session.send_signal(signal.SIGINT)
    session.wait(timeout=DEADLINE_S)
    assert session.stderr is not None
    assert "interrupted; finished runs are kept" in session.stderr.read()
    assert "no session is running here; `plimsoll run` starts one" in plimsoll("top", check=1).err


def test_without_a_session_there_is_one_line(plimsoll: Command) -> None:
    answer = plimsoll("top", check=1)
    assert answer.err == "no session is running here; `plimsoll run` starts one\n"
    assert plimsoll("top", "--json", check=1).json == []
