"""The campaign of `make torture`, in small."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from benches.torture.sandbox import Sandbox
from benches.torture.template import Template, make
from benches.torture.turn import sandbox_for
from tests.conftest import need, need_program, need_root


@pytest.fixture(scope="session")
def place() -> Iterator[Path]:
    """A folder that the users of private servers may enter."""
    need_root()
    for program in ("losetup", "mount", "mkfs.ext4", "e2fsck"):
        need_program(program)
    need(Path("/dev/fuse").exists(), "/dev/fuse")
    folder = Path(tempfile.mkdtemp(prefix="plimsoll-torture-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def template(place: Path) -> Template:
    return make(place / "template")


@pytest.fixture
def sandbox(place: Path) -> Iterator[Sandbox]:
    with sandbox_for(place / "sandbox") as found:
        yield found
