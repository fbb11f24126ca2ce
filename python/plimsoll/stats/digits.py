"""Digits of ratios: as many as their interval supports."""

from __future__ import annotations

import math
from decimal import Decimal

WIDE_OPEN = 100.0
"""An interval that reaches this many times below or above its middle says nothing, and its ends say less."""


def with_interval(low: float | None, middle: float, high: float | None) -> tuple[str, str]:
    """`0.31×` and ` (0.29…0.33)` of a ratio above 0, rounded to the width of the interval.

    The interval is ` (wide open)` where its ends would say nothing, and empty where there is none.
    """
    if low is None or high is None:
        return f"{_two_digits(middle)}×", ""
    if wide_open(low, middle, high):
        return f"{_two_digits(middle)}×", " (wide open)"
    told = _alike(low, middle, high)
    return f"{told[1]}×", f" ({told[0]}…{told[2]})"


def in_columns(low: float | None, middle: float | None, high: float | None) -> tuple[str, str]:
    """The same as a table has it: `0.31×` and `0.29×…0.33×`, `n/a` for what there is not."""
    if middle is None:
        return "n/a", "n/a"
    told, interval = with_interval(low, middle, high)
    return told, interval.strip(" ()").replace("…", "×…") + ("×" if "…" in interval else "") or "n/a"


def _alike(low: float, middle: float, high: float) -> list[str]:
    """Low end, middle and high end with as many decimals as the width of the interval supports."""
    common = decimals((high - low) / 2)
    # At least two digits of each number: the ends of a wide interval still tell how wide it is.
    numbers = (low, middle, high)
    places = [max(common, 1 - math.floor(math.log10(x))) for x in numbers]
    if low > 1 or high < 1:
        places = [_beside_one(x, most) for x, most in zip(numbers, places, strict=True)]
    return [rounded(x, most) for x, most in zip(numbers, places, strict=True)]


def _beside_one(value: float, places: int) -> int:
    """As many decimals as it takes to see on which side of 1 a ratio lies: that is what a verdict goes by."""
    return (
        next((more for more in range(places, 6) if round(value, more) != 1), places)
        if abs(value - 1) > 1e-6
        else places
    )


def three_digits(value: float) -> str:
    """`1.31×`, `31.0×`, `1,234×` of a ratio of at least 1, with zeros at the end: neighbours have as many digits."""
    return f"{value:,.{2 if value < 9.995 else 1 if value < 99.95 else 0}f}×"


def _two_digits(value: float) -> str:
    """`0.31`, `12`, `2,300`, `0.000067`: digits, where `g` alone would write 2.3e+03 and 6.7e-05."""
    return f"{Decimal(f'{value:.2g}'):,f}"


def wide_open(low: float, middle: float, high: float) -> bool:
    """Whether the interval of a ratio is too wide for its ends to be worth printing."""
    return low * WIDE_OPEN < middle or high > middle * WIDE_OPEN


def decimals(half_width: float) -> int:
    """Decimals that leave 2 to 20 units of the last digit in the half-width of an interval; may be negative."""
    return min(6, math.ceil(math.log10(2 / half_width) - 1e-9)) if half_width > 0 else 6


def rounded(value: float, digits: int) -> str:
    """`value` with so many decimals; negative ones round to tens, hundreds and so on."""
    return f"{round(value, digits):,.{max(0, digits)}f}"
