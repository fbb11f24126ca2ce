"""Axes of the charts: where a value lies, and round, labelled ticks in units that people read."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from plimsoll.units import format_duration, scale

LOG_FROM = 10.0
"""Values that differ more than this are drawn on a logarithmic axis."""

_RATIOS: tuple[tuple[float, ...], ...] = (
    (1, 1.1),
    (1, 1.25),
    (1, 1.5, 2),
    (1, 2, 5),
    (1, 3, 10, 30),
    (1, 10, 100, 1000),
)


@dataclass(frozen=True)
class Scale:
    """An axis: its domain, and its ticks (value, label)."""

    domain: tuple[float, float]
    ticks: tuple[tuple[float, str], ...]
    title: str = ""
    log: bool = False

    def place(self, value: float) -> float:
        """0 at the start of the domain, 1 at its end."""
        low, high = self.domain
        if self.log:
            return math.log(value / low) / math.log(high / low)
        return (value - low) / (high - low)


def names(labels: Sequence[str], title: str = "", most: int = 0) -> Scale:
    """An axis of names at 0, 1, 2, …; with `most`, only so many get a label."""
    every = -(-len(labels) // most) if most else 1
    shown = tuple((float(i), label) for i, label in enumerate(labels) if i % every == 0)
    return Scale((-0.5, len(labels) - 0.5), shown, title)


def values(known: Iterable[float], unit: str) -> Scale:
    """From zero to a round number above the largest value; logarithmic where values differ more than tenfold."""
    finite = [value for value in known if math.isfinite(value)]
    top = max(finite, default=1.0)
    low = min(finite, default=0.0)
    if low > 0 and low * LOG_FROM < top:
        factor, name = scale(math.sqrt(low * top), unit)
        found = log_ticks(low / factor, top / factor)
        domain = (min(low, found[0] * factor), max(top, found[-1] * factor))
        return _labelled(domain, found, factor, f"{name}, logarithmic".lstrip(", "), log=True)
    factor, name = scale(top, unit)
    found = linear_ticks((top if top > 0 else 1.0) / factor)
    return _labelled((0.0, found[-1] * factor), found, factor, name, log=False)


def _labelled(domain: tuple[float, float], ticks: Sequence[float], factor: float, title: str, *, log: bool) -> Scale:
    return Scale(domain, tuple((tick * factor, f"{tick:,.6g}") for tick in ticks), title, log)


def times(low_ns: float, high_ns: float) -> Scale:
    """A logarithmic axis of durations, each label with its own unit."""
    low, high = max(1.0, low_ns), max(1.0, high_ns) * 1.0001
    found = log_ticks(low, high)
    return Scale((found[0], max(high, found[-1])), tuple((tick, format_duration(tick)) for tick in found), "", log=True)


def seconds(last: float) -> Scale:
    """Time since the start, ending with the data."""
    found = linear_ticks(last)
    return Scale((0.0, last), tuple((tick, f"{tick:,.6g}") for tick in found if tick <= last * 1.0001), "seconds")


def linear_ticks(top: float, count: int = 4) -> tuple[float, ...]:
    """0 and round steps up to at least `top` > 0."""
    raw = top / count
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= raw * 0.999)
    return tuple(float(f"{step * i:.6g}") for i in range(math.ceil(top / step * 0.9999) + 1))


def log_ticks(low: float, high: float) -> tuple[float, ...]:
    """Round numbers from at most `low` to at least `high`, both > 0: 1-2-5 in few decades, powers of ten in many."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    span = math.log10(high / low)
    steps: tuple[int, ...] = (1, 2, 5) if span <= 1.7 else (1, 3) if span <= 3 else (1,)
    every = 1 if span <= 6 else 2
    ticks = [float(f"{step * 10.0**power:.6g}") for power in range(first, last + every, every) for step in steps]
    start = max((i for i, tick in enumerate(ticks) if tick <= low), default=0)
    end = next((i for i, tick in enumerate(ticks) if tick >= high), len(ticks) - 1)
    return tuple(ticks[start : max(end, start + 1) + 1])


def ratio_ticks(low: float, high: float) -> tuple[tuple[float, str], ...]:
    """Round ratios around 1 with labels such as `2×`, few enough for a narrow axis."""
    reach = max(high, 1 / low)
    steps = next((steps for steps in _RATIOS if reach <= steps[-1] * 1.6), None)
    if steps is None:
        power = math.ceil(math.log10(reach) / 3)
        steps = tuple(10.0 ** (power * i) for i in range(4))
    found = (*(1 / step for step in steps[:0:-1]), *steps)
    return tuple((tick, f"{tick:,.2g}×" if tick < 100 else f"{tick:,.0f}×") for tick in found if low <= tick <= high)
