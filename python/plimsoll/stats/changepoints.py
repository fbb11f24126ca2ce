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

TREND_WINDOW = 9
"""Bins of the moving mean that is taken out before autocorrelation is measured."""


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
    """Variance of a sum per value, σ²·(1 + r)/(1 − r), robust against level changes; at least `smallest`².

    σ² from the first differences without their largest tenth (level changes are rare, fast dips are not), which are
    2·σ²·(1 − r) on average; r is the lag-1 autocorrelation left after a moving mean, kept between 0 and 0.9.
    """
    steps = np.sort(np.abs(np.diff(values)))
    kept = steps[: steps.size - steps.size // TRIMMED_TENTH]
    if kept.size < 2:
        return smallest**2
    rest = values - _moving_mean(values)
    spread = float((rest * rest).sum())
    lag = float((rest[1:] * rest[:-1]).sum()) / spread if spread > 0 else 0.0
    lag = min(max(lag, 0.0), 0.9)
    sigma2 = float((kept * kept).mean()) / TRIMMED_SHARE / (2.0 * (1.0 - lag))
    return max(sigma2 * (1.0 + lag) / (1.0 - lag), smallest**2)


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


def _moving_mean(values: FloatArray) -> FloatArray:
    """Centred moving mean; at the edges over the part that exists."""
    window = min(TREND_WINDOW, len(values))
    ones = np.ones(window)
    total = np.convolve(values, ones, mode="same")
    return np.asarray(total / np.convolve(np.ones(len(values)), ones, mode="same"))
