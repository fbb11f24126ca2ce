import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll import metrics
from plimsoll.report.labels import (
    common_start,
    count_text,
    interval_text,
    percent_text,
    range_text,
    rounded,
    score_text,
)
from plimsoll.report.printable import clean
from plimsoll.stats.ratio_text import ratio_text


@pytest.mark.parametrize(
    ("name", "label", "short"),
    [
        ("iops", "IOPS", "IOPS"),
        ("read_iops", "read IOPS", "read IOPS"),
        ("throughput_burst", "throughput in the burst", "throughput burst"),
        ("read_p99", "read latency p99", "read p99"),
        ("commit_p999", "commit latency p99.9", "commit p99.9"),
        ("read_p99.9", "read latency p99.9", "read p99.9"),
        ("sync_max", "sync latency max", "sync max"),
        ("update_p100", "update latency p100", "update p100"),
        ("read_service_p50", "read latency from its real start p50", "read p50"),
        ("something_new", "something new", "something new"),
        ("create_create_rate", "create rate", "create rate"),
        ("transactions_postmark", "transactions as PostMark counts them", "transactions postmark"),
    ],
)
def test_metrics_have_human_names(name: str, label: str, short: str) -> None:
    assert metrics.title(name) == label
    assert metrics.short_title(name) == short


@pytest.mark.parametrize(
    ("value", "half", "shown"), [(118_204, 1_900, 118_200), (118_204, None, 118_204), (12, 40, 12), (0, 3, 0)]
)
def test_numbers_keep_the_digits_that_their_interval_supports(value: float, half: float | None, shown: float) -> None:
    assert rounded(value, half) == shown


def test_scores_and_intervals_are_written_in_one_unit() -> None:
    assert score_text(118_204, "1/s", 116_300, 120_100) == "118,200/s"
    assert interval_text(116_311, 120_104, "1/s") == "116,300…120,100/s"
    assert interval_text(900_000, 1_200_000, "ns") == "0.9…1.2 ms"
    assert interval_text(2**20 * 99.4, 2**20 * 101, "B/s") == "99.4…101 MiB/s"
    assert interval_text(None, None, "1/s") == "one run: none"
    # Of two runs that have nothing in common: no table is wide enough for the ends, and they say nothing.
    assert interval_text(7e-29, 4.7e29, "ns") == "wide open"
    assert range_text(1, 1e6, "ns") == "0.000001…1 ms"


@pytest.mark.parametrize(
    ("value", "low", "high", "unit", "score", "interval"),
    [
        (986_000, 899_000, 1_080_000, "ns", "986 µs", "899…1,080 µs"),
        (1_010_000, 980_000, 1_080_000, "ns", "1.01 ms", "0.98…1.08 ms"),
        (125e9, 118e9, 132e9, "ns", "2 min 5 s", "118 s…2 min 12 s"),
        (1000 * 1024, 950 * 1024, 1_080 * 1024, "B/s", "1,000 KiB/s", "950…1,080 KiB/s"),
        (118_204, 116_311, 120_104, "1/s", "118,200/s", "116,300…120,100/s"),
    ],
)
def test_an_interval_has_the_unit_of_its_score(
    value: float, low: float, high: float, unit: str, score: str, interval: str
) -> None:
    assert score_text(value, unit, low, high) == score
    assert interval_text(low, high, unit, value) == interval


@given(st.floats(1, 1e15), st.floats(1e-4, 0.9), st.sampled_from(["ns", "B/s", "B", "1/s", "1"]))
def test_the_unit_of_the_score_stands_behind_every_interval(value: float, spread: float, unit: str) -> None:
    low, high = value * (1 - spread), value * (1 + spread)
    score, interval = score_text(value, unit, low, high), interval_text(low, high, unit, value)
    if "min" not in score and " h" not in score:
        assert re.sub(r"[\d.,]", "", score).strip() == re.sub(r"[\d.,…]", "", interval).strip()


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        (0.31, "0.31×"),
        (0.0823, "0.0823×"),
        (31.0, "31×"),
        (1234.5, "1,234×"),
        (None, "n/a"),
    ],
)
def test_ratios(ratio: float | None, text: str) -> None:
    assert ratio_text(ratio) == text


def test_counts_and_shares() -> None:
    assert [count_text(1, "run"), count_text(1200, "run")] == ["1 run", "1,200 runs"]
    assert percent_text(0.1) == "10 %"


def test_control_characters_never_get_through() -> None:
    assert clean("a\x1b[31mb\u202ec\x00\ud800\td\ne") == "a\ufffd[31mb\ufffdc\ufffd\ufffd\td\ne"


@pytest.mark.parametrize(
    ("names", "start"),
    [
        (("server 7, gp3 100 GiB", "server 7, gp3 500 GiB"), "server 7, gp3 "),
        (("/srv/data/one", "/srv/data/two"), "/srv/data/"),
        (("gp2", "gp3"), ""),
        (("production-eu-a", "production-eu-b"), "production-eu-"),
        (("production", "production two"), ""),
        (("a long name", "a long name"), ""),
        (("a long name",), ""),
        ((), ""),
    ],
)
def test_what_names_begin_with_is_said_once(names: tuple[str, ...], start: str) -> None:
    assert common_start(names) == start
