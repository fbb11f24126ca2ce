"""Two sets of runs that were not interleaved: the weaker comparison, for results that came without interleaving.

Welch's t on the logarithms, which needs no equal noise. Nothing cancels what changed between the two sets, so the
guarantee holds only if nothing but the target did, and if the runs of each set are independent repetitions. What can be
seen of that is checked (`repeats`), and a set that fails gives no verdict.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from plimsoll.model import Direction
from plimsoll.stats.policy import RESOLUTION, log_width
from plimsoll.stats.repeats import Pattern, PatternKind, patterns
from plimsoll.stats.student_t import FloatArray, quantile, upper_tail
from plimsoll.stats.summary import Split, split, summarise
from plimsoll.stats.verdict import Answer, Verdict

P2, P1 = 0.0171, 0.0180
"""Nominal levels, two-sided for the direction and one-sided for each side of sameness.

They pay for looks after 3, 4, 5, 6, 8 and 10 runs of each set: nobody knows when the author of a foreign file stopped.
"""

FEWEST_RUNS = 3
"""Runs of each set without which there is a ratio, but no verdict."""

GUARANTEE = (
    "measured apart, not interleaved: the error of at most 5 % holds only if nothing but the target changed between "
    "the two sets; a drift of the machine would look like a difference"
)
_DISQUALIFIED = (PatternKind.TREND, PatternKind.STEP, PatternKind.SERIAL)
"""With one of these a set does not say how sure its own mean is."""


@dataclass(frozen=True, slots=True)
class Apart:
    """How a cell was judged whose runs were not interleaved."""

    baseline_runs: int
    target_runs: int
    baseline_patterns: tuple[Pattern, ...]
    target_patterns: tuple[Pattern, ...]
    withheld: str = ""
    """Why there is no verdict although there are runs enough; empty if nothing stands against one."""
    splits: tuple[Split | None, Split | None] = (None, None)
    """Of the baseline and the target: why a set has no common score, by rules that know of it."""
    typical: tuple[float, float] = (0.0, 0.0)
    """Of the baseline and the target: the typical run; 0 without any."""
    stated: str = ""
    """How published means and spreads were judged: by `known` runs, as `ranges` apart, as apart but `inside` the band,
    or as ranges that `touch`; empty where the runs themselves are known."""
    told: str = ""
    """The two means with their spreads, as they were published."""


def judge_apart(
    baseline: Sequence[float],
    other: Sequence[float],
    *,
    band: float,
    direction: Direction,
    ordered: tuple[bool, bool] = (True, True),
    names: tuple[str, str] = ("the baseline", "the other"),
    levels: bool = True,
) -> tuple[Verdict, Apart]:
    """The verdict on two sets of positive scores, each in the order in which it ran (where `ordered`).

    With `levels`, sets without a common score have no common ratio either where there is no verdict.
    """
    ours, theirs = patterns(baseline, ordered=ordered[0]), patterns(other, ordered=ordered[1])
    turn = 1.0 if direction == "higher" else -1.0
    a, b = (turn * np.log(np.asarray(values, dtype=np.float64)) for values in (baseline, other))
    verdict = _welch(a, b, band, direction)
    withheld = ""
    if min(a.size, b.size) >= FEWEST_RUNS:
        withheld = _disqualified((ours, theirs), names) or _hangs_on_first(verdict, a, b, (ours, theirs))
    sets = (list(baseline), list(other))
    splits = _splits(sets, ordered) if levels and a.size and b.size else (None, None)
    if withheld:
        estimate = None if any(splits) else verdict.estimate
        verdict = verdict_of(direction, band, estimate, None, (a.size, b.size))
    typical = tuple(summarise(values, direction).value if values else 0.0 for values in sets)
    return verdict, Apart(int(a.size), int(b.size), ours, theirs, withheld, splits, (typical[0], typical[1]))


def _splits(sets: tuple[list[float], list[float]], ordered: tuple[bool, bool]) -> tuple[Split | None, Split | None]:
    return split(sets[0], ordered=ordered[0]), split(sets[1], ordered=ordered[1])


def _disqualified(found: tuple[tuple[Pattern, ...], tuple[Pattern, ...]], names: tuple[str, str]) -> str:
    for name, each in zip(names, found, strict=True):
        for pattern in each:
            if pattern.kind in _DISQUALIFIED:
                return f"{name}: {pattern.text}, so its runs have no common score"
    return ""


def _hangs_on_first(
    verdict: Verdict, a: FloatArray, b: FloatArray, found: tuple[tuple[Pattern, ...], tuple[Pattern, ...]]
) -> str:
    """A first run that is unlike the others is not dropped, but no answer may hang on it."""
    cold = [any(pattern.kind is PatternKind.FIRST for pattern in each) for each in found]
    if not any(cold) or not verdict.decided:
        return ""
    rest = _welch(a[1:] if cold[0] else a, b[1:] if cold[1] else b, verdict.band, verdict.direction)
    return "" if rest.answer is verdict.answer else "the answer hangs on a first run that is unlike the others"


@dataclass(frozen=True, slots=True)
class Test:
    """Welch's test of two sets: mean difference, its error and whole degrees of freedom (rounded down)."""

    estimate: float
    error: float
    degrees: int


def _welch(a: FloatArray, b: FloatArray, band: float, direction: Direction) -> Verdict:
    estimate = float(b.mean() - a.mean()) if a.size and b.size else None
    sizes = (a.size, b.size)
    if estimate is None or min(sizes) < FEWEST_RUNS:
        return verdict_of(direction, band, estimate, None, sizes)
    parts = [max(float(each.var(ddof=1)) / each.size, RESOLUTION**2) for each in (a, b)]
    degrees = sum(parts) ** 2 / sum(part**2 / (size - 1) for part, size in zip(parts, sizes, strict=True))
    return verdict_of(direction, band, estimate, Test(estimate, math.sqrt(sum(parts)), math.floor(degrees)), sizes)


def verdict_of(
    direction: Direction, band: float, estimate: float | None, test: Test | None, sizes: tuple[int, int]
) -> Verdict:
    """A verdict on the sets of these sizes; without a test it claims nothing."""
    low = high = same_low = same_high = None
    ahead, same, p_direction, p_same = 0, False, 1.0, 1.0
    edge = log_width(band)
    if test is not None:
        reach, near = (quantile(1 - p, test.degrees) * test.error for p in (P2 / 2, P1))
        low, high = test.estimate - reach, test.estimate + reach
        same_low, same_high = test.estimate - near, test.estimate + near
        ahead = 1 if low > 0 else -1 if high < 0 else 0
        same = same_low > -edge and same_high < edge
        p_direction = 2 * float(upper_tail(abs(test.estimate) / test.error, test.degrees))
        p_same = float(upper_tail((edge - abs(test.estimate)) / test.error, test.degrees))
    answer = Answer.SAME if same else {1: Answer.BETTER, -1: Answer.WORSE, 0: Answer.UNKNOWN}[ahead]
    return Verdict(
        answer=answer,
        direction=direction,
        band=band,
        estimate=estimate,
        low=low,
        high=high,
        same_low=same_low,
        same_high=same_high,
        standard_error=None if test is None else test.error,
        ahead=ahead,
        same=same,
        p_direction=p_direction,
        p_same=p_same,
        contaminated=False,
        blocks_used=min(sizes),
        blocks_given=min(sizes),
        look=None,
        blocks_needed=None,
        stop=None,
        levels=(P2, P1),
    )
