"""Ratios as text: one number, or what stands in its place where runs or blocks have none in common."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from plimsoll.stats.paired import Cell
from plimsoll.stats.repeats import PatternKind
from plimsoll.stats.summary import Split
from plimsoll.units import significant

_WORDS = {
    PatternKind.TREND: "a trend",
    PatternKind.GROUPS: "two groups",
    PatternKind.SERIAL: "neighbouring runs alike",
}


def ratio_text(ratio: float | None) -> str:
    """`1.31×`, `0.082×`, `31×`; n/a without one."""
    if ratio is None or not math.isfinite(ratio):
        return "n/a"
    if 0.1 <= ratio < 10:
        return f"{ratio:.2f}×"
    return f"{ratio:,.0f}×" if ratio >= 100 else f"{significant(ratio)}×"


def levels_told(cell: Cell, on_scale: Callable[[float], float] = float) -> str:
    """`1.00× until block 33, 0.030× from block 34 on`, `0.50…0.90× (a trend)`; empty where there is one ratio.

    Of the metric as measured, or as `on_scale` turns each of its ratios.
    """
    ratios = [on_scale(ratio) for ratio in drawn(cell)]
    if cell.split is not None:
        return _of_blocks(cell, cell.split, ratios)
    if cell.apart is None or not any(cell.apart.splits):
        return ""
    ours, theirs = cell.apart.splits
    if ours is not None and theirs is not None:
        return "no common ratio"
    return _of_runs(cell.target, theirs, ratios) if theirs is not None else _of_runs(cell.baseline, ours, ratios)


def drawn(cell: Cell) -> Sequence[float]:
    """The ratios that stand for a comparison without a common one: its levels, or the ends of its range."""
    if cell.split is not None:
        return _values(cell.split)
    ours, theirs = (None, None) if cell.apart is None else cell.apart.splits
    if cell.apart is None or (ours is None) == (theirs is None):
        return ()
    baseline, target = cell.apart.typical
    if theirs is not None:
        return [value / baseline for value in _values(theirs)]
    return [target / value for value in _values(ours)]


def _values(found: Split | None) -> Sequence[float]:
    if found is None:
        return ()
    return [level.value for level in found.levels] or [found.minimum, found.maximum]


def _of_blocks(cell: Cell, found: Split, ratios: Sequence[float]) -> str:
    if not found.levels:
        return _range(ratios, found)
    before, after = found.levels
    # Blocks of several sessions are numbered anew in each.
    alone = len({pair.session for pair in cell.pairs}) == 1
    ends = [cell.pairs[place].block + 1 if alone else place + 1 for place in (before.last, after.first)]
    what = "block" if alone else "pair"
    return f"{ratio_text(ratios[0])} until {what} {ends[0]}, {ratio_text(ratios[1])} from {what} {ends[1]} on"


def _of_runs(name: str, found: Split | None, ratios: Sequence[float]) -> str:
    if found is None:
        return ""
    if not found.levels:
        low, high = sorted(ratios)
        return f"{_ends(low, high)} ({_WORDS.get(found.kind, found.kind.value)} of {name})"
    before, after = found.levels
    until = f"with run 1 of {name}" if before.runs == 1 else f"with runs 1…{before.runs} of {name}"
    return f"{ratio_text(ratios[0])} {until}, {ratio_text(ratios[1])} from run {after.first + 1} on"


def _range(ratios: Sequence[float], found: Split) -> str:
    low, high = sorted(ratios)
    return f"{_ends(low, high)} ({_WORDS.get(found.kind, found.kind.value)})"


def _ends(low: float, high: float) -> str:
    return f"{ratio_text(low).removesuffix('×')}…{ratio_text(high)}"
