"""Latencies of many operations as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from plimsoll.api import faults
from plimsoll.api.arguments import checked
from plimsoll.errors import UsageError
from plimsoll.stats import histogram as stored
from plimsoll.stats.histogram import IntArray
from plimsoll.units import format_duration


@dataclass(frozen=True, eq=False)
class Histogram:
    """Counts of latencies in buckets, ascending; empty buckets are left out. The three arrays have one shape, (n,)."""

    low_ns: IntArray
    """Smallest latency of each bucket, int64, ns."""
    high_ns: IntArray
    """Largest latency of each bucket, int64, ns."""
    counts: IntArray
    """Operations in each bucket, int64."""

    @property
    def count(self) -> int:
        """Number of operations."""
        return self._stored.count

    @property
    def mean_ns(self) -> float | None:
        """Mean, from the middle of each bucket; None without operations."""
        return self._stored.mean

    @property
    def max_ns(self) -> int | None:
        """Upper end of the last bucket; None without operations."""
        return self._stored.max

    @checked()
    def percentile_ns(self, percent: float) -> int | None:
        """The smallest bucket end that covers `percent` (0 to 100) of the operations; None where too few reach it.

        Raises UsageError for another percentage.
        """
        if not 0 <= percent <= 100:
            raise UsageError(f"percent = {percent}: give a number from 0 to 100, such as 99.9")
        return self._stored.percentile(percent)

    def __add__(self, other: Histogram) -> Histogram:
        """As if all operations of both had been recorded in one."""
        return histogram_of([self._stored, other._stored])

    def to_pandas(self) -> Any:
        """A pandas.DataFrame with the columns low_ns, high_ns and count."""
        with faults.told():
            import pandas
        return pandas.DataFrame({"low_ns": self.low_ns, "high_ns": self.high_ns, "count": self.counts})

    @property
    def _stored(self) -> stored.Histogram:
        return stored.Histogram(self.low_ns, self.high_ns, self.counts)

    def __repr__(self) -> str:
        known = [(name, value) for name, value in self._stored.percentiles().items() if value is not None]
        return f"<Histogram of {self.count:,} operations{''.join(f', {k} {format_duration(v)}' for k, v in known)}>"


def histogram_of(parts: Sequence[stored.Histogram]) -> Histogram:
    """The sum of stored histograms."""
    found = stored.add(parts)
    return Histogram(found.low, found.high, found.counts)
