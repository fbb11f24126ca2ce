"""What several fresh allocations of two products say together.

Blocks of one session tell one pair of places apart, however many they are: another pair of the same products may
differ the other way. So here the unit is the allocation: each gives one log ratio, the mean of its blocks, and these
are judged by the same sequential rule as blocks of one session are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import fmean, variance
from typing import NamedTuple

import numpy as np

from plimsoll.model import POLICY_VERSION
from plimsoll.stats.chi_squared import quantile as chi_squared
from plimsoll.stats.paired import Cell, Pair
from plimsoll.stats.policy import LOOKS, Mode
from plimsoll.stats.student_t import quantile
from plimsoll.stats.verdict import judge_many

CONFIDENCE = 0.95
"""Of the interval of the spread and of where the next allocation lies."""
FEWEST = 2
"""One allocation is what every other comparison is about."""


class Allocation(NamedTuple):
    """One pair of places, from all sessions that ran there."""

    sessions: tuple[str, ...]
    difference: float
    """Mean log ratio of its blocks, positive where the other target is better."""
    blocks: int
    variance: float | None
    """Of the log ratios of its blocks; None of a single one."""


@dataclass(frozen=True)
class Spread:
    """Standard deviations of log ratios: between allocations beyond the noise of each, and of a block within one."""

    between: float
    low: float
    high: float
    """Interval of `between`."""
    within: float | None
    """None where every allocation has a single block."""


@dataclass(frozen=True)
class Product:
    """One comparison of two products; `cell` has the allocations in place of blocks."""

    cell: Cell
    allocations: tuple[Allocation, ...]

    @cached_property
    def spread(self) -> Spread | None:
        """By the method of moments; None below three allocations, whose spread says nothing."""
        return spread_of(self.allocations)

    @cached_property
    def next_ratio(self) -> tuple[float, float] | None:
        """Between which ratios, as measured, one further allocation would lie; None below three."""
        count = len(self.allocations)
        if count < LOOKS[0]:
            return None
        found = [each.difference for each in self.allocations]
        half = quantile((1 + CONFIDENCE) / 2, count - 1) * math.sqrt(variance(found) * (1 + 1 / count))
        turn = 1 if self.cell.direction == "higher" else -1
        low, high = sorted(math.exp(turn * (fmean(found) + sign * half)) for sign in (-1, 1))
        return low, high

    @property
    def is_enough(self) -> bool:
        """Whether there may be a verdict."""
        return len(self.allocations) >= LOOKS[0]


def products(
    cells: Sequence[Cell], allocation_of: Mapping[str, int], *, mode: Mode, policy: int = POLICY_VERSION
) -> list[Product]:
    """The comparisons of `cells` by allocation, without those that fewer than two have.

    `cells` has each comparison once, with the pairs of all sessions under the names of the products; `allocation_of`
    tells by session to which allocation its pairs belong, in the order in which they are looked at.
    """
    found = []
    for cell in cells:
        allocations = _allocations(cell.pairs, allocation_of)
        if len(allocations) < FEWEST:
            continue
        matrix = np.array([[each.difference for each in allocations]])
        (verdict,) = judge_many(matrix, band=cell.verdict.band, mode=mode, directions=[cell.direction], policy=policy)
        judged = replace(
            cell, pairs=(), verdict=verdict, notes=(), corrected=0, split=None, allocations=len(allocations)
        )
        found.append(Product(judged, allocations))
    return found


def spread_of(allocations: Sequence[Allocation]) -> Spread | None:
    """As `Product.spread`; the interval is that of Ting et al. (1990) without its cross terms."""
    count = len(allocations)
    if count < LOOKS[0]:
        return None
    scatter = variance(each.difference for each in allocations)
    within = _within(allocations)
    noise = 0.0 if within is None else within * fmean(1 / each.blocks for each in allocations)
    below, above = _reach(count - 1)
    noise_below, noise_above = _reach(sum(each.blocks - 1 for each in allocations))
    low = scatter - noise - math.hypot(below * scatter, noise_above * noise)
    high = scatter - noise + math.hypot(above * scatter, noise_below * noise)
    between, low, high = (math.sqrt(max(0.0, each)) for each in (scatter - noise, low, high))
    return Spread(between, low, high, None if within is None else math.sqrt(within))


def _reach(degrees: int) -> tuple[float, float]:
    """How far a variance of so many degrees of freedom reaches below and above its estimate, as shares of it."""
    if not degrees:
        return 0.0, 0.0
    tail = (1 - CONFIDENCE) / 2
    return 1 - degrees / chi_squared(1 - tail, degrees), degrees / chi_squared(tail, degrees) - 1


def _allocations(pairs: Sequence[Pair], allocation_of: Mapping[str, int]) -> tuple[Allocation, ...]:
    by_number: dict[int, list[Pair]] = {}
    for pair in pairs:
        by_number.setdefault(allocation_of[pair.session], []).append(pair)
    return tuple(
        Allocation(
            tuple(dict.fromkeys(pair.session for pair in each)),
            fmean(pair.difference for pair in each),
            len(each),
            variance(pair.difference for pair in each) if len(each) > 1 else None,
        )
        for _, each in sorted(by_number.items())
    )


def _within(allocations: Sequence[Allocation]) -> float | None:
    """Pooled variance of the blocks within allocations."""
    degrees = sum(each.blocks - 1 for each in allocations)
    if not degrees:
        return None
    return sum((each.blocks - 1) * each.variance for each in allocations if each.variance is not None) / degrees
