"""Runs the real command in a process of its own, as a user does."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.integration.run import starter

PLIMSOLL = Path(sys.executable).parent / "plimsoll"

SHORT = ("--set", "size=16MiB", "--set", "runtime=300ms", "--set", "warmup=100ms", "--noisy-host")
"""Runs that take moments; for tests of behaviour, not of speed."""

PACED = {"fast": "depth=32,rate=4000/s", "slow": "depth=1,rate=400/s"}
"""Options of targets one of which is ten times faster on any machine and disk: each does as much as it is told to."""


@dataclass(frozen=True)
class Answer:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Command = Callable[..., Answer]


@pytest.fixture
def plimsoll(tmp_path: Path) -> Command:
    """`plimsoll("run", …)` with a store of its own, in a folder of its own."""

    def run(*words: str | Path, check: int | None = 0, cwd: Path = tmp_path, **environment: str) -> Answer:
        done = starter.run([*map(str, words)], cwd, {**os.environ, "COLUMNS": "200", **environment})
        answer = Answer(done.returncode, done.stdout, done.stderr)
        assert "Traceback" not in answer.err, answer.err
        if check is not None:
            assert answer.code == check, f"exit {answer.code}\n{answer.out}\n{answer.err}"
        return answer

    return run


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    """An empty directory to measure."""
    path = tmp_path / "disk"
    path.mkdir()
    return path


@dataclass(frozen=True)
class Measured:
    """Sessions that were measured once, for all tests of a module."""

    disk: Path
    home: Path

    def use_copy(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A test's commands have a copy of the store: what they change, other tests do not see."""
        monkeypatch.setenv("PLIMSOLL_HOME", str(shutil.copytree(self.home, tmp_path / "home")))


def measured_in(folder: Path, *commands: tuple[str, ...]) -> Measured:
    """`plimsoll WORDS` for each command, in `folder`; `disk` is an empty directory there."""
    measured = Measured(folder / "disk", folder / "home")
    measured.disk.mkdir()
    for words in commands:
        _done(measured, *words)
    return measured


def until_decided(measured: Measured, metric: str) -> Measured:
    """Go on with its session as the program says where others keep the machine so busy that its blocks decide nothing.

    What three extensions do not decide is left for the tests to find.
    """
    for _ in range(3):
        rows = json.loads(_done(measured, "compare", "--json"))
        if all(row["answer"] != "unknown" for row in rows if row["metric"] == metric):
            break
        _done(measured, "extend")
    return measured


def _done(measured: Measured, *words: str) -> str:
    """What a command says that is typed beside its disk."""
    surroundings = {**os.environ, "COLUMNS": "200", "PLIMSOLL_HOME": str(measured.home)}
    done = starter.run([*words], measured.disk.parent, surroundings)
    assert done.returncode == 0, done.stderr
    return done.stdout


def leftovers(directory: Path) -> list[Path]:
    """What a session left in a directory target."""
    return list(directory.iterdir())


def scored(answer: Answer) -> list[dict[str, Any]]:
    """The rows of every score of every run, from a report in JSON; a run without scores has one row."""
    rows: list[dict[str, Any]] = answer.json["scores"]["rows"]
    return rows
