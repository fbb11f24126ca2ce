"""Numbers as people read them, rounded to what their interval supports."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from plimsoll.stats.digits import in_columns, wide_open
from plimsoll.stats.direction import decided, directed_ends, ends, words
from plimsoll.stats.paired import Cell
from plimsoll.stats.verdict import Answer
from plimsoll.units import (
    MINUTE,
    format_number,
    format_value,
    scale,
)

LONG_START = 8
"""Characters of what names share, from which on saying it once is shorter."""
_WORD_ENDS = re.compile(r"[\s/:_-]+")


def rounded(value: float, half_width: float | None) -> float:
    """`value` rounded to the second significant digit of the half-width of its interval."""
    if half_width is None or not math.isfinite(half_width) or half_width <= 0 or value == 0:
        return value
    digits = 1 - math.floor(math.log10(half_width))
    # Never fewer than two digits of the value itself: 12 ± 40 is not "0".
    digits = max(digits, 1 - math.floor(math.log10(abs(value))))
    return round(value, digits)


def score_text(value: float, unit: str, low: float | None = None, high: float | None = None) -> str:
    """A score without digits that its interval does not support."""
    return format_value(rounded(value, None if low is None or high is None else (high - low) / 2), unit)


def interval_text(low: float | None, high: float | None, unit: str, value: float | None = None) -> str:
    """Interval of an estimate `value`: `117,000…119,000/s`, or `wide open` where its ends would say nothing."""
    if low is None or high is None:
        return "one run: none"
    if 0 < low <= high < math.inf and wide_open(low, math.sqrt(low) * math.sqrt(high), high):
        return "wide open"
    return range_text(low, high, unit, value)


def range_text(low: float, high: float, unit: str, value: float | None = None) -> str:
    """`899…1,080 µs`: both ends in the unit in which `value` is written, or without one in that of the upper end."""
    half = (high - low) / 2
    shown = high if value is None else rounded(value, half)
    if unit == "ns" and abs(shown) >= 2 * MINUTE:
        return "…".join(format_value(rounded(end, half), unit) for end in (low, high))
    factor, name = scale(shown, unit) if unit != "1/s" else (1.0, "/s")
    ends = [_plain(rounded(end, half) / factor) for end in (low, high)]
    return "…".join(ends) + (name if name.startswith("/") or not name else f" {name}")


def _plain(value: float) -> str:
    return format_number(float(f"{value:.4g}")) if abs(value) < 1000 else f"{value:,.0f}"


def ratio_in_words(cell: Cell) -> tuple[str, str]:
    """The ratio of a comparison and its interval: `1.80× faster`, `1.70×…1.90×`; undecided ones `1.02× as fast`."""
    found = cell.verdict
    if found.ratio is None:
        return in_columns(None, None, None)
    if not found.decided or found.answer is Answer.SAME:
        told, interval = in_columns(*ends(cell))
        return f"{told} {words(cell).manner}", interval
    return " ".join(decided(cell)), in_columns(*directed_ends(cell))[1]


def percent_text(share: float) -> str:
    """0.1 → `10 %`."""
    return f"{format_number(round(share * 100, 3))} %"


def common_start(names: Sequence[str], least: int = LONG_START) -> str:
    """Whole words with which all of several names begin, so that they can be said once; empty where they are short.

    Something is left of every name; what they share has at least so many characters.
    """
    if len(set(names)) < 2:
        return ""
    shortest = min(names, key=len)
    ends = [match.end() for match in _WORD_ENDS.finditer(shortest)]
    end = max((end for end in ends if all(name.startswith(shortest[:end]) for name in names)), default=0)
    return shortest[:end] if least <= end < len(shortest) else ""


def count_text(count: int, singular: str, plural: str = "") -> str:
    """`1 run`, `3 runs`, `1,200 runs`."""
    return f"{count:,} {singular if count == 1 else plural or singular + 's'}"
