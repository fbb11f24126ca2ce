"""Means that were published with a spread and without their runs: which claims hold, and which do not.

Where the table says how many runs stand behind a spread, it is a sample like any other (Welch's t on the logarithms).
Where it does not, a difference is claimed only if the ranges `mean ± REACH · spread` do not touch and it is not all
inside the band, and sameness never: with three runs or more behind each, and their standard deviation as spread, at
most 5 % of such claims are false, however unequal the two spreads are (Student's t with 2 degrees of freedom is beyond
2.5 · √3 in 4.9 % of cases). A standard error is taken as that of three runs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from plimsoll.model import Direction
from plimsoll.stats.policy import ALPHA, RESOLUTION, log_width
from plimsoll.stats.student_t import upper_tail
from plimsoll.stats.unpaired import FEWEST_RUNS, Apart, Test, verdict_of
from plimsoll.stats.verdict import Answer, Verdict

REACH = 2.5
"""Spreads on either side of a mean that is one of so few runs that nothing better is known."""

ASSUMED_RUNS = 3
"""Runs behind a spread where the file does not say how many there were."""

ASSUMPTION = (
    f"where a table does not say how many runs stand behind a spread, {ASSUMED_RUNS} or more are assumed: a difference "
    f"is claimed if the ranges of ± {REACH:g} spreads do not touch, and nothing is said to be the same"
)


@dataclass(frozen=True, slots=True)
class Stated:
    """A mean above zero as it was published, its spread in the same unit, and its runs if they are known."""

    mean: float
    spread: float
    runs: int | None = None
    of_mean: bool = False
    """The spread is the standard error of the mean, not the deviation of the runs."""

    @property
    def deviation(self) -> float:
        """Standard deviation of the runs, with the assumed number of them where it is needed and not known."""
        return self.spread * math.sqrt(self.runs or ASSUMED_RUNS) if self.of_mean else self.spread


def stated_in(facts: Mapping[str, Any], metric: str, mean: float | None) -> Stated | None:
    """The score of a run with these facts, if it is a mean with a spread. A result file may hold anything."""
    spread, runs = _table(facts.get("spread")).get(metric), _table(facts.get("spread_runs")).get(metric)
    if mean is None or not 0 < mean < math.inf or isinstance(spread, bool) or not isinstance(spread, float | int):
        return None
    if not 0 <= spread < math.inf:
        return None
    of_means = facts.get("standard_errors")
    known = runs if isinstance(runs, int) and runs > 1 else None
    return Stated(mean, float(spread), known, isinstance(of_means, list) and metric in of_means)


def _table(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def judge_stated(a: Stated, b: Stated, *, band: float, direction: Direction) -> tuple[Verdict, Apart]:
    """The verdict on `b` against `a`."""
    test = _welch(a, b, direction)
    sizes = (a.runs or 1, b.runs or 1)
    if a.runs is not None and b.runs is not None:
        known = test if min(sizes) >= FEWEST_RUNS else None
        return verdict_of(direction, band, test.estimate, known, sizes), Apart(*sizes, (), (), stated="known")
    verdict = _by_ranges(a, b, band, direction, test)
    edge = log_width(band)
    if verdict.decided or verdict.low is None or verdict.high is None:
        finding = "ranges"
    else:
        finding = "inside" if (verdict.low > 0 or verdict.high < 0) and _within(verdict, edge) else "touch"
    return verdict, Apart(*sizes, (), (), stated=finding)


def _within(verdict: Verdict, edge: float) -> bool:
    return verdict.low is not None and verdict.high is not None and -edge < verdict.low and verdict.high < edge


def _by_ranges(a: Stated, b: Stated, band: float, direction: Direction, test: Test) -> Verdict:
    turn = 1.0 if direction == "higher" else -1.0
    (low_a, high_a), (low_b, high_b) = (_range(each) for each in (a, b))
    ends = sorted((turn * math.log(low_b / high_a), turn * math.log(high_b / low_a)))
    plain = verdict_of(direction, band, test.estimate, None, (1, 1))
    ahead = 1 if ends[0] > 0 else -1 if ends[1] < 0 else 0
    edge = log_width(band)
    if -edge < ends[0] and ends[1] < edge:
        ahead = 0
    return replace(
        plain,
        answer={1: Answer.BETTER, -1: Answer.WORSE, 0: Answer.UNKNOWN}[ahead],
        ahead=ahead,
        low=ends[0],
        high=ends[1],
        p_direction=2 * float(upper_tail(abs(test.estimate) / test.error, test.degrees)),
        levels=(ALPHA, ALPHA),
    )


def _range(each: Stated) -> tuple[float, float]:
    """`mean ± REACH · deviation`; a lower end at or below zero says that nothing is known downwards."""
    reach = REACH * max(each.deviation, RESOLUTION * each.mean)
    return max(each.mean - reach, each.mean * 1e-9), each.mean + reach


def _welch(a: Stated, b: Stated, direction: Direction) -> Test:
    """Welch's test on the logarithms, whose deviation is the relative one."""
    turn = 1.0 if direction == "higher" else -1.0
    sizes = [each.runs or ASSUMED_RUNS for each in (a, b)]
    parts = [
        max((each.deviation / each.mean) ** 2 / size, RESOLUTION**2) for each, size in zip((a, b), sizes, strict=True)
    ]
    spare = sum(part**2 / max(size - 1, 1) for part, size in zip(parts, sizes, strict=True))
    return Test(turn * math.log(b.mean / a.mean), math.sqrt(sum(parts)), math.floor(sum(parts) ** 2 / spare))
