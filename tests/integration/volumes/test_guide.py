"""Every command of docs/volumes.md, in its order."""

from __future__ import annotations

import shlex
from pathlib import Path

from tests import guides
from tests.integration.volumes.conftest import Machine

GUIDE = Path(__file__).parents[3] / "docs" / "volumes.md"


def test_the_guide_works_as_it_is_written(machine: Machine) -> None:
    commands = guides.lines(GUIDE)
    assert len(commands) > 15
    for command in commands:
        program, *words = shlex.split(command)
        assert program == "plimsoll"
        machine.plimsoll(*words)
    assert machine.left() == []
