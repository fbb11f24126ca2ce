import base64
import zlib

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram
from hypothesis import given, settings
from hypothesis import strategies as st

from plimsoll.errors import ResultFileError
from plimsoll.stats.histogram import Histogram, decode, merge

HOUR_NS = 3600 * 10**9
latencies = st.lists(st.integers(1, HOUR_NS), min_size=1, max_size=200)


def encode(values, highest: int = HOUR_NS, digits: int = 3) -> bytes:
    histogram = HdrHistogram(1, highest, digits)
    for value in values:
        assert histogram.record_value(int(value))
    return base64.b64decode(histogram.encode())


@given(latencies)
def test_decoded_percentiles_are_within_the_precision(values: list[int]) -> None:
    histogram = decode(encode(values))
    assert histogram.count == len(values)
    assert histogram.max == pytest.approx(max(values), rel=1e-3)
    assert histogram.mean == pytest.approx(np.mean(values), rel=1e-3, abs=1)
    exact = np.quantile(values, 0.5, method="inverted_cdf")
    if len(values) > 1:
        assert histogram.percentile(50) == pytest.approx(exact, rel=2e-3, abs=1)


@given(st.lists(latencies, min_size=1, max_size=4))
def test_merging_is_recording_in_one(parts: list[list[int]]) -> None:
    together = decode(encode([value for part in parts for value in part]))
    merged = merge([encode(part) for part in parts])
    assert merged.percentiles() == together.percentiles()
    assert merged.count == together.count
    assert merged.mean == pytest.approx(together.mean)
    assert merged.curve() == together.curve()


def test_the_percentile_of_the_union_is_not_the_mean_of_percentiles() -> None:
    fast, slow = [100_000] * 1000, [10_000_000] * 1000
    merged = merge([encode(fast), encode(slow)])
    assert merged.percentile(99) == pytest.approx(10_000_000, rel=1e-3)
    assert merged.percentile(50) == pytest.approx(100_000, rel=1e-3)


def test_different_precision_and_range_can_be_added() -> None:
    merged = merge([encode([1000] * 99, HOUR_NS, 2), encode([50_000_000], 10**9, 3)])
    assert merged.count == 100
    assert merged.percentile(50) == pytest.approx(1000, rel=2e-2)
    assert merged.max == pytest.approx(50_000_000, rel=1e-3)


@pytest.mark.parametrize(
    ("count", "reached"), [(1, []), (2, ["p50"]), (99, ["p50", "p90"]), (1000, ["p50", "p90", "p99", "p99.9"])]
)
def test_percentiles_beyond_the_data_are_absent(count: int, reached: list[str]) -> None:
    found = decode(encode(range(1, count + 1))).percentiles()
    assert [name for name, value in found.items() if value is not None and name != "max"] == reached
    assert found["max"] == count


def test_nothing_recorded() -> None:
    for histogram in (decode(encode([])), merge([])):
        assert histogram.count == 0
        assert set(histogram.percentiles().values()) == {None}
        assert (histogram.mean, histogram.curve()) == (None, [])


def test_curve_ends_where_the_data_end() -> None:
    histogram = decode(encode(range(1, 1001)))
    curve = histogram.curve()
    assert curve[0][0] == 1.0
    assert curve[-1][0] == pytest.approx(1000)
    assert [value for _, value in curve] == sorted(value for _, value in curve)
    assert dict(curve)[10.0] == histogram.percentile(90)


GOOD = encode(range(1000, 200_000, 137))


@given(st.binary(max_size=200))
def test_bytes_of_strangers_are_refused(noise: bytes) -> None:
    with pytest.raises(ResultFileError):
        decode(noise)


@settings(max_examples=300)
@given(st.integers(0, 59), st.integers(0, 255))
def test_damage_never_ends_in_a_traceback(place: int, value: int) -> None:
    body = bytearray(zlib.decompress(GOOD[8:]))
    body[place] = value
    packed = zlib.compress(bytes(body))
    try:
        found = decode(GOOD[:4] + len(packed).to_bytes(4, "big") + packed)
    except ResultFileError:
        return
    assert isinstance(found, Histogram)
    assert found.count >= 0


def test_a_bomb_is_not_inflated() -> None:
    bomb = zlib.compress(bytes(200 * 1024 * 1024))
    with pytest.raises(ResultFileError, match="size"):
        decode(GOOD[:4] + len(bomb).to_bytes(4, "big") + bomb)
