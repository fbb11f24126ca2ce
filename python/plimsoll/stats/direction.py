"""Ratios with their direction in words, so that nobody has to know whether less is better."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from plimsoll.stats.digits import with_interval
from plimsoll.stats.paired import Cell
from plimsoll.stats.ratio_text import levels_told, ratio_text


class Words(NamedTuple):
    """How the ratio of a metric is said: `is` 0.98× `as fast`."""

    verb: str
    manner: str


def is_rate(cell: Cell) -> bool:
    """Whether more of it is faster."""
    return cell.direction == "higher" and cell.unit in ("1/s", "B/s")


def is_time(cell: Cell) -> bool:
    """Whether less of it is faster."""
    return cell.direction == "lower" and cell.unit == "ns"


def words(cell: Cell) -> Words:
    """Where a ratio stands for both directions: `is 0.98× as fast`, `takes 1.20× as long`, `is 1.10× as high`."""
    if is_rate(cell):
        return Words("is", "as fast")
    return Words("takes", "as long") if is_time(cell) else Words("is", "as high")


def directed(cell: Cell, ratio: float) -> str:
    """`1.80× faster`, `3.20× as long`, `1.10× as high`; `ratio` is that of the metric as measured."""
    if is_rate(cell):
        return f"{ratio_text(ratio)} faster" if ratio >= 1 else f"{ratio_text(1 / ratio)} slower"
    return f"{ratio_text(ratio)} {words(cell).manner}"


def directed_ends(cell: Cell) -> tuple[float | None, float | None]:
    """The interval of the ratio in the direction in which `directed` says it."""
    found = cell.verdict
    if is_slower(cell) and found.ratio_low and found.ratio_high:
        return 1 / found.ratio_high, 1 / found.ratio_low
    return found.ratio_low, found.ratio_high


def decided(cell: Cell) -> str:
    """The same of a decided comparison, with as many digits as its interval supports: as its sentence has it."""
    ratio = cell.verdict.ratio
    assert ratio is not None
    low, high = directed_ends(cell)
    told, _ = with_interval(low, 1 / ratio if is_slower(cell) else ratio, high)
    if is_rate(cell):
        return f"{told} {'slower' if is_slower(cell) else 'faster'}"
    return f"{told} {words(cell).manner}"


def is_slower(cell: Cell) -> bool:
    """Whether `directed` turns the ratio over."""
    return is_rate(cell) and cell.verdict.ratio is not None and cell.verdict.ratio < 1


def difference(cell: Cell, lasting: str = "") -> str:
    """`gp3 is 1.80× faster than gp2 (1.70…1.90)`, `gp3 takes 3.2× as long as gp2 (2.9…3.5)`: of a decided comparison.

    `lasting` follows: for how long this holds.
    """
    ratio = cell.verdict.ratio
    if levels_told(cell) or ratio is None:
        return f"{cell.target} {_comparative(cell)} {cell.baseline}{lasting}: {levels_in_words(cell)}"
    low, high = directed_ends(cell)
    if not is_rate(cell):
        return relation(cell, lasting)
    told, interval = with_interval(low, 1 / ratio if is_slower(cell) else ratio, high)
    word = "slower" if is_slower(cell) else "faster"
    return f"{cell.target} is {told} {word} than {cell.baseline}{interval}{lasting}"


def relation(cell: Cell, lasting: str = "") -> str:
    """`gp3 is 1.02× as fast as gp2 (0.98…1.06)`: where it is not decided on which side of 1 the ratio lies."""
    found, (verb, manner) = cell.verdict, words(cell)
    if told := levels_in_words(cell):
        return f"{cell.target} against {cell.baseline}{lasting}: {told}"
    if found.ratio is None:
        return f"{cell.target} and {cell.baseline} have no ratio"
    told, interval = with_interval(found.ratio_low, found.ratio, found.ratio_high)
    return f"{cell.target} {verb} {told} {manner} as {cell.baseline}{interval}{lasting}"


def level(cell: Cell) -> str:
    """The same without names: `1.02× as fast (0.98…1.06)`."""
    found = cell.verdict
    if levels_told(cell) or found.ratio is None:
        return levels_in_words(cell)
    told, interval = with_interval(found.ratio_low, found.ratio, found.ratio_high)
    return f"{told} {words(cell).manner}{interval}"


def levels_in_words(cell: Cell) -> str:
    """`1.00× as fast until block 33, 0.030× from block 34 on`; empty where there is one ratio."""
    return levels_told(cell).replace("×", f"× {words(cell).manner}", 1)


def _comparative(cell: Cell) -> str:
    """`is faster than` for rates, `takes longer than` for times, else `is higher than`."""
    higher = (cell.verdict.answer.value == "better") == (cell.direction == "higher")
    if is_rate(cell):
        return "is faster than" if higher else "is slower than"
    if is_time(cell):
        return "takes longer than" if higher else "takes less time than"
    return f"is {'higher' if higher else 'lower'} than"


def factor(ratio: float) -> float:
    """By how much two values differ, whichever is larger: 1 or more."""
    return max(ratio, 1 / ratio)


def manner(cells: Sequence[Cell]) -> tuple[str, str]:
    """What a target is that is better, and one that is worse, in all of these."""
    if all(is_rate(cell) or is_time(cell) for cell in cells):
        return "faster", "slower"
    return "better", "worse"
