"""docs/front-ends.md: its commands work as they stand there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from tests.integration.frontends.conftest import Command

GUIDE = Path(__file__).parents[3] / "docs/front-ends.md"


def test_the_commands_of_the_guide(disk: Path, plimsoll: Command) -> None:
    blocks = re.findall(r"```sh\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    lines = [line for block in blocks for line in block.strip().splitlines()]
    assert len(lines) >= 10
    for line in lines:
        program, *words = shlex.split(line)
        assert program == "plimsoll"
        plimsoll(*words, cwd=disk)
    assert len(plimsoll("list", "sessions", "--json").json) == len(lines)
