"""Ratios with their direction in words, so that nobody has to know whether less is better.

Rates and times have one vocabulary: of times the ratio is inverted, so that above 1 is faster and below 1 slower. What
is neither, such as a size, is higher or lower.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple, Protocol

from plimsoll.stats.digits import three_digits, with_interval
from plimsoll.stats.paired import Cell
from plimsoll.stats.ratio_text import levels_told
from plimsoll.stats.verdict import Verdict


class Measured(Protocol):
    """What has a unit, and a direction in which it is better."""

    @property
    def unit(self) -> str:
        """Base unit."""

    @property
    def direction(self) -> str:
        """`higher` or `lower`."""


class Words(NamedTuple):
    """How the ratio of a metric is said: 0.98× `as fast`, 1.80× `faster`, 2.10× `slower`."""

    manner: str
    more: str
    less: str


class Ends(NamedTuple):
    """A ratio within its interval, which is None where there is none."""

    low: float | None
    middle: float
    high: float | None

    @property
    def inverted(self) -> Ends:
        """Of the other direction."""
        # An interval that is wide open may reach to where numbers end.
        low, high = (None if end is None else 1 / end if end else math.inf for end in (self.high, self.low))
        return Ends(low, 1 / self.middle, high)


_SPEED = Words("as fast", "faster", "slower")
_HEIGHT = Words("as high", "higher", "lower")


def is_rate(measured: Measured) -> bool:
    """Whether more of it is faster."""
    return measured.direction == "higher" and measured.unit in ("1/s", "B/s")


def is_time(measured: Measured) -> bool:
    """Whether less of it is faster."""
    return measured.direction == "lower" and measured.unit == "ns"


def said(measured: Measured, ratio: float) -> float:
    """A ratio as measured on the scale on which it is said: of times inverted, so that above 1 is faster."""
    return 1 / ratio if is_time(measured) else ratio


def words(measured: Measured) -> Words:
    """Those of speed for rates and times, else those of height."""
    return _SPEED if is_rate(measured) or is_time(measured) else _HEIGHT


def directed(measured: Measured, ratio: float) -> str:
    """`1.80× faster`, `3.20× slower`, `1.10× higher`; `ratio` is that of the metric as measured."""
    told = said(measured, ratio)
    return f"{three_digits(factor(told))} {_word(measured, told)}"


def ends(cell: Cell, at: Verdict | None = None) -> Ends:
    """The ratio of a comparison that has one, on the scale on which it is said; `at` is an earlier look at it."""
    found = cell.verdict if at is None else at
    assert found.ratio is not None  # whoever calls has looked
    measured = Ends(found.ratio_low, found.ratio, found.ratio_high)
    return measured.inverted if is_time(cell) else measured


def directed_ends(cell: Cell) -> Ends:
    """The same in the direction in which `directed` says it: the ratio is at least 1."""
    found = ends(cell)
    return found.inverted if found.middle < 1 else found


def decided(cell: Cell) -> tuple[str, str]:
    """`3.2×` and `slower` of a decided comparison, with the digits that its sentence has: those of the interval."""
    told, _ = with_interval(*directed_ends(cell))
    return told, _word(cell, ends(cell).middle)


def difference(cell: Cell, lasting: str = "") -> str:
    """`gp3 is 1.80× faster than gp2 (1.70…1.90)`: of a decided comparison.

    `lasting` follows: for how long this holds.
    """
    if levels_told(cell) or cell.verdict.ratio is None:
        return f"{cell.target} is {_comparative(cell)} than {cell.baseline}{lasting}: {levels_in_words(cell)}"
    told, interval = with_interval(*directed_ends(cell))
    return f"{cell.target} is {told} {_word(cell, ends(cell).middle)} than {cell.baseline}{interval}{lasting}"


def relation(cell: Cell, lasting: str = "") -> str:
    """`gp3 is 1.02× as fast as gp2 (0.98…1.06)`: where it is not decided on which side of 1 the ratio lies."""
    if told := levels_in_words(cell):
        return f"{cell.target} against {cell.baseline}{lasting}: {told}"
    if cell.verdict.ratio is None:
        return f"{cell.target} and {cell.baseline} have no ratio"
    told, interval = with_interval(*ends(cell))
    return f"{cell.target} is {told} {words(cell).manner} as {cell.baseline}{interval}{lasting}"


def level(cell: Cell) -> str:
    """The same without names: `1.02× as fast (0.98…1.06)`."""
    if levels_told(cell) or cell.verdict.ratio is None:
        return levels_in_words(cell)
    told, interval = with_interval(*ends(cell))
    return f"{told} {words(cell).manner}{interval}"


def levels_in_words(cell: Cell) -> str:
    """`1.00× as fast until block 33, 0.030× from block 34 on`; empty where there is one ratio."""
    return levels_told(cell, partial(said, cell)).replace("×", f"× {words(cell).manner}", 1)


def _word(measured: Measured, told: float) -> str:
    """`faster` for 1 or more on the scale on which ratios are said, `slower` below."""
    return words(measured).more if told >= 1 else words(measured).less


def _comparative(cell: Cell) -> str:
    """`faster` of rates and times that are better, else `higher` or `lower`."""
    better = cell.verdict.answer.value == "better"
    if words(cell) is _SPEED:
        return _SPEED.more if better else _SPEED.less
    return _HEIGHT.more if better == (cell.direction == "higher") else _HEIGHT.less


def factor(ratio: float) -> float:
    """By how much two values differ, whichever is larger: 1 or more."""
    return max(ratio, 1 / ratio)


def manner(cells: Sequence[Cell]) -> tuple[str, str]:
    """What a target is that is better, and one that is worse, in all of these."""
    if all(words(cell) is _SPEED for cell in cells):
        return _SPEED.more, _SPEED.less
    return "better", "worse"
