"""One number for many tests, and the test that it hides."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from plimsoll.report.labels import count_text
from plimsoll.report.marks import mark
from plimsoll.report.memory import NOT_THE_DISK, is_memory
from plimsoll.stats.digits import with_interval
from plimsoll.stats.direction import decided, is_time, manner
from plimsoll.stats.paired import Cell
from plimsoll.stats.policy import trim_count
from plimsoll.stats.ratio_text import levels_told
from plimsoll.stats.summary import SuiteScore, suite_score

FEWEST_CASES = 2
MOST_NAMED = 8


@dataclass(frozen=True)
class Suite:
    """The deciding metrics of several cases on one target, put together."""

    target: str
    baseline: str
    score: SuiteScore
    """How many times as good as the baseline; of latencies the ratio is inverted."""
    cells: tuple[Cell, ...]
    """What it covers: one comparison of each case."""
    left_out: tuple[tuple[str, str], ...]
    """Cases that it does not cover, and why."""

    @property
    def worst(self) -> Cell:
        """The case in which the target does worst."""
        return min(self.cells, key=_estimate)

    @property
    def worst_ratio(self) -> float:
        """How many times as good as the baseline that is."""
        return math.exp(_estimate(self.worst))

    @property
    def sentence(self) -> str:
        """The number, what it covers, and the case that it hides."""
        score = self.score
        turned = ", latency ratios inverted" if any(map(is_time, self.cells)) else ""
        told = (
            f"Over {count_text(score.tests, 'case')}, {self.target} is {self._mean()}: the geometric mean of "
            f"{_listed([cell.case for cell in self.cells])}{turned}; the worst is {self.worst.case} "
            f"({' '.join(decided(self.worst))}). It is a summary, not a verdict: a mean of ratios can hide the one "
            "test that matters"
        )
        why = "; ".join(f"{case}: {reason}" for case, reason in self.left_out[:MOST_NAMED])
        return f"{told}. Not in it: {why}." if why else f"{told}."

    def _mean(self) -> str:
        """`1.80× faster than gp2 (1.71…1.90)`; `1.000× as fast as gp2 (0.997…1.004)`."""
        score = self.score
        better, worse = manner(self.cells)
        if score.low <= 1 <= score.high:
            told, interval = with_interval(score.low, score.ratio, score.high)
            return f"{told} as {'fast' if better == 'faster' else 'good'} as {self.baseline}{interval}"
        if score.ratio < 1:
            told, interval = with_interval(1 / score.high, 1 / score.ratio, 1 / score.low)
            return f"{told} {worse} than {self.baseline}{interval}"
        told, interval = with_interval(score.low, score.ratio, score.high)
        return f"{told} {better} than {self.baseline}{interval}"


def suites(cells: Sequence[Cell], deciding: Mapping[str, str]) -> list[Suite]:
    """A score for each pair of targets that several cases compare; `deciding` names the metric of each case."""
    pairs: dict[tuple[str, str], dict[str, Cell]] = {}
    for cell in cells:
        if deciding.get(cell.case) == cell.metric:
            pairs.setdefault((cell.target, cell.baseline), {}).setdefault(cell.case, cell)
    found = []
    for (target, baseline), by_case in pairs.items():
        reasons = {case: _unfit(cell) for case, cell in by_case.items()}
        fit = [cell for case, cell in by_case.items() if not reasons[case]]
        if len(fit) < FEWEST_CASES:
            continue
        score = suite_score(
            [_estimate(cell) for cell in fit],
            [cell.verdict.standard_error or 0.0 for cell in fit],
            [_degrees(cell) for cell in fit],
        )
        left_out = tuple((case, reason) for case, reason in reasons.items() if reason)
        found.append(Suite(target, baseline, score, tuple(fit), left_out))
    return found


def _unfit(cell: Cell) -> str:
    """Why a comparison must not enter a mean; empty if it may."""
    verdict, apart = cell.verdict, cell.apart
    reasons = (
        (apart is not None and apart.withheld, "no verdict"),
        (levels_told(cell), "its runs have no common score"),
        (verdict.estimate is None, "no ratio"),
        (apart is not None and apart.stated not in ("", "known"), "the number of runs is not stated"),
        (verdict.standard_error is None, "too few runs"),
        (verdict.contaminated, "a few blocks are far from the others"),
        (is_memory(cell), NOT_THE_DISK),
    )
    return next((reason for holds, reason in reasons if holds), mark(cell))


def _estimate(cell: Cell) -> float:
    return cell.verdict.estimate or 0.0


def _degrees(cell: Cell) -> int:
    """Degrees of freedom of the error of one comparison; of two sets at least those of the smaller one."""
    runs = cell.verdict.blocks_used
    return max(1, runs - 1 if cell.apart is not None else runs - 2 * trim_count(runs) - 1)


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more
