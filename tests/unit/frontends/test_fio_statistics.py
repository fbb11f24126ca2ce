"""fio's buckets and numbers."""

from __future__ import annotations

import statistics
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.frontends.fio.latency import BUCKETS, Latency, bucket_of, middle_of, together
from plimsoll.frontends.fio.normal_output import number
from plimsoll.frontends.fio.statistics import spread


@given(st.integers(0, 2**33))
def test_a_bucket_holds_its_middle_within_a_percent(value: int) -> None:
    bucket = bucket_of(value)
    assert 0 <= bucket < BUCKETS
    assert bucket_of(middle_of(bucket)) == bucket
    assert abs(middle_of(bucket) - value) <= max(1, value / 100)


@given(st.integers(0, 2**33), st.integers(0, 2**33))
def test_buckets_are_in_order(one: int, other: int) -> None:
    low, high = sorted((one, other))
    assert bucket_of(low) <= bucket_of(high)


def test_the_values_of_a_real_file() -> None:
    """Keys of `bins` in a json+ file of fio 3.33."""
    for value in (70144, 71168, 72192, 73216, 75264, 82432, 109056, 113152):
        assert middle_of(bucket_of(value)) == value


def test_percentiles_are_the_first_bucket_that_reaches_the_share() -> None:
    latency = Latency(count=100, buckets=Counter({bucket_of(1000): 50, bucket_of(2000): 49, bucket_of(90_000): 1}))
    assert latency.percentile(50) == middle_of(bucket_of(1000))
    assert latency.percentile(51) == middle_of(bucket_of(2000))
    assert latency.percentile(99.5) == middle_of(bucket_of(90_000))
    assert Latency().percentile(99) == 0


@pytest.mark.parametrize(
    ("value", "base", "text"),
    [
        (8192 * 1024, 1024, "8192Ki"),
        (11.8 * 2**20, 1024, "11.8Mi"),
        (41.3e6, 1000, "41.3M"),
        (10_100, 1000, "10.1k"),
        (4472, 1000, "4472"),
        (8_388_608, 1000, "8389k"),
        (0, 1000, "0"),
        (12_400_000, 1000, "12.4M"),
    ],
)
def test_numbers_as_fio_prints_them(value: float, base: int, text: str) -> None:
    assert number(value, base) == text


def test_deviation_is_that_of_a_sample() -> None:
    assert spread([1.0, 3.0]) == (1.0, 3.0, 2.0, pytest.approx(2**0.5), 2)
    assert spread([]) == (0.0, 0.0, 0.0, 0.0, 0)


def latency_of(values: list[int]) -> Latency:
    return Latency(
        count=len(values),
        min=min(values, default=0),
        max=max(values, default=0),
        mean=statistics.fmean(values) if values else 0.0,
        stddev=statistics.stdev(values) if len(values) > 1 else 0.0,
        buckets=Counter(bucket_of(value) for value in values),
    )


@given(st.lists(st.lists(st.integers(1, 10**9), max_size=20), min_size=1, max_size=3))
def test_directions_together_are_those_of_all_operations(parts: list[list[int]]) -> None:
    joined = together([latency_of(part) for part in parts])
    whole = latency_of([value for part in parts for value in part])
    assert (joined.count, joined.min, joined.max, joined.buckets) == (whole.count, whole.min, whole.max, whole.buckets)
    assert joined.mean == pytest.approx(whole.mean)
    assert joined.stddev == pytest.approx(whole.stddev, rel=1e-6, abs=1e-3)
