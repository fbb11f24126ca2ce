"""Latencies in fio's buckets: 64 per power of two, so that percentiles and bins are those of fio's formats."""

from __future__ import annotations

import base64
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from plimsoll.run.outcome import Outcome
from plimsoll.stats.histogram import decode

BITS = 6
BUCKETS = 29 * 64


def bucket_of(value_ns: int) -> int:
    """Index of fio's bucket of a latency (`plat_val_to_idx`)."""
    top = value_ns.bit_length() - 1
    if top <= BITS:
        return max(value_ns, 0)
    error_bits = top - BITS
    return min(((error_bits + 1) << BITS) + ((value_ns >> error_bits) & 63), BUCKETS - 1)


def middle_of(bucket: int) -> int:
    """The latency that fio prints for a bucket (`plat_idx_to_val`)."""
    if bucket < 128:
        return bucket
    error_bits = (bucket >> BITS) - 1
    return (1 << (error_bits + BITS)) + int(((bucket % 64) + 0.5) * (1 << error_bits))


@dataclass
class Latency:
    """fio's numbers of one latency, ns."""

    count: int = 0
    min: int = 0
    max: int = 0
    mean: float = 0.0
    stddev: float = 0.0
    buckets: Counter[int] = field(default_factory=Counter)

    def percentile(self, percent: float) -> int:
        """fio's rule: the middle of the first bucket that reaches the share."""
        wanted, seen = percent / 100 * self.count, 0
        for bucket in sorted(self.buckets):
            seen += self.buckets[bucket]
            if seen >= wanted:
                return middle_of(bucket)
        return 0


def latency_of(outcomes: Sequence[Outcome], names: Sequence[str]) -> Latency:
    """Of the first of `names` that each outcome has."""
    total = Latency()
    sum_ns = square = 0.0
    for outcome in outcomes:
        name = next((each for each in names if each in outcome["histograms"]), None)
        if name is None:
            continue
        histogram = decode(base64.b64decode(outcome["histograms"][name]))
        middles = [(low + high) / 2 for low, high in zip(histogram.low.tolist(), histogram.high.tolist(), strict=True)]
        counts = histogram.counts.tolist()
        total.buckets.update(buckets_of(middles, counts))
        total.min = min(total.min, int(histogram.low[0])) if total.count else int(histogram.low[0])
        total.max = max(total.max, int(histogram.high[-1]))
        total.count += sum(counts)
        sum_ns += _exact_sum(outcome, name, middles, counts)
        square += sum(middle * middle * count for middle, count in zip(middles, counts, strict=True))
    if total.count:
        total.mean = min(max(sum_ns / total.count, total.min), total.max)
        spread = square - sum_ns * sum_ns / total.count
        total.stddev = math.sqrt(max(spread, 0.0) / (total.count - 1)) if total.count > 1 else 0.0
    return total


def _exact_sum(outcome: Outcome, name: str, middles: Sequence[float], counts: Sequence[int]) -> float:
    """The sum of latencies: exact where the core keeps it."""
    if name in outcome["operations"]:
        return float(outcome["operations"][name]["latency_sum_ns"])
    if name in outcome.get("latency_sums_ns", {}):
        return float(outcome["latency_sums_ns"][name])
    return sum(middle * count for middle, count in zip(middles, counts, strict=True))


def together(parts: Sequence[Latency]) -> Latency:
    """Latencies of several directions as one."""
    parts = [part for part in parts if part.count] or parts[:1]
    if len(parts) == 1:
        return parts[0]
    count = sum(part.count for part in parts)
    mean = sum(part.mean * part.count for part in parts) / count
    square = sum(part.stddev**2 * (part.count - 1) + part.count * (part.mean - mean) ** 2 for part in parts)
    return Latency(
        count=count,
        min=min(part.min for part in parts),
        max=max(part.max for part in parts),
        mean=mean,
        stddev=math.sqrt(square / (count - 1)),
        buckets=sum((part.buckets for part in parts), Counter()),
    )


def buckets_of(middles: Iterable[float], counts: Iterable[int]) -> Counter[int]:
    """Counts in fio's buckets."""
    found: Counter[int] = Counter()
    for middle, count in zip(middles, counts, strict=True):
        found[bucket_of(int(middle))] += count
    return found
