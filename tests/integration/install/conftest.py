"""The wheel that these tests install."""

from __future__ import annotations

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
    done = subprocess.run(
        [maturin, "build", "--profile", "local", "--out", folder, "--quiet"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    (found,) = folder.glob("*.whl")
    return found
