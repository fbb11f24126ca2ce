"""Simulated measurements with a known truth: what the tests and `make validate` hold the verdicts against.

A scenario makes the log scores of two targets whose true log ratio is `truth`. The two run next to each other in
pairs, in random order, on a machine whose level may wander; only the verdict rules are the real ones.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from plimsoll.stats.looks import BoolArray, IntArray, look
from plimsoll.stats.policy import LOOKS, Boundary, looks_until
from plimsoll.stats.student_t import FloatArray

Random = np.random.Generator
Shape = tuple[int, int]
Noise = Callable[[Random, Shape], FloatArray]

BLOCKS = LOOKS[-1]


@dataclass(frozen=True, slots=True)
class Scenario:
    """`own` is the noise of each run, `shared` the wandering level of the machine; shapes (repetitions, slots)."""

    name: str
    own: Noise
    shared: Noise | None = None


def normal(deviation: float) -> Noise:
    """Normal noise of the log score; `deviation` is the coefficient of variation."""
    return lambda random, shape: deviation * random.standard_normal(shape)


def heavy_tails(deviation: float) -> Noise:
    """Student's t with 3 degrees of freedom."""
    return lambda random, shape: deviation * random.standard_t(3, shape)


def outliers(deviation: float, share: float) -> Noise:
    """Normal, and a share of runs that lose 10 to 60 %."""

    def draw(random: Random, shape: Shape) -> FloatArray:
        slow = np.log1p(-random.uniform(0.1, 0.6, shape))
        return deviation * random.standard_normal(shape) + np.where(random.random(shape) < share, slow, 0.0)

    return draw


def two_modes(deviation: float, share: float, factor: float) -> Noise:
    """Normal, and a share of runs on a second level."""

    def draw(random: Random, shape: Shape) -> FloatArray:
        return deviation * random.standard_normal(shape) + math.log(factor) * (random.random(shape) < share)

    return draw


def drift(total: float) -> Noise:
    """The level of the machine falls in a straight line, by `total` over all slots."""
    return lambda _, shape: np.broadcast_to(-total * np.arange(shape[1]) / shape[1], shape)


def wander(deviation: float, persistence: float) -> Noise:
    """First-order autoregression."""

    def draw(random: Random, shape: Shape) -> FloatArray:
        steps = random.standard_normal(shape) * deviation * math.sqrt(1 - persistence**2)
        steps[:, 0] = deviation * random.standard_normal(shape[0])
        for slot in range(1, shape[1]):
            steps[:, slot] += persistence * steps[:, slot - 1]
        return np.asarray(steps, dtype=np.float64)

    return draw


def regimes(factor: float, share: float, dwell: float) -> Noise:
    """The machine switches between two levels, `dwell` slots on the lower one on average."""

    def draw(random: Random, shape: Shape) -> FloatArray:
        low = np.empty(shape, dtype=np.bool_)
        low[:, 0] = random.random(shape[0]) < share
        enter = share / (1 - share) / dwell
        for slot in range(1, shape[1]):
            low[:, slot] = random.random(shape[0]) < np.where(low[:, slot - 1], 1 - 1 / dwell, enter)
        return np.asarray(math.log(factor) * low, dtype=np.float64)

    return draw


SCENARIOS = (
    Scenario("normal 2 %", normal(0.02)),
    Scenario("normal 5 %", normal(0.05)),
    Scenario("normal 10 %", normal(0.10)),
    Scenario("normal 20 %", normal(0.20)),
    Scenario("Student t3, 3 %", heavy_tails(0.03)),
    Scenario("3 % + 10 % slow outliers", outliers(0.03, 0.10)),
    Scenario("2 % + drift −15 %", normal(0.02), drift(0.15)),
    Scenario("2 % + wandering level 8 %", normal(0.02), wander(0.08, 0.95)),
    Scenario("2 % + shared regime −35 %", normal(0.02), regimes(0.65, 0.3, 8)),
    Scenario("2 % + own modes −20 %", two_modes(0.02, 0.3, 0.8)),
)


def scores(
    scenario: Scenario, truth: float, repetitions: int, random: Random, blocks: int = BLOCKS
) -> tuple[FloatArray, FloatArray]:
    """What baseline and other target would score in every slot, as logs; a slot is given to only one of them."""
    shape = (repetitions, 2 * blocks)
    level = scenario.shared(random, shape) if scenario.shared else np.zeros(shape)
    return level + scenario.own(random, shape), level + scenario.own(random, shape) + truth


def ordered_differences(
    scenario: Scenario, truth: float, repetitions: int, random: Random, blocks: int = BLOCKS
) -> tuple[FloatArray, BoolArray]:
    """Paired log ratios of adjacent slots in random order, (repetitions, blocks), and if the baseline ran first."""
    baseline, other = scores(scenario, truth, repetitions, random, blocks)
    first = random.random((repetitions, blocks)) < 0.5
    even, odd = slice(0, None, 2), slice(1, None, 2)
    return np.where(first, other[:, odd] - baseline[:, even], other[:, even] - baseline[:, odd]), first


def differences(scenario: Scenario, truth: float, repetitions: int, random: Random, blocks: int = BLOCKS) -> FloatArray:
    """Paired log ratios of adjacent slots in random order, shape (repetitions, blocks)."""
    return ordered_differences(scenario, truth, repetitions, random, blocks)[0]


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Where each repetition stopped: at its first decision, or after the last look."""

    sign: IntArray
    same: BoolArray
    blocks: IntArray
    estimate: FloatArray
    low: FloatArray
    high: FloatArray

    @property
    def decided(self) -> BoolArray:
        """There was a verdict."""
        return np.asarray(self.same | (self.sign != 0))

    def false(self, truth: float, band: float) -> BoolArray:
        """The verdict says something that is not so. `band` as a log ratio; a truth on its edge is not the same."""
        direction = (self.sign != 0) & (self.sign * truth <= 0)
        return np.asarray(direction | (self.same & (abs(truth) >= band - 1e-12)))

    def covers(self, truth: float) -> BoolArray:
        """The interval holds the truth."""
        return np.asarray((self.low <= truth) & (truth <= self.high))


def sequential(paths: FloatArray, band: float, looks: tuple[Boundary, ...] = looks_until(BLOCKS)) -> Outcomes:
    """Every repetition goes from look to look and stops at its first decision."""
    count = len(paths)
    result = Outcomes(
        sign=np.zeros(count, dtype=np.int64),
        same=np.zeros(count, dtype=np.bool_),
        blocks=np.zeros(count, dtype=np.int64),
        estimate=np.zeros(count),
        low=np.zeros(count),
        high=np.zeros(count),
    )
    open_ = np.arange(count)
    for boundary in looks:
        at = look(paths[open_], boundary, band)
        result.sign[open_], result.same[open_], result.blocks[open_] = at.sign, at.same, boundary.blocks
        result.estimate[open_], result.low[open_], result.high[open_] = at.estimates.trimmed, at.low, at.high
        open_ = open_[~(at.same | (at.sign != 0))]
    return result


def extended(paths: FloatArray, band: float, caps: Sequence[int]) -> Outcomes:
    """Every repetition goes to its first cap; an undecided one is extended to the next, and again, as a user would."""
    result = sequential(paths, band, looks_until(caps[0]))
    for before, cap in itertools.pairwise(caps):
        open_ = np.flatnonzero(~result.decided)
        further = tuple(each for each in looks_until(cap) if each.blocks > before)
        again = sequential(paths[open_], band, further)
        for name in ("sign", "same", "blocks", "estimate", "low", "high"):
            getattr(result, name)[open_] = getattr(again, name)
    return result


RATE_SHAPES: dict[str, Callable[[FloatArray, Random], FloatArray]] = {
    "flat": lambda t, _: np.ones_like(t),
    "warm-up": lambda t, _: 1 - 0.5 * np.exp(-10 * t),
    "fresh flash": lambda t, _: 1 + 1.5 * np.exp(-7.5 * t),
    "burst": lambda t, random: np.where(t < random.uniform(0.25, 0.70), 1.0, 0.4),
    "drift": lambda t, _: 1 - 0.20 * t,
    "cycles": lambda t, _: np.where((t * 30).astype(np.int64) % 5 == 0, 0.75, 1.0),
}
"""Rate against time from 0 to 1, as shares of the level that is to be found."""

TRUE_LEVELS = {"flat": 1.0, "warm-up": 1.0, "fresh flash": 1.0, "burst": 0.4, "cycles": 0.95}


def rates(shape: str, seconds: int, random: Random, deviation: float = 0.03, persistence: float = 0.5) -> FloatArray:
    """One run: the rate of each second, with autocorrelated noise."""
    time = np.arange(seconds) / seconds
    noise = wander(deviation, persistence)(random, (1, seconds))[0]
    return np.asarray(1000.0 * RATE_SHAPES[shape](time, random) * np.exp(noise))
