"""Each sentence about a burst, once where it is true and once where it must not appear."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.stats.test_sentences import cell

from plimsoll.stats.paired import Cell
from plimsoll.stats.sentences import sentence
from plimsoll.stats.standing import Basis, Sides, Standing, lasting_text

BURST = Standing(Basis.BURST, rate=3000, left=300, lasts_s=2000, measured_s=2, holder="volume")
HALF = Standing(Basis.BURST, rate=3000, left=1500, lasts_s=3600, measured_s=2, holder="volume")
MACHINE = Standing(Basis.BURST, rate=16_000, left=3600, lasts_s=1800, measured_s=2, holder="instance")
LASTING = Standing(Basis.SUSTAINED, rate=300, left=300)
ENDED = Standing(Basis.SUSTAINED, rate=300, cliff=True)
MIXED = Standing(Basis.MIXED)
DOUBT = Standing(Basis.UNKNOWN, lasts_s=2000)
SAME = [1.001, 1.004, 0.998]


def told(ratios: list[float], baseline: Standing | None, target: Standing | None, *, latency: bool = False) -> str:
    """The baseline is nvme, the target gp3."""
    made: Cell = cell(ratios, metric="read_p99", unit="ns", direction="lower") if latency else cell(ratios)
    sides: Sides = (baseline, target)
    return sentence(replace(made, standings=sides))


@pytest.mark.parametrize(
    ("ratios", "baseline", "target", "text"),
    [
        (
            SAME,
            None,
            BURST,
            "gp3 and nvme are the same within ±10 % (−9.1 %/+10 %) while gp3 has burst credits, 33 min: "
            "1.00× as fast (0.98…1.02), 3 blocks; then gp3 is about 10× slower than nvme",
        ),
        (
            SAME,
            BURST,
            LASTING,
            "gp3 and nvme are the same within ±10 % (−9.1 %/+10 %) while nvme has burst credits, 33 min: "
            "1.00× as fast (0.98…1.02), 3 blocks; then gp3 is about 10× faster than nvme",
        ),
        (
            [0.31, 0.312, 0.308, 0.31],
            BURST,
            HALF,
            "gp3 is 3.23× slower than nvme (3.17…3.29) while nvme (33 min) and gp3 (1 h) have burst credits, "
            "4 blocks; then gp3 is about 1.5× faster than nvme",
        ),
        (
            SAME,
            None,
            MACHINE,
            "gp3 and nvme are the same within ±10 % (−9.1 %/+10 %) while gp3's instance has burst credits, 30 min: "
            "1.00× as fast (0.98…1.02), 3 blocks; then gp3 is about 4.4× slower than nvme",
        ),
        (
            [1.2, 1.3],
            None,
            BURST,
            "preview, no verdict: gp3 is 1.2× as fast as nvme after 2 blocks; a verdict needs 3; measured while gp3 "
            "has burst credits, 33 min; then gp3 is about 8× slower than nvme",
        ),
        (
            SAME,
            None,
            MIXED,
            "gp3 and nvme are the same within ±10 % (−9.1 %/+10 %): 1.00× as fast "
            "(0.98…1.02), 3 blocks; the score of gp3 "
            "mixes a burst with what came after it",
        ),
        (
            SAME,
            DOUBT,
            None,
            "gp3 and nvme are the same within ±10 % (−9.1 %/+10 %): 1.00× as fast "
            "(0.98…1.02), 3 blocks; nvme may be on a "
            "burst: its sustained level was not measured",
        ),
        (
            SAME,
            ENDED,
            None,
            "gp3 and nvme are the same within ±10 % (−9.1 %/+10 %): 1.00× as fast "
            "(0.98…1.02), 3 blocks; nvme is at its "
            "sustained level here, after a burst that ended inside its runs",
        ),
    ],
)
def test_rates(ratios: list[float], baseline: Standing | None, target: Standing | None, text: str) -> None:
    assert told(ratios, baseline, target) == text


def test_latencies_say_what_the_target_is_held_to() -> None:
    text = told([3.1, 3.2, 3.0, 3.1], None, BURST, latency=True)
    assert text == (
        "gp3 is 3.1× slower than nvme (2.8…3.4) while gp3 has burst credits, 33 min, 4 blocks; "
        "then gp3 is held to 300 IOPS (now 3,000), and its latency rises"
    )
    # A rate after a cliff lasts, but latencies are of whole runs.
    assert told(SAME, ENDED, None, latency=True).endswith("the score of nvme mixes a burst with what came after it")


@pytest.mark.parametrize("latency", [False, True])
@pytest.mark.parametrize("side", [None, LASTING])
def test_what_lasts_is_said_as_before(side: Standing | None, latency: bool) -> None:
    for ratios in (SAME, [0.31, 0.312, 0.308, 0.31], [1.2, 1.3]):
        text = told(ratios, side, side, latency=latency)
        assert text == told(ratios, None, None, latency=latency)
        assert "burst" not in text


@pytest.mark.parametrize(
    ("seconds", "text"), [(2065, "34 min"), (33_500, "9 h"), (8.4, "8 s"), (100, "100 s"), (190, "3 min 10 s")]
)
def test_times_are_rounded_as_credits_allow(seconds: float, text: str) -> None:
    assert lasting_text(seconds) == text
