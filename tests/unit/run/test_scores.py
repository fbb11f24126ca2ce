"""Scores: what is counted, over which part of a run, and what is not claimed."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from hdrh.histogram import HdrHistogram

from plimsoll import metrics
from plimsoll.model import Interval, IntervalOperations, Plan
from plimsoll.profile import Entry, cases
from plimsoll.run.scores import scores
from plimsoll.stats.course import rates_of
from plimsoll.units import SECOND


def plan(test: str = "randread", **parameters: Any) -> Plan:
    (case,) = cases([Entry(test, parameters)], {}, "test")
    return case.plan({}, "target")


def histogram(values_ns: list[int]) -> bytes:
    made = HdrHistogram(1, 60 * SECOND, 3)
    for value in values_ns:
        made.record_value(value)
    return base64.b64decode(made.encode())


def intervals(per_second: list[int], kind: str = "read", last_ns: int = SECOND) -> list[Interval]:
    return [
        Interval(
            start_ns=number * SECOND,
            duration_ns=SECOND if number + 1 < len(per_second) else last_ns,
            errors=0,
            operations={kind: IntervalOperations(operations=count, bytes=count * 4096, p50_ns=1, p99_ns=2, max_ns=3)},
        )
        for number, count in enumerate(per_second)
    ]


def outcome(elapsed_s: float, **operations: int) -> dict[str, Any]:
    return {
        "elapsed_ns": round(elapsed_s * SECOND),
        "operations": {
            kind: {"operations": count, "bytes": count * 4096, "errors": 0, "latency_sum_ns": count * 1000}
            for kind, count in operations.items()
        },
    }


def named(*arguments: Any) -> dict[str, float]:
    return {score.metric: score.value for score in scores(*arguments)}


@pytest.mark.parametrize("last_ns", [SECOND // 2, SECOND, 3 * SECOND])
def test_a_run_of_two_intervals_has_scores(last_ns: int) -> None:
    """Neither a last interval that was cut short nor one that was lengthened hides the first one."""
    assert named(plan(), outcome(2, read=150), {}, intervals([100, 50], last_ns=last_ns))["iops"] == 75


def test_a_last_interval_that_waits_for_the_rest_is_no_part_of_a_level() -> None:
    # Eight seconds at half the rate, then 22 at 100/s; what is under way at the end takes a second more to come back.
    made = intervals([50] * 8 + [100] * 21 + [200], last_ns=2 * SECOND)
    found = named(plan(), outcome(30, read=8 * 50 + 22 * 100), {}, made)
    assert found["iops"] == pytest.approx(100, rel=0.01)


def test_rates_are_totals_over_the_measured_time() -> None:
    found = named(plan(), outcome(2.5, read=250), {"read": histogram([1000] * 250)}, intervals([100, 100, 50]))
    assert found["iops"] == 100
    assert found["throughput"] == 100 * 4096
    assert found["read_mean"] == 1000
    assert "read_iops" not in found


def test_a_mix_has_a_rate_for_each_kind() -> None:
    found = named(plan("randrw"), outcome(1, read=75, write=25), {}, intervals([100]))
    assert (found["iops"], found["read_iops"], found["write_iops"]) == (100, 75, 25)


def test_commits_are_counted_beside_writes() -> None:
    found = named(plan("log-commit"), outcome(2, write=200, sync=200, commit=200), {}, intervals([100, 100], "write"))
    assert found["commit_rate"] == 100
    assert found["iops"] == 100


def test_a_percentile_beyond_the_data_is_not_claimed() -> None:
    found = named(plan(), outcome(1, read=50), {"read": histogram(list(range(1000, 51000, 1000)))}, intervals([50]))
    assert found["read_p50"] == pytest.approx(25000, rel=0.02)
    assert "read_p99" not in found


def test_burst_and_sustained_are_two_scores() -> None:
    series = [3000] * 60 + [1000] * 90
    found = named(plan(runtime="150s"), outcome(150, read=sum(series)), {}, intervals(series))
    assert found["iops"] == pytest.approx(1000, rel=0.02)
    assert found["iops_burst"] == pytest.approx(3000, rel=0.02)


def test_a_burst_that_just_ended_is_told_as_it_was() -> None:
    series = [3000] * 500 + [1000] * 100
    found = named(plan(runtime="600s"), outcome(600, read=sum(series)), {}, intervals(series))
    assert found["iops_burst"] == pytest.approx(3000, rel=0.02)


def test_a_warm_up_is_left_out() -> None:
    series = [200] * 40 + [1000] * 160
    found = named(plan(runtime="200s"), outcome(200, read=sum(series)), {}, intervals(series))
    assert found["iops"] == pytest.approx(1000, rel=0.02)
    assert "iops_burst" not in found


def test_every_slice_counts_wherever_it_lies() -> None:
    """Between them other targets work: they lie in twice the time that they measure."""
    lies = [replace_start(each, 2 * number) for number, each in enumerate(intervals([100, 200, 300, 400]))]
    in_slices = {**outcome(4, read=1000), "slices": {}}
    assert named(plan(), in_slices, {}, lies)["iops"] == 250
    assert named(plan("randrw"), {**outcome(4, read=750, write=250), "slices": {}}, {}, lies)["write_iops"] == 62.5


def replace_start(interval: Interval, second: int) -> Interval:
    return interval.model_copy(update={"start_ns": second * SECOND})


def test_nothing_measured_is_no_score() -> None:
    assert scores(plan(), outcome(0), {}, []) == ()


def test_the_short_last_interval_is_no_dip() -> None:
    assert rates_of(intervals([100, 100, 1], last_ns=SECOND // 100), "1/s").values == (
        100,
        100,
    )
    assert rates_of(intervals([100]), "B/s").values == (100 * 4096,)


@pytest.mark.parametrize(
    ("metric", "kind"),
    [("iops", ("1/s", "higher")), ("commit_rate", ("1/s", "higher")), ("read_throughput", ("B/s", "higher")),
     ("throughput_burst", ("B/s", "higher")), ("sync_p999", ("ns", "lower")), ("commit_mean", ("ns", "lower"))],
)  # fmt: skip
def test_every_metric_has_a_unit_and_a_direction(metric: str, kind: tuple[str, str]) -> None:
    found = metrics.score(metric, 1)
    assert (found.unit, found.direction) == kind


def test_a_last_interval_that_waits_for_slow_completions_hides_no_other() -> None:
    # A queue of throttled operations ends long after the time is up.
    series = [3000] * 8 + [1155] * 16
    assert len(rates_of(intervals(series, last_ns=SECOND * 115 // 100), "1/s").values) == 23
    assert len(rates_of(intervals(series, last_ns=SECOND * 105 // 100), "1/s").values) == 24
    assert len(rates_of(intervals(series, last_ns=SECOND // 10), "1/s").values) == 23
