"""Every command of the guides to the load line and to clusters, in its order."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from tests.integration.run.conftest import Command

DOCS = Path(__file__).parents[3] / "docs"


@pytest.mark.parametrize("name", ["load-line", "cluster"])
def test_the_guide_works_as_it_is_written(plimsoll: Command, name: str) -> None:
    if name == "cluster":
        pytest.importorskip("distributed")
    blocks = re.findall(r"```sh\n(.*?)```", (DOCS / f"{name}.md").read_text(), re.DOTALL)
    commands = [line for block in blocks for line in block.strip().splitlines()]
    assert commands
    for command in commands:
        program, *words = shlex.split(command)
        assert program == "plimsoll"
        plimsoll(*words)
