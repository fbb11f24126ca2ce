"""Simulated sessions of one device whose two targets alternate in slices: the turns are the real ones, the weather is not.

The device's rate over time is known to 10 ms. Each target's slices take what it is then, times the target's own speed
and the noise of the block, less what the other target's work still takes from it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plimsoll.run.turns import Pace, after_others, turns
from plimsoll.stats.simulation import Random, Scenario
from plimsoll.units import MILLISECOND, SECOND

Floats = NDArray[np.float64]
GRID_NS = 10 * MILLISECOND
RUNTIME_NS, WARMUP_NS = 2 * SECOND, 500 * MILLISECOND
PAUSE_NS = 600 * MILLISECOND
"""Between two blocks."""
BLOCK = (2 * (RUNTIME_NS + WARMUP_NS) + PAUSE_NS) // GRID_NS
"""Steps of the grid from one block to the next."""

Weather = Callable[[Random, int], Floats]
"""Of one session: the log of the device's rate in each of so many steps."""


def gusts(random: Random, steps: int) -> Floats:
    """As on the shared virtual disk of METHODOLOGY: 16 % over a second, nearly as much over five, and more in between."""
    return _walk(random, steps, 0.14, 4.0) + _walk(random, steps, 0.08, 0.15)


def _walk(random: Random, steps: int, deviation: float, seconds: float) -> Floats:
    """First-order autoregression that forgets within so many seconds."""
    kept = math.exp(-GRID_NS / (seconds * SECOND))
    pushes = random.standard_normal(steps) * deviation * math.sqrt(1 - kept**2)
    pushes[0] = deviation * random.standard_normal()
    found = np.empty(steps)
    level = 0.0
    for step, push in enumerate(pushes.tolist()):
        level = kept * level + push
        found[step] = level
    return found


def falling(random: Random, steps: int) -> Floats:
    """Half the rate at the end of twelve blocks, in gusts."""
    return gusts(random, steps) + math.log(0.5) * np.arange(steps) / (12 * BLOCK)


def stairs(random: Random, steps: int) -> Floats:
    """Now and then a third less for seconds."""
    lengths = random.exponential(3.0 * SECOND / GRID_NS, size=steps // 20 + 2).astype(np.int64) + 1
    levels = np.resize([0.0, math.log(0.65)], len(lengths))
    return gusts(random, steps) + np.repeat(levels, lengths)[:steps]


def beating(period_ms: int) -> Weather:
    """Two thirds of the rate in every other half of a period, which begins anywhere."""

    def draw(random: Random, steps: int) -> Floats:
        at = np.arange(steps) * GRID_NS / (period_ms * MILLISECOND) + random.random()
        return np.asarray(np.where(at % 1 < 0.5, 0.0, math.log(0.67)) + _walk(random, steps, 0.05, 4.0))

    return draw


@dataclass(frozen=True)
class CarryOver:
    """What a target loses in a slice after the other's, as shares: the baseline and the other target."""

    baseline: float = 0.0
    other: float = 0.0


@dataclass(frozen=True)
class Sessions:
    """Of (repetitions, blocks): log ratios of the scores, and of each target's rates after the other and after itself."""

    differences: Floats
    after_other: tuple[Floats, Floats]
    alone: Floats


def sessions(
    weather: Weather, scenario: Scenario | None, truth: float, carried: CarryOver, shape: tuple[int, int], random: Random
) -> Sessions:
    """So many sessions of so many blocks; `truth` is the log of the true ratio, `scenario` the noise between blocks."""
    differences, after_a, after_b, alone = (np.empty(shape) for _ in range(4))
    own = [scenario.own(random, shape) if scenario else np.zeros(shape) for _ in range(2)]
    lost = (math.log1p(-carried.baseline), math.log1p(-carried.other))
    for row in range(shape[0]):
        rate = np.exp(weather(random, shape[1] * BLOCK))
        for block in range(shape[1]):
            here = rate[block * BLOCK : (block + 1) * BLOCK]
            found = turns(["a", "b"], RUNTIME_NS, WARMUP_NS, f"{random.integers(1 << 62)}", Pace())
            follows = after_others(found)
            logs, single = [], []
            for name, loss, after in (("a", lost[0], after_a), ("b", lost[1], after_b)):
                means = _slices(here, found.of[name], found.discard_ns)
                other = np.asarray(follows[name])
                means = means * np.exp(loss * other)
                logs.append(math.log(means.mean()))
                single.append(math.log(means[~other].mean()))
                after[row, block] = math.log(means[other].mean() / means[~other].mean())
            noise = truth + own[1][row, block] - own[0][row, block]
            alone[row, block] = single[1] - single[0] + noise
            differences[row, block] = logs[1] - logs[0] + noise
    return Sessions(differences, (after_a, after_b), alone)


def _slices(rate: Floats, given: object, discard_ns: int) -> Floats:
    """The mean rate of each slice in what counts of it."""
    means = []
    for number, (start_ns, length_ns) in enumerate(given):  # type: ignore[call-overload]
        begin = start_ns + (discard_ns if number else max(discard_ns, WARMUP_NS))
        first, last = begin // GRID_NS, max((start_ns + length_ns) // GRID_NS, begin // GRID_NS + 1)
        means.append(rate[first:last].mean())
    return np.asarray(means)
