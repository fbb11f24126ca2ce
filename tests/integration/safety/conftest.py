"""Real loop devices, detached and removed after each test."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.conftest import need, need_program, need_root

MakeLoop = Callable[[int], Path]


def run(*words: str | Path) -> str:
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    assert done.returncode == 0, f"{words}: {done.stderr}"
    return done.stdout.strip()


@pytest.fixture
def cleanup() -> Iterator[ExitStack]:
    """What a test sets up on the machine is undone in reverse order, whatever happens."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def make_loop(tmp_path: Path, cleanup: ExitStack) -> MakeLoop:
    """`make_loop(MiB)` attaches an empty file as a loop device."""
    need_root()
    need_program("losetup")
    need(Path("/dev/loop-control").exists(), "loop devices")

    def make(mib: int = 32) -> Path:
        file = tmp_path / f"disk-{len(list(tmp_path.glob('disk-*')))}"
        with file.open("wb") as image:
            image.truncate(mib * 2**20)
        device = run("losetup", "--find", "--show", file)
        cleanup.callback(run, "losetup", "--detach", device)
        return Path(device)

    return make


@pytest.fixture
def loop(make_loop: MakeLoop) -> Path:
    return make_loop(32)
