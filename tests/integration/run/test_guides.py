"""Every command of the guides to the load line and to clusters, in its order."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest
from tests import guides
from tests.conftest import need_module
from tests.integration.run.conftest import Command

DOCS = Path(__file__).parents[3] / "docs"


@pytest.mark.parametrize("name", ["load-line", "cluster"])
def test_the_guide_works_as_it_is_written(plimsoll: Command, tmp_path: Path, name: str) -> None:
    if name == "cluster":
        need_module("distributed")
    commands = guides.lines(DOCS / f"{name}.md")
    assert commands
    for command in commands:
        program, *words = shlex.split(command.replace("$PWD", str(tmp_path)))
        if program == "mkdir":
            subprocess.run([program, *words], cwd=tmp_path, check=True)
            continue
        assert program == "plimsoll"
        plimsoll(*words)
