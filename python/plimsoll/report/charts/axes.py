"""Axes that Vega has no words for: durations with a unit each, and round steps on logarithmic ones."""

from __future__ import annotations

import math
from collections.abc import Iterable

from plimsoll.report.charts.vega import Spec
from plimsoll.units import scale

LOG_FROM = 10.0
"""Values that differ more than this are drawn on a logarithmic axis."""
LOGARITHM = "logarithm"
"""The parameter of a chart whose vertical axis can be switched; pages have a checkbox for it."""


def spread(values: Iterable[float]) -> bool:
    """Whether values are told apart on a logarithmic axis only."""
    known = list(values)
    return bool(known) and 0 < min(known) * LOG_FROM < max(known)


def switched(*, on: bool) -> Spec:
    """The parameter that makes the vertical axis logarithmic, which it is at first if `on`."""
    return {"name": LOGARITHM, "value": on}


def log_ticks(low: float, high: float) -> list[float]:
    """Round numbers from at most `low` to at least `high`, both > 0: 1-2-5 in few decades, powers of ten in many."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    span = math.log10(high / low)
    steps: tuple[int, ...] = (1, 2, 5) if span <= 1.7 else (1, 3) if span <= 3 else (1,)
    every = 1 if span <= 6 else 2
    ticks = [float(f"{step * 10.0**power:.6g}") for power in range(first, last + every, every) for step in steps]
    start = max((i for i, tick in enumerate(ticks) if tick <= low), default=0)
    end = next((i for i, tick in enumerate(ticks) if tick >= high), len(ticks) - 1)
    return ticks[start : max(end, start + 1) + 1]


def duration_words(value: str) -> str:
    """The expression that writes a number of nanoseconds, given as an expression, as people do: `1.2 ms`."""
    steps = ((1e3, 1, "ns"), (1e6, 1e3, "µs"), (1e9, 1e6, "ms"))
    chosen = "".join(
        f"{value} < {below:g} ? format({value} / {unit:g}, ',.3~r') + ' {name}' : " for below, unit, name in steps
    )
    return f"({chosen}format({value} / 1e9, ',.3~r') + ' s')"


def named(upright: Spec, otherwise: str = "value") -> str:
    """What an axis shows, in which unit; of which kind it is says nothing of a single value."""
    return str(upright["title"] or "").removesuffix("logarithmic").removesuffix(", ") or otherwise


def durations(field: str, values: Iterable[float], title: str) -> Spec:
    """A vertical axis of durations in ns, logarithmic from the first round number below to the first above them all."""
    known = [max(1.0, value) for value in values if math.isfinite(value)]
    low, high = min(known, default=1e3), max(known, default=1e6)
    ticks = log_ticks(low, high * 1.0001)
    return {
        "field": field,
        "type": "quantitative",
        "title": f"{title}, logarithmic",
        "scale": {"type": "log", "domain": [ticks[0], max(high, ticks[-1])], "nice": False},
        "axis": {"values": ticks, "labelExpr": duration_words("datum.value")},
    }


def rates(field: str, values: Iterable[float], unit: str, what: str = "") -> tuple[float, Spec]:
    """How many base units one on the axis is, and the axis: from zero, or logarithmic where values differ a lot."""
    known = [value for value in values if math.isfinite(value)] or [1.0]
    logarithmic = spread(known)
    factor, name = scale(math.sqrt(min(known) * max(known)) if logarithmic else max(known), unit)
    words = ", ".join(word for word in (what, name, "logarithmic" if logarithmic else "") if word)
    kind: Spec = {"type": "log"} if logarithmic else {"zero": True}
    axis = {"field": field, "type": "quantitative", "title": words or None, "scale": kind, "axis": {"tickCount": 4}}
    return factor, axis
