"""The wheel that these tests install."""

from __future__ import annotations

import fcntl
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conftest import need_program

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this source, as `make setup` compiles it: what it compiled is used again."""
    need_program("cargo")
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run([sys.executable, ROOT / "tools/manual.py"], cwd=ROOT, check=True)
    maturin = Path(sys.executable).parent / "maturin"
    command = [maturin, "build", "--profile", "local", "--out", folder, "--quiet"]
    with (ROOT / "target" / "wheel.lock").open("w") as turn:
        # Two workers at once would take what is compiled from each other: it passes through one place in `target`.
        fcntl.flock(turn, fcntl.LOCK_EX)
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (found,) = folder.glob("*.whl")
    return found
