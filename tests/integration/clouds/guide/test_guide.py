"""Every command of docs/guides/measure-on-aws.md that rents nothing works as it stands, in an emulated account."""

from __future__ import annotations

from pathlib import Path

from tests import guides
from tests.clouds.fixtures import KEY, SECRET, everything
from tests.clouds.proxy import Proxy

GUIDE = Path(__file__).parents[4] / "docs" / "guides" / "measure-on-aws.md"


def test_the_guide_works_and_rents_nothing(proxy: Proxy, tmp_path: Path) -> None:
    blocks = guides.blocks(GUIDE)
    assert len(blocks) == 5
    before = everything(proxy.moto)
    done = guides.carried_out("\n".join(blocks), tmp_path)
    said = done.stdout + done.stderr
    assert KEY not in said
    assert SECRET not in said
    assert said.count("nothing was rented") == 6
    assert "credits of the volume may hold 3,000/s for 33 min 20 s" in said
    assert "is rented as t3.small" in said
    assert everything(proxy.moto) == before
