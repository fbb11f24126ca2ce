"""Ratios with their direction in words, so that nobody has to know whether less is better."""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.report.labels import ratio_text
from plimsoll.stats.paired import Cell


def is_rate(cell: Cell) -> bool:
    """Whether more of it is faster."""
    return cell.direction == "higher" and cell.unit in ("1/s", "B/s")


def is_time(cell: Cell) -> bool:
    """Whether less of it is faster."""
    return cell.direction == "lower" and cell.unit == "ns"


def directed(cell: Cell, ratio: float) -> str:
    """`1.80× faster`, `3.20× as long`, `1.10× as high`."""
    if is_rate(cell):
        return f"{ratio_text(ratio)} faster" if ratio >= 1 else f"{ratio_text(1 / ratio)} slower"
    return f"{ratio_text(ratio)} as {'long' if is_time(cell) else 'high'}"


def factor(ratio: float) -> float:
    """By how much two values differ, whichever is larger: 1 or more."""
    return max(ratio, 1 / ratio)


def manner(cells: Sequence[Cell]) -> tuple[str, str]:
    """What a target is that is better, and one that is worse, in all of these."""
    if all(map(is_rate, cells)):
        return "faster", "slower"
    return ("quicker", "slower") if all(map(is_time, cells)) else ("better", "worse")
