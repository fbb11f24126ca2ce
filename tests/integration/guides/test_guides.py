"""Every command of the guides works as it stands, from an empty folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests import guides
from tests.conftest import need, need_program, need_root

GUIDES = Path(__file__).parents[3] / "docs" / "guides"
HERE = (
    "first-comparison",
    "publish-a-result",
    "results-of-other-tools",
    "gate-in-a-pipeline",
    "installing",
    "database-sizing",
    "what-to-buy",
)


@pytest.mark.parametrize("name", HERE)
def test_a_guide_works(name: str, tmp_path: Path) -> None:
    commands = "\n".join(guides.blocks(GUIDES / f"{name}.md"))
    assert commands
    if "plimsoll volume create" in commands:
        need_root()
        need(Path("/dev/fuse").exists(), "/dev/fuse")
        need_program("pgbench")
    guides.carried_out(commands, tmp_path)
