"""Latencies of other tools as stored histograms: single values, or buckets with counts."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
from hdrh.histogram import HdrHistogram

LONGEST_NS = 3_600_000_000_000
"""Anything longer counts as one hour."""

_DIGITS = 3
_MOST_COUNTED = 2**53
_KEPT_BITS = 12
"""Significant bits that are kept of single values: finer than a histogram with 3 digits."""

PERCENTILES = ((50.0, "p50"), (90.0, "p90"), (95.0, "p95"), (99.0, "p99"), (99.9, "p999"), (99.99, "p9999"))
"""The percentiles that become scores, and their names in metrics."""

_NAMES = dict(PERCENTILES)


def recorded(buckets: Iterable[tuple[float, float]]) -> HdrHistogram | None:
    """Histogram of (latency ns, count); None if there is nothing in them or a count is impossible."""
    kept = [(min(max(int(value), 1), LONGEST_NS), int(count)) for value, count in buckets if count >= 1]
    if not kept or sum(count for _, count in kept) > _MOST_COUNTED:
        return None
    histogram = HdrHistogram(1, LONGEST_NS, _DIGITS)
    for value, count in kept:
        histogram.record_value(value, count)
    return histogram


def encode(histogram: HdrHistogram) -> bytes:
    """HdrHistogram V2 (deflate), the bytes as they are stored."""
    return base64.b64decode(histogram.encode())


def counted(values_ns: Sequence[float] | npt.NDArray[np.float64]) -> list[tuple[float, float]]:
    """Single latencies, ns, as (latency, count), rounded to what a histogram tells apart."""
    values = np.asarray(values_ns, dtype=np.float64)
    values = np.clip(values[np.isfinite(values) & (values >= 0)], 1, LONGEST_NS)
    mantissa, exponent = np.frexp(values)
    rounded = np.ldexp(np.floor(np.ldexp(mantissa, _KEPT_BITS)), exponent - _KEPT_BITS)
    kept, counts = np.unique(rounded, return_counts=True)
    return list(zip(kept.tolist(), counts.tolist(), strict=True))


def percentile_name(percent: float) -> str | None:
    """`p999` for 99.9; None for a percentile that is no score."""
    return _NAMES.get(round(percent, 5))
