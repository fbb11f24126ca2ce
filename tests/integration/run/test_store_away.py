"""Stores that go away while a session measures: the real command, the real database."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from tests.conftest import need
from tests.integration.run.conftest import PLIMSOLL, Command
from tests.integration.store import postgres


def start(disk: Path, *words: str, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [PLIMSOLL, "run", "ping", "--on", f"here={disk}", "--set", "size=4MiB", "--set", "runtime=300ms",
         "--set", "warmup=0s", "--noisy-host", *words],
        cwd=disk.parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment},
    )  # fmt: skip


def read_until(process: subprocess.Popen[str], word: str, count: int = 1) -> list[str]:
    """The lines up to the one in which `word` stands for the last time of `count`."""
    assert process.stderr is not None
    lines = []
    for line in process.stderr:
        lines.append(line)
        if sum(word in each for each in lines) >= count:
            return lines
    raise AssertionError("".join(lines))


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "results.db"
    monkeypatch.setenv("PLIMSOLL_STORE", str(path))
    return path


def locked(path: Path) -> closing[sqlite3.Connection]:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    return closing(other)


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_a_locked_store(disk: Path, plimsoll: Command, store: Path, end: signal.Signals) -> None:
    process = start(disk, "--repeats", "40")
    read_until(process, "block 1:")
    with locked(store):
        said = read_until(process, "block 4:")
        process.send_signal(end)
        rest = process.communicate(timeout=120)[1]
    assert sum("Nothing is lost" in line for line in said) == 1
    if end is signal.SIGINT:
        assert "finished runs of session" in rest
        assert "takes them in" in rest
    answer = plimsoll("list", "sessions", "--json")
    assert "now in the store" in answer.err
    (listed,) = answer.json
    assert listed["state"] == "interrupted"
    assert "now in the store" not in plimsoll("list", "sessions").err
    runs = len({row["run"] for row in shown(plimsoll)})
    assert runs >= 4


def shown(plimsoll: Command) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(plimsoll("show", "--csv").out)))


def test_a_killed_session_goes_on_with_the_runs_that_waited(disk: Path, plimsoll: Command, store: Path) -> None:
    process = start(disk, "--repeats", "6")
    read_until(process, "block 1:")
    with locked(store):
        read_until(process, "block 3:")
        process.kill()
        process.communicate()
    answer = plimsoll("run", "--resume", "--json")
    assert "now in the store" in answer.err
    assert "block 4:" in answer.err
    assert "block 3:" not in answer.err
    assert len({row["run"] for row in shown(plimsoll)}) == 6


def test_a_deleted_store(disk: Path, plimsoll: Command, store: Path) -> None:
    process = start(disk, "--repeats", "7")
    read_until(process, "block 2:")
    for each in store.parent.glob("results.db*"):
        each.unlink()
    said = "".join(read_until(process, "block 3:"))
    out, err = process.communicate(timeout=120)
    assert "was moved or deleted while it was in use" in said + err
    assert process.returncode == 0, err
    assert len({row["run"] for row in shown(plimsoll)}) == 7
    assert json.loads(plimsoll("list", "sessions", "--json").out)[0]["state"] == "done", out


def test_a_server_that_is_away_for_a_while(disk: Path, plimsoll: Command) -> None:
    programs = postgres.find_programs()
    need(programs is not None, "PostgreSQL (Debian: postgresql)")
    assert programs is not None
    with postgres.running(programs) as server:
        url = server.new_database()
        process = start(disk, "--repeats", "8", PLIMSOLL_STORE=url)
        read_until(process, "block 2:")
        server.stop()
        said = "".join(read_until(process, "block 5:"))
        server.start()
        _, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        assert "Nothing is lost" in said
        assert "can be used again" in err
        assert "s3cr3t" not in said + err
        rows = csv.DictReader(io.StringIO(plimsoll("show", "--csv", PLIMSOLL_STORE=url).out))
        assert len({row["run"] for row in rows}) == 8


def test_a_front_end_prints_its_result_and_its_run_waits(disk: Path, plimsoll: Command, store: Path) -> None:
    plimsoll("list", "sessions")
    words = [PLIMSOLL, "ping", "-c", "3000", "-i", "0.05", str(disk)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ})
    assert process.stdout is not None
    process.stdout.readline()
    with locked(store):
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    assert "ioping statistics" in out
    assert "Nothing is lost" in err
    assert "1 finished run of session" in err
    assert "1 finished run of session" in plimsoll("list", "sessions").err
