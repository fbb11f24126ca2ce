"""Histograms of interval logs are added: percentiles of the sum, whatever the intervals say."""

import pytest
from tests.unit.importers.importing import HERE, load, read_text, scores, told

from plimsoll.model import RunStatus
from plimsoll.stats.histogram import decode
from plimsoll.units import MICROSECOND, SECOND


def test_files_of_one_ycsb_run() -> None:
    (run,) = load("hdr_log", "run1-READ.hdr", "run1-UPDATE.hdr").runs
    # 900 + 950 at 100 µs, 100 at 1000 µs, 50 at 2000 µs in two seconds.
    assert decode(run.histograms["read"]).count == 2000
    assert scores(run)["read_rate"] == 1000
    assert scores(run)["read_p50"] == pytest.approx(100 * MICROSECOND, rel=0.01)
    assert scores(run)["read_p95"] == pytest.approx(1000 * MICROSECOND, rel=0.01)
    assert scores(run)["read_p99"] == pytest.approx(2000 * MICROSECOND, rel=0.01)
    assert scores(run)["update_rate"] == 10
    assert run.target.name == "run1"
    assert run.started_ns == 1_767_225_600 * SECOND
    assert not told(run)


def test_a_log_without_a_name_is_read_as_ns_and_says_so() -> None:
    (run,) = load("hdr_log", "plain.hlog").runs
    assert scores(run)["plain_hlog_p50"] == pytest.approx(150_000, rel=0.001)
    assert told(run) == {"units"}


def test_damaged_intervals_make_a_partial_run() -> None:
    lines = (HERE / "hdr_log/fixtures/run1-READ.hdr").read_text().splitlines()
    lines[-1] = lines[-1][:-12] + "AAAAAAAAAAAA"
    (run,) = read_text("hdr_log", "\n".join(lines)).runs
    assert run.status is RunStatus.PARTIAL
    assert decode(run.histograms["read"]).count == 1000
