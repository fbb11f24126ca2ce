"""Numbers as people read them, rounded to what their interval supports."""

from __future__ import annotations

import math

from plimsoll.stats.sentences import wide_open
from plimsoll.units import (
    MINUTE,
    format_number,
    format_value,
    scale,
    significant,
)


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


def ratio_text(ratio: float | None) -> str:
    """`1.31×`, `0.082×`, `31×`; n/a without one."""
    if ratio is None or not math.isfinite(ratio):
        return "n/a"
    if 0.1 <= ratio < 10:
        return f"{ratio:.2f}×"
    return f"{ratio:,.0f}×" if ratio >= 100 else f"{significant(ratio)}×"


def ratio_interval_text(low: float | None, middle: float | None, high: float | None) -> str:
    """`0.29×…0.33×`; `wide open` where the ends would say nothing."""
    if low is not None and middle is not None and high is not None and wide_open(low, middle, high):
        return "wide open"
    return f"{ratio_text(low)}…{ratio_text(high)}"


def percent_text(share: float) -> str:
    """0.1 → `10 %`."""
    return f"{format_number(round(share * 100, 3))} %"


def count_text(count: int, singular: str, plural: str = "") -> str:
    """`1 run`, `3 runs`, `1,200 runs`."""
    return f"{count:,} {singular if count == 1 else plural or singular + 's'}"
