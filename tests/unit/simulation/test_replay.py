"""A replay says when its record ended and what was left, and its p99 is that of all I/Os."""

from __future__ import annotations

from pathlib import Path

import pytest

from plimsoll.catalog.shape import options_from, volume_shape
from plimsoll.prices.cost import cost
from plimsoll.report import render
from plimsoll.report.simulated import simulation_document
from plimsoll.simulation.job import Trace, load
from plimsoll.simulation.outcome import Outcome, simulate
from plimsoll.simulation.slo import judge, parse_slo
from plimsoll.units import HOUR, SECOND

FAST, SLOW = "gp3,size=10GiB", "gp2,size=100GiB,credits=0"


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """600 reads a second for 10 s."""
    lines = [f"{i * 10_000 // 6} /dev/sdb read {i % 1000 * 4096} 4096" for i in range(6000)]
    path = tmp_path / "app.iolog"
    path.write_text("fio version 3 iolog\n" + "\n".join(lines) + "\n")
    return path


def replayed(record: Path, volume: str, duration_ns: int | None = None) -> Outcome:
    shape = volume_shape(options_from(volume, "--volume"), "--volume")
    return simulate(shape, Trace(record), duration_ns, cost(shape))


def said(outcome: Outcome) -> str:
    return " ".join(render(simulation_document([outcome], short=True), "terminal").split())


def test_a_record_that_was_done_says_when(record: Path) -> None:
    found = replayed(record, FAST)
    assert "The record ends at 10 s; all of its 6,000 I/Os were done at 10 s." in said(found)
    assert "left" not in said(found)
    assert not judge(found, parse_slo("p99<10ms")).reasons


def test_what_a_slow_volume_leaves_is_said(record: Path) -> None:
    found = replayed(record, SLOW)
    assert found.replay is not None
    left = f"{found.replay.left:,}"
    assert found.replay.left == pytest.approx(6000 - 300 * 11, abs=30)
    assert f"The record ends at 10 s; {left} of its 6,000 I/Os were left at 11 s: the volume does not keep up." in said(
        found
    )
    [why] = judge(found, parse_slo("iops>=100")).reasons
    assert why == f"leaves {left} of 6,000 recorded I/Os undone, held back by volume IOPS, credits used up"


def test_a_replay_that_is_cut_says_what_was_not_due_yet(record: Path) -> None:
    fast = said(replayed(record, FAST, 5 * SECOND))
    assert "the replay ended at 5 s, when 3,000 of its 6,000 I/Os were not due yet." in fast
    assert "does not keep up" not in fast
    slow = said(replayed(record, SLOW, 5 * SECOND))
    assert "3,000 of its 6,000 I/Os were not due yet, and 1," in slow
    assert "that were due were not done." in slow


def test_a_record_without_times_has_no_end(tmp_path: Path) -> None:
    path = tmp_path / "old.iolog"
    path.write_text("fio version 2 iolog\n" + "".join(f"/dev/sdb read {i * 4096} 4096\n" for i in range(9000)))
    assert "The record has no times; all of its 9,000 I/Os were done at" in said(replayed(path, FAST, 10 * SECOND))
    slow = said(replayed(path, SLOW, 10 * SECOND))
    assert "of its 9,000 I/Os were left at 10 s." in slow
    assert "does not keep up" not in slow


def test_the_time_after_the_record_counts_for_nothing(record: Path) -> None:
    found = replayed(record, FAST, 60 * SECOND)
    assert found.rate == pytest.approx(600, rel=0.01)
    assert found.sustained.operations == pytest.approx(600, rel=0.01)
    assert found.sustained.end_s == 10
    made = replayed(record, SLOW, 60 * SECOND)
    assert made.replay is not None
    assert made.replay.done_ns is not None
    # An unfair queue ends with stragglers.
    assert 19 * SECOND < made.replay.done_ns < 24 * SECOND
    assert made.rate == pytest.approx(6000 / made.replay.done_ns * SECOND)


def test_the_headline_is_the_p99_of_all_ios(record: Path) -> None:
    found = replayed(record, SLOW)
    p99, median = found.latency.percentile(99), found.sustained.median_p99_ns
    assert p99 is not None
    assert p99 > 1.3 * median
    assert f"with p99 {p99 / SECOND:.3g} s" in said(found)
    assert f"with p99 {median / SECOND:.3g} s" not in said(found)
    shape = volume_shape(options_from("gp2,size=100GiB", "--volume"), "--volume")
    phases = said(simulate(shape, load("randread", {}), HOUR, cost(shape)))
    assert "with a median p99 of 36.5 ms until 33 min 19 s" in phases
    assert "p99 of all I/Os 188 ms" in phases
