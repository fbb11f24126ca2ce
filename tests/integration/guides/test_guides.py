"""Every command of the guides works as it stands, from an empty folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
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
    blocks = re.findall(r"^```sh\n(.*?)^```", (GUIDES / f"{name}.md").read_text(), re.MULTILINE | re.DOTALL)
    assert blocks
    if "plimsoll volume create" in "".join(blocks):
        need_root()
        need(Path("/dev/fuse").exists(), "/dev/fuse")
        need_program("pgbench")
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", "\n".join(blocks)],
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", HERE)
def test_links_lead_somewhere(name: str) -> None:
    for link in re.findall(r"\]\(([^)#:]+)\)", (GUIDES / f"{name}.md").read_text()):
        assert (GUIDES / link).exists(), link
