"""Files that hold what users see; a change of it is a change of them, and is read in review."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def check(expected: Path, got: str) -> None:
    """Fails where a file holds something else, and writes a `.got` beside it; UPDATE_GOLDEN=1 accepts it."""
    other = expected.with_name(f"{expected.name}.got")
    if os.environ.get("UPDATE_GOLDEN"):
        expected.write_text(got)
    if not expected.exists() or expected.read_text() != got:
        other.write_text(got)
        pytest.fail(f"{expected.name} differs; compare it with {other.name}, and accept it with UPDATE_GOLDEN=1")
    other.unlink(missing_ok=True)
