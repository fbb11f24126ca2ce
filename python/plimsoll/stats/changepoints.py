"""Where the level of a series changes: PELT with squared error (Killick, Fearnhead & Eckley 2012)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from plimsoll.stats.student_t import FloatArray

PENALTY_FACTOR = 3.0
"""β = 3·ln n·σ² per change point, on the long-run variance."""

TRIMMED_TENTH = 10
TRIMMED_SHARE = 0.623
"""Variance of a normal distribution without the tenth that is farthest out, as a share of the whole."""

LARGEST_LAG = 0.4
"""Autocorrelation beyond this is not believed: a warm-up looks like it, and would hide itself."""


def segment_ends(values: FloatArray, penalty: float, minimum: int) -> list[int]:
    """Ends (exclusive, last = len) of the segments that minimise Σ (x − segment mean)² + penalty·(segments − 1).

    Every segment has at least `minimum` values. Exact: a start is dropped only once the change point that beats it is
    itself far enough back.
    """
    count = len(values)
    if count < 2 * minimum:
        return [count]
    sums = np.concatenate([[0.0], np.cumsum(values)])
    squares = np.concatenate([[0.0], np.cumsum(values * values)])
    best = np.full(count + 1, np.inf)
    best[0] = -penalty
    previous = np.zeros(count + 1, dtype=np.int64)
    expiry = np.full(count + 1, count + 1, dtype=np.int64)
    starts = np.zeros(0, dtype=np.int64)
    for end in range(minimum, count + 1):
        entering = end - minimum
        if entering == 0 or entering >= minimum:
            starts = np.append(starts, entering)
        starts = starts[expiry[starts] > end]
        total = sums[end] - sums[starts]
        cost = best[starts] + squares[end] - squares[starts] - total * total / (end - starts)
        choice = int(np.argmin(cost))
        best[end] = cost[choice] + penalty
        previous[end] = starts[choice]
        beaten = starts[cost > best[end]]
        expiry[beaten] = np.minimum(expiry[beaten], end + minimum)
    ends = [count]
    while previous[ends[-1]] > 0:
        ends.append(int(previous[ends[-1]]))
    return ends[::-1]


def long_run_variance(values: FloatArray, smallest: float) -> float:
    """Variance of a sum per value, σ²·(1 + r)/(1 − r), hardly moved by level changes; at least `smallest`².

    From the mean squares g₁, g₂ of differences one and two apart, each without its largest tenth (level changes are
    rare, fast dips are not). For a first-order autoregression g₁ = 2σ²(1 − r) and g₂/g₁ = 1 + r; r is kept between 0
    and `LARGEST_LAG`.
    """
    if values.size < 4:
        return smallest**2
    near, far = _mean_square(values[1:] - values[:-1]), _mean_square(values[2:] - values[:-2])
    lag = min(max(far / near - 1.0, 0.0), LARGEST_LAG) if near > 0 else 0.0
    return max(near / (2.0 * (1.0 - lag)) * (1.0 + lag) / (1.0 - lag), smallest**2)


def _mean_square(steps: FloatArray) -> float:
    """Mean square without the largest tenth, made up for what a normal sample loses by that."""
    squares = np.sort(steps * steps)
    return float(squares[: steps.size - steps.size // TRIMMED_TENTH].mean()) / TRIMMED_SHARE


def penalty(values: FloatArray, variance: float) -> float:
    """The price of one change point in a series with this long-run variance."""
    return float(PENALTY_FACTOR * np.log(len(values)) * variance)


def merged(values: FloatArray, ends: Sequence[int], tolerance: float) -> list[int]:
    """Ends after joining neighbours whose means are less than `tolerance` apart, the closest first."""
    edges = [0, *ends]
    while len(edges) > 2:
        means = [float(values[a:b].mean()) for a, b in itertools.pairwise(edges)]
        gaps = [abs(b - a) for a, b in itertools.pairwise(means)]
        closest = int(np.argmin(gaps))
        if gaps[closest] >= tolerance:
            break
        del edges[closest + 1]
    return edges[1:]


def largest_step(values: FloatArray, minimum: int) -> tuple[int, float]:
    """The best single split: its place and by how much it lowers the squared error. (0, 0.0) if too short."""
    count = len(values)
    if count < 2 * minimum:
        return 0, 0.0
    splits = np.arange(minimum, count - minimum + 1)
    sums = np.cumsum(values)
    left, right = sums[splits - 1] / splits, (sums[-1] - sums[splits - 1]) / (count - splits)
    gains = (left - right) ** 2 * splits * (count - splits) / count
    choice = int(np.argmax(gains))
    return int(splits[choice]), float(gains[choice])
