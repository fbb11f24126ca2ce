"""The command in a process of its own, and the originals beside it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import need_program
from tests.integration.run.conftest import Command, disk, plimsoll

__all__ = ["Command", "disk", "plimsoll"]

Original = Callable[..., str]


@pytest.fixture
def original(disk: Path) -> Original:
    """`original("fio", …)` runs the real program in the directory `disk`; returns its standard output."""

    def run(program: str, *words: str) -> str:
        path = need_program(program)
        done = subprocess.run([path, *words], cwd=disk, capture_output=True, text=True, timeout=60, check=True)
        return done.stdout

    return run
