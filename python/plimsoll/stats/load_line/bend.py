"""Where throughput stops growing: the load at which the rising and the level part of the curve would meet.

Below saturation throughput is proportional to the load, X = a·N; saturated it is level, X = b. The knee is b/a, the
N* of asymptotic bounds (Lazowska, Zahorjan, Graham & Sevcik 1984). Between the two lies a bend that is sharp for one
station and round where a client also spends time elsewhere, so the fitted curve is a soft minimum,
X = ((a·N)^-p + b^-p)^(-1/p), with p from the data; p = ∞ is the hockey stick. A round of runs has a level of its own,
so that a machine which becomes slower moves no knee.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from plimsoll.stats.load_line.points import Phase, Point
from plimsoll.stats.policy import RESOLUTION
from plimsoll.stats.student_t import FloatArray, quantile

SOFTNESS = (0.0, 0.03, 0.06, 0.1, 0.14, 0.18, 0.23, 0.28, 0.34, 0.4, 0.5)
"""Tried values of 1/p. At 0.5 throughput at the knee is 71 % of the plateau: rounder bends have no knee to speak of."""
GRID_STEP = 0.004
SHAPE_ERROR = 0.05
"""Real curves are not exactly soft minima. One station behind a delay of 20 service times, whose bend is as round as
they come, is fitted 4 % too high; so much is added to the interval, as squares."""
BEYOND = math.log(2)
"""The knee is sought from half the smallest to twice the largest load that was measured."""
FEWEST_LEVELS = 4


@dataclass(frozen=True, slots=True)
class Bend:
    """The knee with its 95 % interval (profile of the residual squares, and `SHAPE_ERROR`), and the plateau."""

    knee: float
    low: float
    high: float
    plateau: float
    """Throughput where the curve is level, in the unit of the throughput."""
    sharpness: float
    """Throughput at the knee as a share of the plateau: 1 is a sharp bend."""
    first: float
    last: float
    """Smallest and largest load of the data."""
    deviation: float
    """Standard deviation of ln throughput of a run around the curve."""

    @property
    def reached(self) -> bool:
        """Whether the data show the plateau: the knee lies, with its interval, below the largest load."""
        return self.high < self.last

    @property
    def begun(self) -> bool:
        """Whether the data show the rise: the knee lies, with its interval, above the smallest load."""
        return self.low > self.first

    def growth(self, before: float, after: float) -> float:
        """ln of what the curve carries at one load over what it carries at another."""
        at = np.log([before, after])
        low, high = _shape(at, np.log([self.knee]), -math.log2(self.sharpness))[0]
        return float(high - low)

    @property
    def half_width(self) -> float:
        """Half the width of the interval as a share of the knee."""
        return math.expm1(math.log(self.high / self.low) / 2)


def fit(points: Sequence[Point]) -> Bend | None:
    """The bend in the valid points of the rounds; None where there are too few levels."""
    used = [point for point in points if point.valid and point.phase is Phase.ROUND]
    loads = np.log([point.load for point in used])
    if np.unique(loads).size < FEWEST_LEVELS:
        return None
    rounds = sorted({point.round for point in used})
    degrees = len(used) - len(rounds) - 2
    if degrees < 1:
        return None
    throughput = np.log([point.throughput for point in used])
    member = np.array([[point.round == each for point in used] for each in rounds], dtype=np.float64)
    grid = np.arange(loads.min() - BEYOND, loads.max() + BEYOND, GRID_STEP)
    squares = np.stack([_squares(throughput - _shape(loads, grid, soft), member) for soft in SOFTNESS])
    soft_at, place = np.unravel_index(int(squares.argmin()), squares.shape)
    # Equal numbers do not make certainty: the error of a run counts as 0.1 % at least.
    least = max(float(squares.min()), degrees * RESOLUTION**2)
    limit = float(squares.min()) + least * quantile(0.975, degrees) ** 2 / degrees
    inside = grid[squares.min(axis=0) <= limit]
    knee, soft = float(grid[place]), SOFTNESS[soft_at]
    below = math.hypot(knee - float(inside.min()) + GRID_STEP, SHAPE_ERROR)
    beyond = math.hypot(float(inside.max()) - knee + GRID_STEP, SHAPE_ERROR)
    level = float((throughput - _shape(loads, grid[place : place + 1], soft)[0]).mean())
    return Bend(
        knee=math.exp(knee),
        low=math.exp(knee - below),
        high=math.exp(knee + beyond),
        plateau=math.exp(level + knee),
        sharpness=2.0**-soft,
        first=math.exp(float(loads.min())),
        last=math.exp(float(loads.max())),
        deviation=math.sqrt(least / degrees),
    )


def _shape(loads: FloatArray, knees: FloatArray, soft: float) -> FloatArray:
    """ln of the soft minimum of load and knee, both given as ln; shape (knees, loads)."""
    below, beyond = np.broadcast_arrays(loads[None, :], knees[:, None])
    least = np.minimum(below, beyond)
    rounded: FloatArray = least if soft == 0 else least - soft * np.log1p(np.exp(-np.abs(below - beyond) / soft))
    return rounded


def _squares(rest: FloatArray, member: FloatArray) -> FloatArray:
    """Sum of squares of each row of `rest` around the mean of each round; `member` has shape (rounds, points)."""
    sums, counts = rest @ member.T, member.sum(axis=1)
    found: FloatArray = (rest**2).sum(axis=1) - (sums**2 / counts).sum(axis=1)
    return found
