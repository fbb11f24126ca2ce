"""Studies, cliffs and verification on emulated volumes: their truth is known."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.conftest import need, need_program, need_root
from tests.integration.run.conftest import Command, plimsoll

__all__ = ["plimsoll"]


@pytest.fixture(autouse=True)
def _can_serve() -> None:
    need_root()
    for program in ("losetup", "mkfs.xfs"):
        need_program(program)
    need(Path("/dev/fuse").exists(), "/dev/fuse")


def test_the_study_of_2020_prints_comparison_reason_and_price(plimsoll: Command) -> None:
    words = ("--quick-sizes", "--blocks", "1", "--set", "runtime=2s", "--set", "size=32MiB", "-q")
    shown = plimsoll("run", "gp2-vs-instance-store-2020", *words).out
    assert "EBS gp2 against EC2 instance store" in shown
    assert "Cost and limits" in shown
    assert "$38.50" in shown
    assert "2026-" in shown
    assert "volume IOPS burst" in shown
    assert "p99" in shown
    assert "nothing was charged" in shown
    assert plimsoll("volume", "list", "--json").json == []


def test_a_burst_that_ends_is_two_scores_and_a_change_point(plimsoll: Command) -> None:
    # A quarter of 5.4 million credits, 300 times faster: 5 s at 900 above the baseline, which any machine can ask for.
    volume = "gp2=vol:type=gp2,size=33GiB,time_scale=300,credits=25%,fs=xfs,rate=1000/s"
    words = ("--set", "size=64MiB", "--set", "runtime=21s", "--set", "warmup=0s", "--blocks", "1", "--noisy-host", "-q")
    plimsoll("run", "randread", "--on", volume, *words)
    found = plimsoll("show", "--json").json
    scores = {row["metric"]: row["value"]["value"] for row in found["scores"]["rows"]}
    # However busy the machine is: the two levels are apart, and the lower one is the baseline.
    assert scores["iops"] == pytest.approx(100, rel=0.25)
    assert scores["iops_burst"] > 5 * scores["iops"]
    assert "burst" in plimsoll("show").out


def test_a_volume_that_gives_less_than_is_paid_for_is_found_out(plimsoll: Command) -> None:
    words = ("--as", "gp3,iops=5000,instance=m5.xlarge", "--runtime", "2s", "--size", "32MiB", "-q", "--json")
    found = plimsoll("verify", "vol:type=gp3,size=20GiB,fs=xfs", *words, check=None)
    reads = next(load for load in found.json["loads"] if load["load"] == "random reads")
    assert (reads["paid_per_s"], reads["windows_kept"]) == (5000, 0)
    assert reads["got_per_s"] < 3300
    assert "its volume IOPS, of which it gets less than 5,000/s: I/Os waited for it" in reads["why"]
    if reads["answer"] == "does not deliver":
        assert (found.code, reads["limited_by"]) == (1, "the volume")
    else:
        # On a machine that is busy otherwise, no volume is blamed, and it is said why.
        assert (found.code in (1, 3), reads["answer"], reads["limited_by"]) == (True, "cannot tell", "volume IOPS")
        assert any(suspect in reads["why"] for suspect in ("busy", "twice as many in flight"))


def test_the_limiting_party_is_the_one_that_ios_waited_for(plimsoll: Command) -> None:
    words = ("--runtime", "2s", "--size", "32MiB", "-q", "--json")
    slow = plimsoll("verify", "vol:type=io1,size=10GiB,iops=100,fs=xfs", *words, check=None).json
    reads = next(load for load in slow["loads"] if load["load"] == "random reads")
    assert reads["limited_by"] == "volume IOPS"
    assert "I/Os waited for it in" in reads["why"]
    assert any("Random reads" in each and "too short to see a cliff" in each for each in slow["sentences"])
    # One in flight on a burst of 3,000 over a base of 300: far above what lasts, and held back by no limit.
    alone = plimsoll("verify", "vol:type=gp2,size=100GiB,fs=xfs", "--depth", "1", *words, check=None).json
    reads = next(load for load in alone["loads"] if load["load"] == "random reads")
    assert 330 < reads["got_per_s"] < 2900
    assert reads["limited_by"] == "latency"
    assert "no limit of it made I/Os wait" in reads["why"]
    shown = " ".join(plimsoll("show").out.split())
    assert "what its latency allows" in shown


def test_what_cannot_be_verified_says_why(plimsoll: Command, tmp_path: Path) -> None:
    for words, part in (
        ((tmp_path,), "--as gp3"),
        ((tmp_path, "--as", "gp3,iops=900000"), "80,000"),
        ((tmp_path, "--as", "gp5"), "did you mean"),
        ((tmp_path / "none", "--as", "gp3,size=1GiB"), "does not exist"),
        (("vol:type=gp3",), "needs a size"),
        (("vol:type=gp3,size=1GiB", "--instance", "m5.large"), "vol:type=gp3,size=1GiB,instance=m5.large"),
        (("redis://localhost", "--as", "gp3,size=1GiB"), "is a database"),
    ):
        assert part in plimsoll("verify", *words, check=2).err


def test_blocks_that_were_never_touched_are_found_on_a_device(plimsoll: Command) -> None:
    made = plimsoll("volume", "create", "old", "--type", "gp3", "--size", "1GiB", "--first-touch", "yes", "--json").json
    try:
        words = ("--as", "gp3", "--runtime", "1s", "--size", "32MiB", "-q", "--json")
        found = plimsoll("verify", made["device"], *words, check=3).json
        assert found["first_touch"] > 3
        assert any("first touch: not initialised yet" in each for each in found["sentences"])
        # Nobody wrote it: no load is tried in vain, and each pass was made once.
        assert found["loads"] == []
        assert any("hold only zeros" in each and "--destroy" in each for each in found["sentences"])
        assert "3 of 3" in plimsoll("show").out
    finally:
        plimsoll("volume", "delete", "old")
