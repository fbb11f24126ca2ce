"""Whatever ends a session, finished runs stay, files go, and `--resume` goes on."""

from __future__ import annotations

import gzip
import json
import os
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.integration.run.conftest import PLIMSOLL, Command, leftovers


def start(disk: Path, *words: str) -> subprocess.Popen[str]:
    """A session that would take long."""
    return subprocess.Popen(
        [PLIMSOLL, "run", "ping", "seqread", "--on", f"here={disk}", "--set", "size=16MiB", "--set", "runtime=300ms",
         "--set", "warmup=50ms", "--noisy-host", "--mode", "publish", *words],
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


@contextmanager
def held(process: subprocess.Popen[str]) -> Iterator[None]:
    """The session lives but does not come to its end."""
    process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        process.send_signal(signal.SIGCONT)


def states(plimsoll: Command) -> list[str]:
    return [row["state"] for row in plimsoll("list", "sessions", "--json").json]


def valid_runs(plimsoll: Command) -> int:
    rows = plimsoll("show", "--csv").out.splitlines()
    return len({line.split(",")[0] for line in rows[1:]}) if len(rows) > 1 else 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("runs", [0, 2])
def test_signals(plimsoll: Command, disk: Path, number: signal.Signals, runs: int) -> None:
    with start(disk) as process:
        if runs:
            wait_for_runs(process, runs)
        else:
            deadline = time.monotonic() + 60
            while not leftovers(disk) and time.monotonic() < deadline:
                time.sleep(0.01)
        process.send_signal(number)
        _, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "interrupted; finished runs are kept, test files are removed: `plimsoll run --resume` goes on" in err
    assert leftovers(disk) == []
    assert states(plimsoll) == ["interrupted"]


def test_a_verification_that_is_interrupted_says_that_there_is_no_verdict(plimsoll: Command, disk: Path) -> None:
    words = ("verify", str(disk), "--as", "gp3,size=10GiB", "--size", "8MiB", "--runtime", "1h")
    with subprocess.Popen([PLIMSOLL, *words], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 60
        while not leftovers(disk) and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    assert (process.returncode, out) == (130, "")
    assert "interrupted, so there is no verdict; test files were removed. Give the same command again" in err
    assert leftovers(disk) == []
    assert states(plimsoll) == ["interrupted"]


def test_resume_goes_on(plimsoll: Command, disk: Path) -> None:
    with start(disk, "--blocks", "3") as process:
        wait_for_runs(process, 2)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=120)
    answer = plimsoll("run", "--resume")
    assert states(plimsoll) == ["done"]
    # Six runs in all; at least the two finished ones were not repeated.
    assert answer.err.count(" left\n") <= 4
    assert leftovers(disk) == []


def test_kill_and_the_next_command_cleans_up(plimsoll: Command, disk: Path) -> None:
    with start(disk, "--blocks", "3") as process:
        wait_for_runs(process, 2)
        process.kill()
        process.communicate(timeout=120)
    assert leftovers(disk)
    assert states(plimsoll) == ["interrupted"]
    assert leftovers(disk) == []
    plimsoll("run", "--resume")
    assert states(plimsoll) == ["done"]
    assert leftovers(disk) == []


def test_two_sessions_cannot_use_one_place(plimsoll: Command, disk: Path) -> None:
    with start(disk) as process:
        wait_for_runs(process, 1)
        with held(process):
            refused = plimsoll("run", "ping", "--on", f"here={disk}", check=2)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=120)
    assert "in use" in refused.err


def interrupted(disk: Path, *words: str) -> None:
    """A session of one finished run, stopped by Ctrl-C."""
    with start(disk, *words) as process:
        wait_for_runs(process, 1)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=120)


def test_resume_goes_on_at_the_same_place_from_any_directory(plimsoll: Command, disk: Path, tmp_path: Path) -> None:
    words = ("--set", "size=16MiB", "--set", "runtime=500ms", "--repeats", "3", "--noisy-host")
    with subprocess.Popen(
        [PLIMSOLL, "run", "ping", "--on", "here=.", *words], cwd=disk, stderr=subprocess.PIPE, text=True
    ) as process:
        wait_for_runs(process, 1)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=120)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    plimsoll("run", "--resume", cwd=elsewhere)
    plimsoll("export", "--study", "again.toml")
    assert f'where = "{disk}"' in (tmp_path / "again.toml").read_text()


def test_resume_leaves_a_living_session_alone(plimsoll: Command, disk: Path) -> None:
    with start(disk) as process:
        wait_for_runs(process, 1)
        with held(process):
            refused = plimsoll("run", "--resume", check=2)
            assert states(plimsoll) == ["running"]
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=120)
    assert "no session of this machine was interrupted" in refused.err


def test_resume_leaves_the_sessions_of_other_machines_alone(plimsoll: Command, disk: Path, tmp_path: Path) -> None:
    interrupted(disk)
    plimsoll("export", "-o", "a.plimsoll.gz")
    with gzip.open(tmp_path / "a.plimsoll.gz", "rt") as file:
        (key,) = {json.loads(line)["session"]["host"]["machine_key"] for line in file if '"machine_key"' in line}
    database = Path(os.environ["PLIMSOLL_HOME"]) / "results.db"
    with sqlite3.connect(database) as connection:
        connection.execute("update session set host = replace(host, ?, 'another')", (key,))
    assert "no session of this machine" in plimsoll("run", "--resume", check=2).err
    (session,) = plimsoll("list", "sessions", "--json").json
    assert "another machine" in plimsoll("run", "--resume", session["session"], check=2).err


def test_resume_takes_the_session_as_it_was(plimsoll: Command, disk: Path) -> None:
    interrupted(disk)
    refused = plimsoll("run", "--resume", "--band", "5%", "--time", "1m", check=2)
    assert "leave out --time, --band" in refused.err
    assert states(plimsoll) == ["interrupted"]


def test_time_counts_over_all_parts_of_a_session(plimsoll: Command, disk: Path) -> None:
    interrupted(disk, "--time", "1h")
    with sqlite3.connect(Path(os.environ["PLIMSOLL_HOME"]) / "results.db") as connection:
        (first,) = connection.execute("select count(*) from run").fetchone()
        # As if its runs had taken an hour and a half.
        connection.execute("update run set started_ns = started_ns - 5400 * 1000000000")
    assert first > 0
    said = plimsoll("run", "--resume").err
    assert "the time is used up" in said
    assert states(plimsoll) == ["done"]
    with sqlite3.connect(Path(os.environ["PLIMSOLL_HOME"]) / "results.db") as connection:
        assert connection.execute("select count(*) from run").fetchone() == (first,)
