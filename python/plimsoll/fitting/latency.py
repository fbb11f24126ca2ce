"""How long single I/Os take: floor, body and tail of each run's histogram, and what each byte adds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np

from plimsoll.fitting.number import FEWEST, Number, of_runs
from plimsoll.fitting.plateaus import Plateau
from plimsoll.stats.histogram import Histogram, decode
from plimsoll.units import MICROSECOND, SECOND

ACCURACY = 0.02
"""Medians are not known better from run to run."""
SERVED_NS = 60 * MICROSECOND
"""What the way through this machine may add to a served volume beside a tenth (docs/speed.md)."""
SERVED = 0.1
TAIL_FROM_SIGMAS = 4.0
"""What is slower than this many standard deviations of the body is of the tail: 3 in 100,000 of the body are."""
TAIL_FEWEST = 10
FLOOR_SHARE = 0.01
"""So many at the fastest show a floor; with fewer, faster ones may just not have come."""
_UPPER = 0.75
"""The body's width is from its median to here: far from the floor, and from what a busy machine makes late."""
_UPPER_SIGMAS = NormalDist().inv_cdf(_UPPER)


@dataclass(frozen=True)
class Distribution:
    """One run's: ns, and logarithms."""

    floor_ns: float
    median_ns: float
    sigma: float
    tail_share: float
    tail_median_ns: float
    tail_sigma: float
    count: int
    floor_seen: bool
    """Whether many I/Os were as fast as the fastest."""


def distribution(histogram: Histogram) -> Distribution:
    """A log-normal body above a floor, and a tail; the body from the half above the median, which no floor bends."""
    count = histogram.count
    middles = (histogram.low + histogram.high + 1) / 2
    passed = np.cumsum(histogram.counts) / count
    share, median, sigma = 0.0, 0.0, 0.0
    border = math.inf
    for _ in range(4):
        median, upper = (float(np.interp(part * (1 - share), passed, middles)) for part in (0.5, _UPPER))
        sigma = max(1e-4, math.log(upper / median) / _UPPER_SIGMAS)
        border = median * math.exp(TAIL_FROM_SIGMAS * sigma)
        slow = middles > border
        share = float(histogram.counts[slow].sum()) / count
    weights = histogram.counts[middles > border]
    floor = float(middles[0])
    at_floor = float(histogram.counts[middles <= floor * 1.03].sum()) / count
    head = (floor, median, sigma)
    if weights.sum() < TAIL_FEWEST:
        return Distribution(*head, 0.0, 0.0, 0.0, count, at_floor >= FLOOR_SHARE)
    logs = np.log(middles[middles > border])
    mean = float(np.average(logs, weights=weights))
    spread = math.sqrt(float(np.average((logs - mean) ** 2, weights=weights)))
    return Distribution(*head, share, math.exp(mean), spread, count, at_floor >= FLOOR_SHARE)


def latency(kind: str, single: Sequence[Plateau], *, served: bool) -> tuple[list[Number], dict[str, str]]:
    """The numbers of a kind from runs with one I/O in flight that no limit held; and of those that are not, why.

    Runs of the smallest size give the distribution; larger ones, what a byte adds.
    """
    by_size: dict[int, list[Distribution]] = {}
    for each in single:
        if kind in each.run.histograms:
            by_size.setdefault(each.use.block_bytes, []).append(distribution(decode(each.run.histograms[kind])))
    sizes = sorted(size for size, found in by_size.items() if len(found) >= FEWEST)
    if not sizes:
        few = f"fewer than {FEWEST} runs of one size had one {kind} in flight with no limit reached"
        return [], {f"{kind} latency": few}
    numbers = _numbers(kind, by_size[sizes[0]], served=served)
    missing = {}
    if not any(each.name == f"{kind}_tail_share" for each in numbers):
        missing[f"{kind}_tail_share"] = f"some runs have a tail of slow {kind}s, and others none"
    slope = None
    if len(sizes) == 1:
        missing[f"{kind}_bytes_per_s"] = f"{kind}s of one size only show nothing of what a byte takes"
    else:
        slope = _per_byte(kind, sizes[0], by_size[sizes[0]], sizes[-1], by_size[sizes[-1]])
        if slope is None:
            missing[f"{kind}_bytes_per_s"] = "larger ones took no longer, as far as the runs can tell"
    if slope is None:
        return numbers, missing
    # In the model each I/O takes its bytes' time beside these.
    own_ns = sizes[0] * SECOND / slope.value
    return [*(_without(each, own_ns) for each in numbers), slope], missing


def _without(number: Number, own_ns: float) -> Number:
    if not number.name.endswith(("_floor_ns", "_median_ns")):
        return number
    low, value, high = (max(0.0, each - own_ns) for each in (number.low, number.value, number.high))
    return replace(number, low=low, value=value, high=high)


def _numbers(kind: str, runs: Sequence[Distribution], *, served: bool) -> list[Number]:
    room, floor = (SERVED_NS, SERVED) if served else (0.0, ACCURACY)
    blur = math.log1p(floor + room / min(each.median_ns for each in runs))
    found = [
        of_runs(f"{kind}_median_ns", [each.median_ns for each in runs], floor, room),
        of_runs(f"{kind}_sigma", [each.sigma for each in runs], 0.0, blur),
    ]
    lowest = of_runs(f"{kind}_floor_ns", [each.floor_ns for each in runs], floor, room)
    if not all(each.floor_seen for each in runs):
        lowest = Number(lowest.name, lowest.value, 0.0, lowest.high, lowest.runs)
    found.append(lowest)
    if not any(each.tail_share > 0 for each in runs):
        found.append(Number(f"{kind}_tail_share", 0.0, 0.0, max(TAIL_FEWEST / each.count for each in runs), len(runs)))
    if all(each.tail_share > 0 for each in runs):
        found += [
            of_runs(f"{kind}_tail_share", [each.tail_share for each in runs], 0.1),
            of_runs(f"{kind}_tail_median_ns", [each.tail_median_ns for each in runs], 0.1, room),
            of_runs(f"{kind}_tail_sigma", [max(each.tail_sigma, 1e-3) for each in runs], 0.1, 0.05),
        ]
    return found


def _per_byte(
    kind: str, small: int, ones: Sequence[Distribution], large: int, others: Sequence[Distribution]
) -> Number | None:
    """Bytes per second of one stream: what the larger size took longer, if that is more than the runs differ."""
    less, more = (of_runs("", [each.median_ns for each in runs], ACCURACY) for runs in (ones, others))
    if more.low <= less.high:
        return None
    gain = float((large - small) * SECOND)
    low, high = gain / (more.high - less.low), gain / (more.low - less.high)
    return Number(f"{kind}_bytes_per_s", gain / (more.value - less.value), low, high, len(ones) + len(others))
