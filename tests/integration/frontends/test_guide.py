"""docs/front-ends.md: its commands work as they stand there."""

from __future__ import annotations

import shlex
from pathlib import Path

from tests import guides
from tests.integration.frontends.conftest import Command

GUIDE = Path(__file__).parents[3] / "docs/front-ends.md"


def test_the_commands_of_the_guide(disk: Path, plimsoll: Command) -> None:
    lines = guides.lines(GUIDE)
    assert len(lines) >= 10
    for line in lines:
        program, *words = shlex.split(line)
        assert program == "plimsoll"
        plimsoll(*words, cwd=disk)
    assert len(plimsoll("list", "sessions", "--json").json) == len(lines)
