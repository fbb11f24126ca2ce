"""Many comparisons at once: p-values that know of the looks, corrections, and what may be said in a summary."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from plimsoll.stats.policy import ADJUSTED_LEVELS, ALPHA
from plimsoll.stats.verdict import Verdict

FALSE_DISCOVERY_RATE = 0.05
"""Share of false claims that summary sentences may contain on average."""


def sequential_p(nominal: float, *, direction: bool) -> float:
    """P(smallest nominal p over all looks ≤ `nominal`) if nothing is there: a p-value that pays for the peeking.

    From the simulated table, straight lines between the logs; below the table in proportion, above it to (1, 1).
    `direction` tells the two-sided test of a direction from the one-sided tests of sameness.
    """
    column = 1 if direction else 2
    points = [(row[column], row[0]) for row in ADJUSTED_LEVELS] + [(1.0, 1.0)]
    if nominal <= points[0][0]:
        return nominal * points[0][1] / points[0][0]
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        if nominal <= x1:
            share = math.log(nominal / x0) / math.log(x1 / x0)
            return math.exp(math.log(y0) + share * math.log(y1 / y0))
    return 1.0


def p_value(verdict: Verdict) -> float:
    """The p-value of the stronger of the two claims, direction or sameness, over all looks so far."""
    if verdict.levels is not None:
        by_direction, by_sameness = verdict.levels
        return min(1.0, ALPHA * min(verdict.p_direction / by_direction, verdict.p_same / by_sameness))
    return min(sequential_p(verdict.p_direction, direction=True), sequential_p(verdict.p_same, direction=False))


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values of Benjamini & Hochberg (1995): expected share of false claims ≤ q among those with p ≤ q."""
    count, smallest = len(p_values), 1.0
    adjusted = [1.0] * count
    for rank, index in zip(
        range(count, 0, -1), sorted(range(count), key=p_values.__getitem__, reverse=True), strict=True
    ):
        smallest = min(smallest, count / rank * p_values[index])
        adjusted[index] = smallest
    return adjusted


def surviving(verdicts: Sequence[Verdict], q: float = FALSE_DISCOVERY_RATE) -> list[bool]:
    """Which verdicts may enter a summary sentence such as "wins 12 of 20": decided, and kept by Benjamini-Hochberg."""
    adjusted = benjamini_hochberg([p_value(verdict) for verdict in verdicts])
    return [verdict.decided and p <= q for verdict, p in zip(verdicts, adjusted, strict=True)]


def expected_false(comparisons: int, alpha: float = ALPHA) -> float:
    """Largest expected number of false verdicts among so many comparisons."""
    return comparisons * alpha


def footer(verdicts: Sequence[Verdict], *, corrected: bool = True) -> str:
    """The sentence below a table of verdicts; `corrected` also tells what outlives a correction for their number."""
    count = len(verdicts)
    decided = sum(verdict.decided for verdict in verdicts)
    if not decided:
        return "No comparison is decided." if count < 2 else f"0 of {count} comparisons decided."
    if count < 2:
        return f"The verdict is false with probability at most {ALPHA * 100:.0f} %."
    held = _held(decided, sum(surviving(verdicts)), count) if corrected else ""
    return (
        f"{decided} of {count} comparisons decided. Each is false with probability at most {ALPHA * 100:.0f} %, "
        f"so expect at most {expected_false(count):.1f} false ones{held}."
    )


def _held(decided: int, kept: int, count: int) -> str:
    """How many of the verdicts outlive the correction; the others say so in their own lines."""
    if not decided:
        return ""
    share = f"false discovery rate {FALSE_DISCOVERY_RATE * 100:.0f} %"
    if not kept:
        which = "it does not stay" if decided == 1 else "none stays"
    elif kept == decided:
        which = "it stays" if decided == 1 else "all stay"
    else:
        which = f"{kept} of the {decided} stay{'s' if kept == 1 else ''}"
    return f"; {which} significant after correction for {count} comparisons ({share})"
