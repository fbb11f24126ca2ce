"""Latency histograms as they are stored with a run: decoded, added, and read.

Percentiles of several runs come from added histograms. They are never averaged: the percentile of a union lies
somewhere between the percentiles of its parts, and nothing more can be said.
"""

from __future__ import annotations

import base64
import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from hdrh.histogram import HdrHistogram

from plimsoll.errors import ResultFileError
from plimsoll.stats.student_t import FloatArray

IntArray = npt.NDArray[np.int64]

PERCENTILES = (50.0, 90.0, 99.0, 99.9)

_EXTERNAL_HEADER, _HEADER = 8, 40
_MAX_DECODED = 16 * 1024 * 1024
"""A histogram with 3 digits up to an hour needs less than 256 KiB; whatever is larger is not one of ours."""
_MAX_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Histogram:
    """Counts of values, ns, in buckets from `low` to `high` (both included), ascending; empty buckets are left out."""

    low: IntArray
    high: IntArray
    counts: IntArray

    @property
    def count(self) -> int:
        """Number of recorded values."""
        return int(self.counts.sum())

    @property
    def mean(self) -> float | None:
        """Mean, ns, from the middle of each bucket; None without values."""
        if not self.count:
            return None
        return float((self.counts * (self.low + self.high + 1) / 2).sum() / self.count)

    @property
    def min(self) -> int | None:
        """Upper end of the first bucket, ns, as of all that is told; None without values."""
        return int(self.high[0]) if self.count else None

    @property
    def max(self) -> int | None:
        """Upper end of the last bucket, ns; None without values."""
        return int(self.high[-1]) if self.count else None

    def percentile(self, percent: float) -> int | None:
        """Smallest bucket end, ns, that covers `percent` (0…100) of the values; None where the data do not reach.

        p99.9 of 500 values is their maximum, whatever the truth is, so it is not reported: n·(1 − p) must be ≥ 1.
        """
        count = self.count
        if not count or count * (100.0 - percent) / 100.0 < 1.0 - 1e-9:
            return None
        rank = max(1, math.ceil(count * percent / 100.0 - 1e-9))
        return int(self.high[np.searchsorted(np.cumsum(self.counts), rank)])

    def percentiles(self) -> dict[str, int | None]:
        """p50, p90, p99, p99.9 and max, ns; None where the data do not reach."""
        named = {f"p{percent:g}": self.percentile(percent) for percent in PERCENTILES}
        return named | {"max": self.max}

    def curve(self, points_per_decade: int = 20) -> list[tuple[float, int]]:
        """Points (1/(1 − p), latency ns) for a chart with two logarithmic axes; x ends where the data end."""
        count = self.count
        if not count:
            return []
        steps = math.floor(math.log10(count) * points_per_decade + 1e-9)
        x: FloatArray = 10.0 ** (np.arange(steps + 1) / points_per_decade)
        ranks = np.maximum(1, np.ceil(count * (1.0 - 1.0 / x) - 1e-9))
        values = self.high[np.searchsorted(np.cumsum(self.counts), ranks)]
        return list(zip(x.tolist(), values.tolist(), strict=True))


def decode(encoded: bytes) -> Histogram:
    """One HdrHistogram V2 (deflate), the bytes as stored in `Run.histograms`. The bytes may come from a stranger."""
    try:
        _check(encoded)
        histogram = HdrHistogram.decode(base64.b64encode(encoded))
    except ResultFileError:
        raise
    except Exception as error:
        # The decoder reports damage by exceptions of many unrelated classes.
        raise ResultFileError(f"a latency histogram is damaged ({error}); export or copy the result again") from error
    found = counts_of(histogram)
    release(histogram)
    return found


def release(histogram: HdrHistogram) -> None:
    """Let go of the counts now: the library's objects refer to each other, and 300 kB would wait to be collected."""
    histogram.encoder.histogram = None


def counts_of(histogram: HdrHistogram) -> Histogram:
    """What a histogram of the HdrHistogram library holds. Raises ResultFileError for counts that nobody counted."""
    dense = np.frombuffer(histogram.counts, dtype=np.uint64)
    # Of tens of thousands of buckets a few hundred hold something; whatever touches all of them is what takes time.
    index = np.flatnonzero(dense != 0)
    counts = dense[index]
    if counts.size and (int(counts.max()) > 2**53 or float(counts.sum(dtype=np.float64)) > 2**62):
        raise ResultFileError("a latency histogram has impossible counts; export or copy the result again")
    return _buckets(histogram, index.astype(np.int64), counts.astype(np.int64))


def merge(encoded: Sequence[bytes]) -> Histogram:
    """The sum of stored histograms, as if all values had been recorded in one."""
    return add([decode(each) for each in encoded])


def add(histograms: Sequence[Histogram]) -> Histogram:
    """The sum of histograms. Different precisions are kept side by side, each bucket counted at its upper end."""
    parts = [each for each in histograms if each.counts.size] or list(histograms[:1])
    if not parts:
        empty = np.empty(0, dtype=np.int64)
        return Histogram(empty, empty, empty)
    if len(parts) == 1:
        return parts[0]
    low = np.concatenate([part.low for part in parts])
    high = np.concatenate([part.high for part in parts])
    counts = np.concatenate([part.counts for part in parts])
    order = np.lexsort((low, high))
    low, high = low[order], high[order]
    starts = np.flatnonzero(np.concatenate([[True], (np.diff(high) != 0) | (np.diff(low) != 0)]))
    return Histogram(low=low[starts], high=high[starts], counts=np.add.reduceat(counts[order], starts))


def _check(encoded: bytes) -> None:
    """Refuses bytes that would make the decoder allocate without bound, before it sees them."""
    inflated = zlib.decompressobj().decompress(encoded[_EXTERNAL_HEADER:], _MAX_DECODED + 1)
    if not _HEADER <= len(inflated) <= _MAX_DECODED:
        raise ResultFileError("a latency histogram has an impossible size; export or copy the result again")
    digits = int.from_bytes(inflated[12:16], "big")
    lowest, highest = int.from_bytes(inflated[16:24], "big"), int.from_bytes(inflated[24:32], "big")
    if not (1 <= digits <= _MAX_DIGITS and 1 <= lowest <= highest // 2 and highest < 2**62):
        raise ResultFileError("a latency histogram has impossible settings; export or copy the result again")


def _buckets(histogram: Any, index: IntArray, counts: IntArray) -> Histogram:
    """The buckets at `index` of the flat counts array; bucket k above the first holds half as many sub-buckets."""
    half, magnitude = histogram.sub_bucket_half_count, histogram.sub_bucket_half_count_magnitude
    bucket = (index >> magnitude) - 1
    first = bucket < 0
    sub_bucket = (index & (half - 1)) + np.where(first, 0, half)
    shift = np.maximum(bucket, 0) + histogram.unit_magnitude
    low = sub_bucket << shift
    return Histogram(low=low, high=low + (np.int64(1) << shift) - 1, counts=counts)
