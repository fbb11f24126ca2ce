"""Whatever ends a session, finished runs stay, files go, and `--resume` goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from tests.integration.run.conftest import PLIMSOLL, Command, leftovers


def start(disk: Path, *words: str) -> subprocess.Popen[str]:
    """A session that would take long."""
    return subprocess.Popen(
        [PLIMSOLL, "run", "ping", "seqread", "--on", f"here={disk}", "--set", "size=16MiB", "--set", "runtime=500ms",
         "--set", "warmup=100ms", "--mode", "publish", *words],
        cwd=disk.parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ},
    )  # fmt: skip


def wait_for_runs(process: subprocess.Popen[str], count: int) -> None:
    """Until so many runs were reported as finished."""
    assert process.stderr is not None
    seen = 0
    for line in process.stderr:
        seen += "left" in line
        if seen >= count:
            return
    raise AssertionError("the session ended too early")


def states(plimsoll: Command) -> list[str]:
    return [row["state"] for row in plimsoll("list", "sessions", "--json").json]


def valid_runs(plimsoll: Command) -> int:
    rows = plimsoll("show", "--csv").out.splitlines()
    return len({line.split(",")[0] for line in rows[1:]}) if len(rows) > 1 else 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("runs", [0, 3])
def test_signals(plimsoll: Command, disk: Path, number: signal.Signals, runs: int) -> None:
    with start(disk) as process:
        if runs:
            wait_for_runs(process, runs)
        else:
            deadline = time.monotonic() + 30
            while not leftovers(disk) and time.monotonic() < deadline:
                time.sleep(0.01)
        process.send_signal(number)
        process.communicate(timeout=30)
    assert process.returncode == 130
    assert leftovers(disk) == []
    assert states(plimsoll) == ["interrupted"]


def test_resume_goes_on(plimsoll: Command, disk: Path) -> None:
    with start(disk, "--blocks", "3") as process:
        wait_for_runs(process, 2)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
    answer = plimsoll("run", "--resume")
    assert states(plimsoll) == ["done"]
    # Six runs in all; at least the two finished ones were not repeated.
    assert answer.err.count(" left\n") <= 4
    assert leftovers(disk) == []


def test_kill_and_the_next_command_cleans_up(plimsoll: Command, disk: Path) -> None:
    with start(disk) as process:
        wait_for_runs(process, 2)
        process.kill()
        process.communicate(timeout=30)
    assert leftovers(disk)
    plimsoll("list", "sessions")
    assert leftovers(disk) == []
    plimsoll("run", "--resume", "--time", "3s", check=None)
    assert leftovers(disk) == []


def test_two_sessions_cannot_use_one_place(plimsoll: Command, disk: Path) -> None:
    with start(disk) as process:
        wait_for_runs(process, 1)
        refused = plimsoll("run", "ping", "--on", f"here={disk}", check=2)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
    assert "in use" in refused.err
