"""The two neighbouring loads between which latency clearly deteriorates while throughput no longer grows.

Neighbours are compared within rounds, as targets are within blocks, with the same repeated looks: so this claim too is
false with probability at most 5 %.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

import numpy as np

from plimsoll.stats.load_line.points import Phase, Point
from plimsoll.stats.looks import look
from plimsoll.stats.policy import BOUNDARIES, Boundary
from plimsoll.stats.student_t import FloatArray

SLOWER = math.log(1.25)
"""Mean latency has clearly deteriorated if it surely grew by more than a quarter from one load to the next."""
GROWING = math.log(1.05)
"""Throughput no longer grows if it surely grew by less than 5 %."""


@dataclass(frozen=True, slots=True)
class Bracket:
    """The last load before the deterioration and the first one in it, with the ratios between them."""

    low: float
    high: float
    throughput_ratio: float
    latency_ratio: float
    """Infinite where the schedule of the lower load was kept in every round and that of the higher in none."""
    rounds: int


def find(points: Sequence[Point]) -> Bracket | None:
    """The first such pair of neighbours in the valid points of the rounds, or None."""
    by_load = _rounds(points)
    for low, high in pairwise(sorted(by_load)):
        if found := _compare(by_load[low], by_load[high]):
            return found
    return None


def around(points: Sequence[Point]) -> Bracket | None:
    """For a search that found no such neighbours: the loads on both sides of those whose schedule was kept at times.

    Up to `low` it was kept in every round, from `high` on in none. None without a schedule, or without enough rounds.
    """
    by_load = _rounds(points)
    loads = sorted(by_load)
    kept = list(takewhile(lambda load: not any(point.overloaded for point in by_load[load].values()), loads))
    lost = list(takewhile(lambda load: all(point.overloaded for point in by_load[load].values()), reversed(loads)))
    return _compare(by_load[kept[-1]], by_load[lost[-1]]) if kept and lost else None


def _rounds(points: Sequence[Point]) -> dict[float, dict[int, Point]]:
    """The valid points of each load by their round."""
    by_load: dict[float, dict[int, Point]] = {}
    for point in points:
        if point.valid and point.phase is Phase.ROUND:
            by_load.setdefault(point.load, {})[point.round] = point
    return by_load


def _compare(below: dict[int, Point], above: dict[int, Point]) -> Bracket | None:
    pairs = [(below[each], above[each]) for each in sorted(below.keys() & above.keys())]
    boundary = next((each for each in reversed(BOUNDARIES) if each.blocks <= len(pairs)), None)
    if boundary is None:
        return None
    pairs = pairs[: boundary.blocks]
    growth = _ratios([(a.throughput, b.throughput) for a, b in pairs])
    between = pairs[0][0].load, pairs[0][1].load, float(np.exp(growth.mean()))
    if all(b.overloaded and not a.overloaded for a, b in pairs):
        return Bracket(*between, math.inf, len(pairs))
    timed = [(a.mean_ns, b.mean_ns) for a, b in pairs if a.mean_ns and b.mean_ns]
    if len(timed) < len(pairs) or not _below(growth, boundary, GROWING):
        return None
    slower = _ratios(timed)
    if not _below(-slower, boundary, -SLOWER):
        return None
    return Bracket(*between, float(np.exp(slower.mean())), len(pairs))


def _ratios(pairs: Sequence[tuple[float, float]]) -> FloatArray:
    return np.log([second / first for first, second in pairs])


def _below(ratios: FloatArray, boundary: Boundary, limit: float) -> bool:
    """Whether the mean log ratio is surely below a limit, at the one-sided level of this look."""
    return bool(look(ratios.reshape(1, -1), boundary, 0.0).same_high[0] < limit)
