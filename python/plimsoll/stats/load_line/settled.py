"""Which part of one run at one load counts: what was stored before it, and warming up, are cut off its beginning.

A volume that rested gives one second of its rate at once, and more than that while credits last (measured on gp3 and
io2: fio logs of 2020-12). A run that asks for more than the volume carries gets what was stored first, and only then
what is carried: the rates of its intervals show both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from plimsoll.stats.changepoints import long_run_variance, penalty
from plimsoll.stats.steady import SAME_LEVEL, SHORTEST_S, SMALLEST_NOISE, STALLED, classify
from plimsoll.stats.student_t import FloatArray

FEWEST_INTERVALS = 10
"""A run of fewer is taken as it is."""
LEAST_TAIL = 0.3
"""Share of the run that the steady part must last at least."""
FEWEST_OPERATIONS = 10
"""Intervals with fewer on average are joined: their rates would be the chance of a single one."""
SHORTEST_LEVEL = 2
"""Intervals of the shortest last level that is seen: what was stored may end near the end of a run."""


@dataclass(frozen=True, slots=True)
class Settled:
    """The steady part of one run."""

    rate: float
    """Mean rate of that part, operations per second."""
    discarded: float
    """Share of the run before it."""
    steady: bool
    """False: the rate changed so late that its last level is too short to be sure of."""


def settle(rates: Sequence[float], interval_s: float) -> Settled:
    """The steady part of a run from the rates of its intervals (operations/s, ≥ 0), all `interval_s` long, in order."""
    values, interval_s = _joined(np.asarray(rates, dtype=np.float64), interval_s)
    count = values.size
    if count < FEWEST_INTERVALS or not values.any():
        return Settled(float(values.mean()) if count else 0.0, 0.0, True)
    if count * interval_s >= SHORTEST_S:
        regime = classify(values.tolist(), interval_s)
        if regime.accepted:
            return Settled(regime.score, regime.window_s[0] / (count * interval_s), True)
    logs = np.log(np.maximum(values, STALLED * float(np.median(values[values > 0]))))
    first = _last_level(logs)
    return Settled(float(values[first:].mean()), first / count, count - first >= LEAST_TAIL * count)


def _joined(values: FloatArray, interval_s: float) -> tuple[FloatArray, float]:
    """Rates of so many intervals at a time that each has enough operations; a rest shorter than that is left out."""
    operations = float(values.mean()) * interval_s if values.size else 0.0
    if not operations or operations >= FEWEST_OPERATIONS:
        return values, interval_s
    together = min(values.size, int(np.ceil(FEWEST_OPERATIONS / operations)))
    count = values.size // together
    return values[: count * together].reshape(count, together).mean(axis=1), interval_s * together


def _last_level(logs: FloatArray) -> int:
    """The interval with which the last level begins; 0 where the whole run is one level."""
    first = 0
    while len(logs) - first >= 2 * SHORTEST_LEVEL:
        rest = logs[first:]
        splits = np.arange(1, len(rest) - SHORTEST_LEVEL + 1)
        sums = np.cumsum(rest)
        left, right = sums[splits - 1] / splits, (sums[-1] - sums[splits - 1]) / (len(rest) - splits)
        gains = (left - right) ** 2 * splits * (len(rest) - splits) / len(rest)
        best = int(np.argmax(gains))
        price = penalty(rest, long_run_variance(rest, SMALLEST_NOISE))
        if gains[best] <= price or abs(left[best] - right[best]) < SAME_LEVEL:
            break
        first += int(splits[best])
    return first
