"""How a score grows with what was provisioned: `min(a·x, b)`, fitted in logs over targets that differ in x alone.

Below the cap every point of x buys as much as the last; above it more x buys nothing. A target stands at the cap when
its x is beyond b/a. How much x would match another score follows from a, with an interval.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from plimsoll.stats.student_t import FloatArray, quantile

FEWEST = 3
"""Targets with different x without which a line and a cap cannot be told apart."""
FLAT = math.log(1.1)
"""Targets within this of each other have not grown; a target this far below the line is capped."""

BARELY = 1.02
"""Up to so many times the largest x a match counts as within what was measured."""
MISFIT_MAX = 0.2
"""From a larger misfit nothing is concluded: the line does not describe the targets. METHODOLOGY names it."""


@dataclass(frozen=True)
class Scaling:
    """One test over several targets."""

    per_unit: float | None
    """a: score per point of x; None where every target is capped, so that the slope was not seen."""
    cap: float | None
    """b, the score at the cap; None where none was reached."""
    capped: tuple[str, ...]
    """Targets whose x is beyond the cap."""
    misfit: float
    """Root of the mean square of ln(score / fit): 0.1 is about 10 %."""

    @property
    def fits(self) -> bool:
        """Whether line and cap describe the targets well enough to conclude anything from them."""
        return self.misfit <= MISFIT_MAX

    @property
    def enough(self) -> float | None:
        """The x from which on more buys nothing; None without a cap or slope."""
        return self.cap / self.per_unit if self.cap is not None and self.per_unit is not None else None

    def matching(self, score: float) -> float | None:
        """The x that reaches a score; None where no x does, or the slope was not seen."""
        if self.per_unit is None or (self.cap is not None and score > self.cap * math.exp(FLAT)):
            return None
        return score / self.per_unit


def fit(scores: Mapping[str, float], provisioned: Mapping[str, float]) -> Scaling | None:
    """The best `min(a·x, b)` through scores (rates, higher is better) above zero; None for fewer than FEWEST x."""
    names = sorted((name for name in scores if name in provisioned), key=lambda name: provisioned[name])
    if len({provisioned[name] for name in names}) < FEWEST:
        return None
    x = [math.log(provisioned[name]) for name in names]
    y = [math.log(scores[name]) for name in names]
    if max(y) - min(y) <= FLAT:
        level = sum(y) / len(y)
        return Scaling(None, math.exp(level), tuple(names), _root_mean(each - level for each in y))
    found = [each for growing in range(1, len(names) + 1) if (each := _at(names, x, y, growing)) is not None]
    return min(found, key=lambda each: each.misfit)


def _at(names: Sequence[str], x: Sequence[float], y: Sequence[float], growing: int) -> Scaling | None:
    """The fit in which the first so many targets grow; None where their order contradicts it."""
    slope = sum(y[i] - x[i] for i in range(growing)) / growing
    flat = y[growing:]
    cap = sum(flat) / len(flat) if flat else None
    # A cap that the line hardly passes would only follow the noise of the last target.
    if cap is not None and not x[growing - 1] + slope - FLAT <= cap <= x[growing] + slope - FLAT:
        return None
    misfit = _root_mean(y[i] - min(x[i] + slope, math.inf if cap is None else cap) for i in range(len(y)))
    return Scaling(math.exp(slope), None if cap is None else math.exp(cap), tuple(names[growing:]), misfit)


def _root_mean(residuals: Iterable[float]) -> float:
    squares = [each * each for each in residuals]
    return math.sqrt(sum(squares) / len(squares))


@dataclass(frozen=True)
class Sample:
    """What is known of one score: the mean of its logarithms, its error, and the degrees of freedom of that."""

    mean: float
    error: float | None
    """None where nothing is known of it: one run."""
    degrees: float = 1.0


@dataclass(frozen=True)
class Match:
    """The x that reaches a score, with its 95 % interval, and how far it is beyond what was measured."""

    value: float
    low: float | None
    high: float | None
    beyond: float
    """How many times the largest x, or the smallest over it; 1 within what was measured."""
    span: float
    """How many times as far the targets reach that grow: no answer is given further beyond them than that."""
    edge: float
    """The largest or the smallest x that was measured, whichever is nearer."""

    @property
    def extrapolated(self) -> bool:
        """Whether it lies outside what was measured."""
        return self.beyond > BARELY

    @property
    def refused(self) -> bool:
        """Whether it lies too far outside."""
        return self.extrapolated and self.beyond > self.span


def match(scaling: Scaling, score: float, x: Mapping[str, float], scores: Mapping[str, float]) -> Match | None:
    """The x that reaches a score, without an interval; None where no x does."""
    value = scaling.matching(score)
    growing = [x[name] for name in scores if name in x and name not in scaling.capped]
    if value is None or not growing:
        return None
    low, high = min(x[name] for name in scores if name in x), max(x[name] for name in scores if name in x)
    beyond = max(value / high, low / value, 1.0)
    return Match(value, None, None, beyond, max(growing) / min(growing), high if value >= low else low)


def with_interval(
    found: Match, noise: Sample, scaling: Scaling, x: Mapping[str, float], scores: Mapping[str, float]
) -> Match:
    """The interval from three errors: of the runs (`noise`, of ln of the x), of the line through the targets that grow,
    and of the exponent, which is taken to be 1, as far as the x lies from these targets.
    """
    names = [name for name in scores if name in x and name not in scaling.capped]
    if noise.error is None:
        return found
    at = np.log([x[name] for name in names])
    rest = np.log([scores[name] for name in names]) - at
    parts = [(noise.error**2, noise.degrees)]
    if len(names) > 1:
        parts.append((float(rest.var(ddof=1)) / len(names), len(names) - 1.0))
        distance = abs(math.log(found.value) - float(at.mean()))
        parts.append(((distance * _exponent_error(at, rest)) ** 2, max(len(names) - 2.0, 1.0)))
    total = sum(part for part, _ in parts)
    spare = sum(part**2 / degrees for part, degrees in parts)
    if total <= 0:
        return replace(found, low=found.value, high=found.value)
    reach = quantile(0.975, max(1, math.floor(total**2 / spare))) * math.sqrt(total)
    return replace(found, low=found.value * math.exp(-reach), high=found.value * math.exp(reach))


def _exponent_error(at: FloatArray, rest: FloatArray) -> float:
    """How far the exponent may be from 1: as fitted, and with the error of that fit where there is one."""
    spread = float(((at - at.mean()) ** 2).sum())
    off = float(((at - at.mean()) * rest).sum()) / spread
    left = rest - rest.mean() - off * (at - at.mean())
    error = float((left**2).sum()) / (len(at) - 2) / spread if len(at) > 2 else 0.0
    return math.sqrt(off**2 + error)


def noise_of_blocks(
    scaling: Scaling, pairs: Sequence[tuple[float, Mapping[str, float]]], x: Mapping[str, float]
) -> Sample:
    """The error of ln of the x from blocks: of each the baseline's score and those of the others in the same block."""
    values = []
    for score, others in pairs:
        ratios = [others[name] / x[name] for name in others if name in x and name not in scaling.capped]
        if ratios and score > 0 and min(ratios) > 0:
            values.append(math.log(score) - sum(map(math.log, ratios)) / len(ratios))
    if len(values) < 2:
        return Sample(values[0] if values else 0.0, None)
    error = float(np.std(values, ddof=1)) / math.sqrt(len(values))
    return Sample(float(np.mean(values)), error, len(values) - 1.0)


def noise_apart(baseline: Sample, growing: Sequence[Sample]) -> Sample:
    """The same from runs that were measured apart; without an error of the baseline there is none."""
    if baseline.error is None:
        return Sample(baseline.mean, None)
    known = [(each.error / len(growing), each.degrees) for each in growing if each.error is not None]
    parts = [(baseline.error, baseline.degrees), *known]
    total = sum(error**2 for error, _ in parts)
    spare = sum(error**4 / degrees for error, degrees in parts)
    return Sample(baseline.mean, math.sqrt(total), total**2 / spare if spare else baseline.degrees)


def sample_of(values: Sequence[float]) -> Sample:
    """Of scores above zero."""
    logs = np.log(values)
    error = float(logs.std(ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else None
    return Sample(float(logs.mean()), error, max(1.0, len(values) - 1.0))
