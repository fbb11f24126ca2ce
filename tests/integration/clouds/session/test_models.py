"""A rented session beside emulated ones of the same volume, compared by the command: is the model wrong?"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.clouds.fixtures import everything
from tests.clouds.machines import Machines
from tests.clouds.proxy import Proxy
from tests.integration.run.conftest import Command

TEST = ("run", "randread", "--set", "size=32MiB", "--set", "runtime=1s", "--set", "warmup=2s")
HOW = ("--repeats", "4", "--band", "25%", "--noisy-host")
EMULATED = "gp3=vol:type=gp3,size=20GiB,instance=m7i.xlarge"
WRONG = re.compile(r"the model of gp3 20 GiB.*? is wrong")


@pytest.mark.slow
def test_a_rented_volume_shows_where_the_model_is_wrong_and_where_it_holds(
    plimsoll: Command, cloud: Machines, proxy: Proxy, tmp_path: Path
) -> None:
    """The rented one gives 3,000 IOPS, and so does the catalog's model; the other was told 1,000."""
    other = tmp_path / "other.toml"
    other.write_text('type = "gp3"\n[numbers]\niops = 1000\n', encoding="utf-8")
    rented = ("--on", "gp3=aws:gp3,size=20GiB", "--instance", "m7i.xlarge", "--budget", "5USD")
    plimsoll(*TEST, *rented, *HOW, "--title", "rented")
    assert everything(proxy.moto) == []
    assert cloud.running == []
    plimsoll(*TEST, "--on", EMULATED, *HOW, "--title", "emulated")
    plimsoll(*TEST, "--on", f"{EMULATED},model={other}", *HOW, "--title", "other")

    alike = said(plimsoll("compare", "emulated", "rented", "--band", "25%").out)
    assert "Model and volume" in alike
    assert re.search(r"randread, IOPS: the model of gp3 20 GiB.*? holds: ", alike), alike
    assert not WRONG.search(alike), alike
    assert "plimsoll volume fit" not in alike

    differs = said(plimsoll("compare", "other", "rented", "--band", "25%").out)
    found = re.search(r"randread, IOPS: the model of gp3 20 GiB.*? is wrong: .*? is ([0-9.]+)× faster than ", differs)
    assert found, differs
    assert 2.5 < float(found[1]) < 3.5

    # Another size is another volume, of which neither is a model.
    plimsoll(*TEST, "--on", EMULATED.replace("20GiB", "30GiB"), *HOW, "--title", "larger")
    assert "the model of" not in plimsoll("compare", "larger", "rented", "--band", "25%").out


def said(text: str) -> str:
    """Without line ends."""
    return " ".join(text.split())
