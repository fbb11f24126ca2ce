"""Do blocks influence each other? Two rank tests on the paired differences of one cell.

A drift of the level is harmless, because targets of a block run close together in random order. A drift of the
*difference* is not: credits, wear or compaction of one target carry over from block to block.

Both tests use ranks and the exact distribution over all orders (its normal approximation above 60 blocks), so that
they raise a false alarm in at most 1 of 100 cells whatever the noise is: one far block cannot make an effect.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from statistics import fmean, median, stdev
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plimsoll.stats.student_t import FloatArray, quantile

BoolArray = NDArray[np.bool_]

LEVEL = 0.01
"""Two-sided level of either test."""
FEWEST_PER_ORDER = 3
EXACT_UP_TO = 60
"""Values up to which all orders are counted; their numbers grow with the fourth power, and the normal law is near."""
_MOST_PAIRS = 2_000_000
"""Pairs of values that are looked at together, which bounds memory."""
SMALLEST_TOLD = 0.01
"""Log ratio; smaller effects are not worth a word even where they are certain."""
DISTURBED = 0.2
"""Share of the band from which on it matters that targets which alternate in slices change each other's rate."""


def drift(differences: Sequence[float]) -> float | None:
    """Change of the log ratio from the first to the last block, if it is significant; else None.

    Theil–Sen slope (Sen 1968), tested with Kendall's tau against the number of the block (Mann 1945). Below 6 blocks
    no order of the differences is rare enough.
    """
    values = np.asarray(differences, dtype=np.float64)
    earlier, later = _pairs(len(values))
    rises = values[later] - values[earlier]
    count = len(rises)
    rising = int(np.sign(rises).sum())
    if not count or _p_of_order(len(values), abs(rising)) > LEVEL:
        return None
    slope = median((rises / (later - earlier)).tolist())
    return _told(slope * (len(values) - 1))


def may_drift(rows: FloatArray) -> BoolArray:
    """Rows of differences, shape (series, blocks), in which `drift` may find one: its test for many series at once."""
    count = rows.shape[1]
    earlier, later = _pairs(count)
    at_once = max(1, _MOST_PAIRS // max(1, len(earlier)))
    parts = [rows[at : at + at_once] for at in range(0, len(rows), at_once)]
    rising = [abs(int(each)) for part in parts for each in np.sign(part[:, later] - part[:, earlier]).sum(axis=1)]
    rare = {each: len(earlier) > 0 and _p_of_order(count, each) <= LEVEL for each in set(rising)}
    return np.array([rare[each] for each in rising], dtype=bool)


def order_effect(differences: Sequence[float], baseline_first: Sequence[bool]) -> float | None:
    """How much better the other target looks, as a log ratio, when the baseline ran before it; None if not significant.

    Half of it would be the bias of every block if the order were not random. Median of all differences between the two
    groups (Hodges & Lehmann 1963), tested with Mann & Whitney's U (1947). With 5 blocks in each order, or 4 and 6, or
    3 and 9, the clearest separation is rare enough; with fewer none is.
    """
    values, first = np.asarray(differences, dtype=np.float64), np.asarray(baseline_first, dtype=bool)
    after, before = values[first], values[~first]
    if min(len(after), len(before)) < FEWEST_PER_ORDER:
        return None
    gaps = np.subtract.outer(after, before).ravel()
    leaning = abs(int(np.sign(gaps).sum()))
    if _p_of_groups(len(after), len(before), leaning) > LEVEL:
        return None
    return _told(median(gaps.tolist()))


class Neighbours(NamedTuple):
    """Log ratios of rates of one run in slices, by whose slice was right before; NaN where some had no operation."""

    after_other: float
    """After another target's slice, to after an own one."""
    after_own: float
    """After an own slice, to all."""


def neighbours_in(facts: Mapping[str, Any]) -> Neighbours | None:
    """Of a run with these facts, where it was made in slices. A result file may hold anything."""
    slices = facts.get("slices")
    if not isinstance(slices, Mapping) or not all(name in slices for name in Neighbours._fields):
        return None
    known = [value for name in Neighbours._fields if isinstance(value := slices[name], float) and math.isfinite(value)]
    return Neighbours(*known) if len(known) == len(Neighbours._fields) else Neighbours(math.nan, math.nan)


def disturbed(log_ratios: Sequence[float], least: float) -> float | None:
    """Mean of the blocks' log ratios, if it is certainly farther from zero than `least`; else None.

    Student's t: each value is a ratio of sums over many slices, whatever the noise of one slice is.
    """
    count = len(log_ratios)
    if count < FEWEST_PER_ORDER:
        return None
    center, error = fmean(log_ratios), stdev(log_ratios) / math.sqrt(count)
    return center if abs(center) - quantile(1 - LEVEL / 2, count - 1) * error > least else None


@lru_cache(maxsize=64)
def _pairs(count: int) -> Any:
    """Places of the earlier and of the later one in all pairs of `count` values."""
    return np.triu_indices(count, 1)


def _p_of_order(count: int, rising: int) -> float:
    """Two-sided p of so many more rising than falling pairs, or the reverse, among `count` values."""
    if count <= EXACT_UP_TO:
        return _tail(_inversions(count), (count * (count - 1) // 2 - rising) // 2)
    return _normal(rising, count * (count - 1) * (2 * count + 5) / 18)


def _p_of_groups(one: int, other: int, leaning: int) -> float:
    """Two-sided p of so many more pairs that lean one way than the other, between two groups."""
    if one + other <= EXACT_UP_TO:
        return _tail(_rank_sums(one, other), (one * other - leaning) // 2)
    return _normal(leaning, one * other * (one + other + 1) / 3)


def _normal(difference: int, variance: float) -> float:
    """Two-sided p of a difference of counts that moves in steps of 2."""
    return math.erfc(max(0, difference - 1) / math.sqrt(2 * variance))


def _told(effect: float) -> float | None:
    return effect if abs(effect) >= SMALLEST_TOLD else None


def _tail(ways: tuple[int, ...], reached: int) -> float:
    """Two-sided p of a statistic whose smaller side is `reached`; `ways` counts the orders that give each value."""
    return min(1.0, 2 * _below(ways)[reached] / _below(ways)[-1])


@lru_cache(maxsize=512)
def _below(ways: tuple[int, ...]) -> tuple[int, ...]:
    """Cumulative sums, one per entry of `ways`."""
    return tuple(accumulate(ways))


@lru_cache(maxsize=64)
def _inversions(count: int) -> tuple[int, ...]:
    """How many orders of `count` different values have 0, 1, 2, … pairs that fall."""
    ways = [1]
    for place in range(2, count + 1):
        ways = _times(ways, place)
    return tuple(ways)


@lru_cache(maxsize=256)
def _rank_sums(one: int, other: int) -> tuple[int, ...]:
    """How many ways of splitting different values into groups of `one` and `other` give U = 0, 1, 2, …

    The coefficients of the Gaussian binomial: the product of (1 − q^(other+i)) / (1 − q^i) over i from 1 to `one`.
    """
    ways = [1]
    for step in range(1, one + 1):
        ways = _divided(ways, other + step, step)
    return tuple(ways)


def _times(ways: list[int], terms: int) -> list[int]:
    """Times 1 + q + … + q^(terms − 1)."""
    return [sum(ways[max(0, at - terms + 1) : at + 1]) for at in range(len(ways) + terms - 1)]


def _divided(ways: list[int], raised: int, lowered: int) -> list[int]:
    """Times (1 − q^raised) / (1 − q^lowered), where that is a polynomial."""
    found: list[int] = []
    for at in range(len(ways) + raised - lowered):
        value = ways[at] if at < len(ways) else 0
        value -= ways[at - raised] if 0 <= at - raised < len(ways) else 0
        found.append(value + (found[at - lowered] if at >= lowered else 0))
    return found
