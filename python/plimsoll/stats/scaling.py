"""How a score grows with what was provisioned: `min(a·x, b)`, fitted in logs over targets that differ in x alone.

Below the cap every point of x buys as much as the last; above it more x buys nothing. A target stands at the cap when
its x is beyond b/a. How much x would match another score follows from a, with its interval from the blocks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from plimsoll.stats.summary import Summary, summarise

FEWEST = 3
"""Targets with different x without which a line and a cap cannot be told apart."""
FLAT = math.log(1.1)
"""Targets within this of each other have not grown; a target this far below the line is capped."""

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


def match(
    scaling: Scaling, baseline: Sequence[float], blocks: Sequence[Mapping[str, float]], provisioned: Mapping[str, float]
) -> Summary | None:
    """The x that would match the baseline, one value per block, from the targets below the cap; None without any.

    `baseline` is its score in each block, `blocks` the scores of the others in the same blocks.
    """
    values = []
    for score, others in zip(baseline, blocks, strict=True):
        ratios = [others[name] / provisioned[name] for name in others if name not in scaling.capped]
        if ratios and score > 0 and min(ratios) > 0:
            slope = math.exp(sum(map(math.log, ratios)) / len(ratios))
            values.append(score / slope)
    return summarise(values, "higher") if values else None
