"""The largest load that meets a latency objective, by soft probabilistic bisection.

Plain bisection believes every run, and one outlier early loses half the range for good. Here each run only moves
belief: after a run at load m with latency y, everything above m is multiplied by P(the objective is met at m), and
everything below by its complement, where that probability is a soft step of ln(limit/y) that is never 0 or 1. The next
run is made in the middle of what is still believed (Horstein 1963; Waeber, Frazier & Henderson 2013).
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np

from plimsoll.errors import UsageError
from plimsoll.stats.load_line.levels import LoadRange
from plimsoll.stats.student_t import FloatArray
from plimsoll.units import format_duration, parse_duration, parse_latency

GRID = 500
SPREAD = 0.15
"""Run-to-run standard deviation of ln latency near the limit that the soft step allows for."""
OUTSIDE = 1.5
"""Belief reaches this factor beyond the range, so that "all of it" and "none of it" are possible answers."""
FLOOR, SLOPE = 0.08, 2.5
"""A run is believed to be plainly wrong with probability 8 %."""
_PATTERN = re.compile(r"p(\d+(?:\.\d+)?)\s*(?:<=?|≤)\s*(.+)")


@dataclass(frozen=True, slots=True)
class Objective:
    """`p99<5ms`: a percentile (99.0) and its limit, ns."""

    percent: float
    limit_ns: int

    @property
    def text(self) -> str:
        """As the command line takes it: `p99<10ms`."""
        limit = format_duration(self.limit_ns).replace(" ", "")
        return f"{self.name}<{limit if parse_duration(limit) == self.limit_ns else f'{self.limit_ns}ns'}"

    @property
    def name(self) -> str:
        """The percentile, as in `p99`."""
        return f"p{self.percent:g}"


def parse_objective(text: str) -> Objective:
    """The objective written as `p99<5ms`; `p999` is p99.9. Raises UsageError."""
    match = _PATTERN.fullmatch(text.strip().lower())
    if not match:
        raise UsageError(f"{text!r} is not an objective; write a percentile and a limit, such as p99<5ms or p99.9<20ms")
    digits = match[1]
    percent = float(digits if "." in digits or len(digits) < 3 or digits == "100" else f"{digits[:2]}.{digits[2:]}")
    limit_ns = parse_latency(match[2], what=text.strip())
    if not 0 < percent < 100 or limit_ns <= 0:
        raise UsageError(f"{text!r}: a percentile lies between p0 and p100, and a limit above zero")
    return Objective(percent, limit_ns)


class Belief:
    """Where the largest load that meets the objective lies: a distribution over the range of loads."""

    def __init__(self, bounds: LoadRange, objective: Objective) -> None:
        """Every load is as likely as any other, on the logarithmic scale, and the answer may lie outside the range."""
        self._objective = objective
        outside = math.log(OUTSIDE)
        self._grid: FloatArray = np.linspace(math.log(bounds.low) - outside, math.log(bounds.high) + outside, GRID)
        self._weights: FloatArray = np.full(GRID, 1.0 / GRID)

    def see(self, load: float, latency_ns: float) -> None:
        """Take in one run; an infinite latency is a schedule that was not kept."""
        margin = math.log(self._objective.limit_ns / latency_ns) / SPREAD if math.isfinite(latency_ns) else -math.inf
        step = 1.0 / (1.0 + math.exp(min(700.0, max(-700.0, -SLOPE * margin))))
        met = FLOOR + (1 - 2 * FLOOR) * step
        self._weights = self._weights * np.where(self._grid >= math.log(load) - 1e-12, met, 1 - met)
        self._weights /= self._weights.sum()

    def quantile(self, share: float) -> float:
        """The load below which this share of the belief lies."""
        place = int(np.searchsorted(np.cumsum(self._weights), share))
        return math.exp(float(self._grid[min(place, GRID - 1)]))

    @property
    def width(self) -> float:
        """Width of the interval that holds 90 % of the belief, as ln."""
        return math.log(self.quantile(0.95) / self.quantile(0.05))
