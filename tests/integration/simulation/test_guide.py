"""The guide to simulation is what happens: every command in it is run as it stands."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from tests import guides
from tests.integration.run.conftest import Command, plimsoll

ROOT = Path(__file__).parents[3]
COMMANDS = guides.lines(ROOT / "docs" / "simulate.md")

__all__ = ["plimsoll"]


@pytest.mark.parametrize("line", COMMANDS)
def test_commands_of_the_guide_work(line: str, plimsoll: Command, tmp_path: Path) -> None:
    reads = [f"{i * 500} /dev/sdb read {i * 4096} 4096" for i in range(5000)]
    (tmp_path / "app.iolog").write_text("fio version 3 iolog\n0 /dev/sdb add\n0 /dev/sdb open\n" + "\n".join(reads))
    program, *words = shlex.split(line)
    assert program == "plimsoll"
    answer = plimsoll(*words)
    assert len(answer.out.splitlines()) > 5


def test_a_simulation_for_programs_and_in_files(plimsoll: Command, tmp_path: Path) -> None:
    words = ("simulate", "--volume", "gp2,size=100GiB,instance=m5.large", "--job", "randread,depth=16")
    found = plimsoll(*words, "--duration", "40m", "--json", "-o", "all.csv", "--charts", "pictures").json
    [simulation] = found["simulations"]
    [end] = simulation["burst_ends"]
    assert end["second"] == pytest.approx(2000, rel=0.01)
    assert len(simulation["intervals"]) == 2400
    assert simulation["cost"]["as_of"] >= "2026"
    assert simulation["cost"]["volume_usd_per_month"] == pytest.approx(10.0)
    assert len((tmp_path / "all.csv").read_text().splitlines()) == 2401
    assert {path.suffix for path in (tmp_path / "pictures").iterdir()} == {".svg", ".png"}
    assert "--force" in plimsoll(*words, "-o", "all.csv", check=2).err


def test_a_comparison_for_programs(plimsoll: Command) -> None:
    words = ("--volume", "size=200GiB", "--job", "randread,rate=2000/s", "--json")
    found = plimsoll("simulate", "--compare", "io2,gp3,gp2", *words).json
    assert [each["type"] for each in found["choices"]] == ["gp3", "gp2", "io2"]
    assert all(each["met"] and each["simulation"]["cost"]["as_of"] for each in found["choices"])
    assert found["for_s"] is None
    [gp2] = [each for each in found["choices"] if each["type"] == "gp2"]
    assert gp2["simulation"]["volume"]["size"] == "667GiB"
    assert gp2["until_s"] is None
    assert gp2["one_step_cheaper"]["volume"]["size"] == "666GiB"
    assert gp2["one_step_cheaper"]["reasons"]
    brief = plimsoll("simulate", "--compare", "gp2", *words, "--for", "30m").json
    [gp2] = brief["choices"]
    assert brief["for_s"] == 1800
    assert gp2["simulation"]["volume"]["size"] == "200GiB"
    assert gp2["until_s"] == pytest.approx(5_400_000 / 1400, rel=0.01)


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("--volume", "gp4,size=1GiB"), "'gp3'"),
        (("--volume", "gp3,size=10GiB,iops=60000"), "500 IOPS per GiB"),
        (("--volume", "gp3"), "needs a size"),
        (("--job", "randread"), "say which volume"),
        (("--volume", "gp3,size=1GiB", "--duration", "0"), "from one second"),
        (("--volume", "gp3,size=1GiB", "--trace", "none"), "none"),
        (("--volume", "gp3,size=1GiB", "--trace", "x", "--job", "randread"), "whole load"),
        (("--volume", "gp3,size=1GiB", "--job", "fs-mark"), "cannot be simulated"),
        (("--volume", "gp3,size=1GiB", "-o", "x.doc"), "report format"),
        (("--volume", "gp3,size=1GiB", "--region", "moon"), "region with prices"),
        (("--compare", "gp3", "--volume", "gp3,size=1GiB"), "leave the type out"),
        (("--compare", "gp3", "--slo", "fast"), "is not a bound"),
        (("--compare", "gp3", "--duration", "8h"), "--for 8h"),
        (("--compare", "gp3", "--volume", "size=1GiB", "--for", "0"), "--for 0 s: from one second"),
        (("--volume", "gp3,size=1GiB", "--for", "8h"), "--duration 8h"),
        (("--compare", "gp3,gp9"), "no volume type named 'gp9' in --compare"),
        (("--compare", ","), "names no type"),
        (("--compare", "gp2,gp3"), "how much must fit"),
    ],
)
def test_what_cannot_be_simulated_says_why(words: tuple[str, ...], part: str, plimsoll: Command) -> None:
    answer = plimsoll("simulate", *words, check=2)
    assert part in answer.err
    assert answer.out == ""


def test_lists_name_dates_and_sources(plimsoll: Command) -> None:
    volumes = plimsoll("list", "volumes", "--json").json
    assert {"gp2", "gp3", "io1", "io2", "st1", "sc1", "standard", "instance-store"} <= {
        row["volume"] for row in volumes
    }
    assert all(row["period"] and row["source"] and row["latency"] for row in volumes)
    instances = plimsoll("list", "instances", "--json").json
    assert len(instances) > 1300
    assert all(re.search(r"\(\d{4}-\d\d-\d\d\)", row["$/h"]) for row in instances if row["$/h"])
    prices = plimsoll("list", "prices", "--csv").out.splitlines()
    assert len(prices) > 60
    assert prices[0].startswith("item,region,$,per,as of")
