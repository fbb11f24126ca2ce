"""Every command of docs/guides/measure-on-aws.md that rents nothing works as it stands, in an emulated account."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.clouds.fixtures import KEY, SECRET, everything
from tests.clouds.proxy import Proxy

GUIDE = Path(__file__).parents[4] / "docs" / "guides" / "measure-on-aws.md"


def test_the_guide_works_and_rents_nothing(proxy: Proxy, tmp_path: Path) -> None:
    blocks = re.findall(r"^```sh\n(.*?)^```", GUIDE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(blocks) == 5
    before = everything(proxy.moto)
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", "\n".join(blocks)],
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    said = done.stdout + done.stderr
    assert "Traceback" not in said
    assert KEY not in said
    assert SECRET not in said
    assert said.count("nothing was rented") == 6
    assert "credits of the volume may hold 3,000/s for 33 min 20 s" in said
    assert "is rented as t3.small" in said
    assert everything(proxy.moto) == before


def test_links_lead_somewhere() -> None:
    for link in re.findall(r"\]\(([^)#:]+)", GUIDE.read_text(encoding="utf-8")):
        assert (GUIDE.parent / link).exists(), link
