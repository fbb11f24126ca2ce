"""Pictures that only a server has: a score over months, latency as a heat map."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import pairwise

import numpy as np

from plimsoll import metrics
from plimsoll.report import scales
from plimsoll.report.canvas import Canvas
from plimsoll.report.document import Chart, Table, columns, number, phrase
from plimsoll.report.labels import count_text
from plimsoll.report.palette import HEAT, INK, ORANGE
from plimsoll.report.scales import Scale
from plimsoll.report.sections.environment import time_text
from plimsoll.stats.histogram import Histogram
from plimsoll.units import DAY, SECOND, format_value
from plimsoll.web.history import Level, Session

ROWS_PER_DECADE = 8
MOST_ROWS = 200
"""Rows of the table beside a chart over time; the newest are shown."""

SHARES = (1e-5, 1e-4, 1e-3, 1e-2, 0.05, 0.2)
"""Shares of the operations of a column at which the next colour begins."""

SHARE_NAMES = ("below 0.001 %", "from 0.001 %", "0.01 %", "0.1 %", "1 %", "5 %", "20 % of the operations")
_DAYS = (1, 2, 5, 7, 14, 30, 60, 90, 180, 365, 730, 1825, 3650)


def over_time(title: str, metric: str, unit: str, sessions: Sequence[Session], levels: Sequence[Level]) -> Chart:
    """A point per session with the span of its runs, and the levels."""
    shown = [each for each in sessions if each.valid and each.started_ns > 0]
    told = f"{metrics.title(metric)} of {count_text(len(shown), 'session')} over time"
    told += f"; {count_text(len(levels) - 1, 'change')} of level" if levels else ""
    rows = tuple(
        (
            phrase(time_text(each.started_ns)),
            phrase(untold_text(each, unit)) if each.pattern else number(each.value, unit),
            number(each.low, unit),
            number(each.high, unit),
            number(each.valid, "1"),
        )
        for each in shown[-MOST_ROWS:]
    )
    heads = columns("Session began", ">Median", ">Lowest", ">Highest", ">Valid runs")
    return Chart(
        id="over-time",
        title=title,
        description=told,
        data=Table(title, heads, rows),
        draw=partial(_draw_over_time, list(sessions), shown, list(levels), unit),
    )


def untold_text(each: Session, unit: str) -> str:
    """`3,631/s → 109/s (step)`, `trend`: what stands in place of a median."""
    levels = " → ".join(format_value(level, unit) for level in each.levels)
    return f"{levels} ({each.pattern})" if levels else each.pattern


def _draw_over_time(sessions: list[Session], shown: list[Session], levels: list[Level], unit: str) -> Canvas:
    times = [each.started_ns / DAY for each in shown]
    spread = [value for each in shown for value in (each.low, each.high) if value is not None]
    canvas = Canvas(dates(min(times), max(times)), scales.values(spread, unit))
    canvas.rules([((at, each.low or 0), (at, each.high or 0)) for at, each in zip(times, shown, strict=True)])
    for level in levels:
        ends = [sessions[place].started_ns / DAY for place in (level.first, level.last)]
        canvas.rules([((ends[0], level.value), (ends[1], level.value))], ORANGE, width=2.5)
    for place in dict.fromkeys(each.place for each in shown):
        own = [
            (at, value)
            for at, each in zip(times, shown, strict=True)
            if each.place == place
            for value in (each.levels or ([] if each.value is None else [each.value]))
        ]
        canvas.points(own, place)
    for at in [each.started_ns / DAY for each in sessions if each.event and each.started_ns > 0]:
        canvas.rules([((at, min(spread)), (at, max(spread)))], INK, width=1.2)
        canvas.above(at, "◆")
    for before, after in pairwise(levels):
        if any(each.event for each in sessions[before.last + 1 : after.first + 1]):
            continue
        canvas.above(sessions[after.first].started_ns / DAY, "▼" if after.value < before.value else "▲")
    return canvas


def dates(first_day: float, last_day: float) -> Scale:
    """An axis of days since 1970 with a few dates."""
    margin = max(0.5, (last_day - first_day) * 0.03)
    low, high = first_day - margin, last_day + margin
    step = next((days for days in _DAYS if (high - low) / days <= 4.5), _DAYS[-1])
    start = math.ceil(low / step) * step
    ticks = [float(start + step * i) for i in range(int((high - start) // step) + 1)]
    return Scale((low, high), tuple((tick, f"{_date(tick):%Y-%m-%d}") for tick in ticks))


def _date(days: float) -> datetime:
    return datetime.fromtimestamp(days * DAY / SECOND, UTC)


@dataclass(frozen=True)
class Column:
    """One column of a heat map."""

    label: str
    histogram: Histogram


def heat_map(name: str, title: str, found: Sequence[Column], axis: str = "") -> Chart:
    """Latency from bottom to top, one column per session or run, stronger in colour where more operations lie."""
    rows = tuple(
        (phrase(each.label), *(number(value, "ns") for value in each.histogram.percentiles().values()))
        for each in found
    )
    heads = columns("Column", ">p50", ">p90", ">p99", ">p99.9", ">max")
    slowest = max((each.histogram.max or 0 for each in found), default=0)
    return Chart(
        id=name,
        title=title,
        description=f"Latency of {count_text(len(found), 'column')}, up to {format_value(slowest, 'ns')}.",
        data=Table(title, heads, rows),
        draw=partial(_draw_heat, list(found), axis),
        series=SHARE_NAMES,
        symbols=tuple((colour, "square") for colour in HEAT),
    )


def _draw_heat(found: list[Column], axis: str) -> Canvas:
    used = [each.histogram for each in found if each.histogram.count]
    low = min((float(each.low[0]) for each in used), default=1.0)
    high = max((float(each.high[-1]) for each in used), default=1e6)
    first = math.floor(math.log10(max(1.0, low)) * ROWS_PER_DECADE)
    last = max(first + 1, math.ceil(math.log10(max(2.0, high)) * ROWS_PER_DECADE))
    edges = [10 ** (step / ROWS_PER_DECADE) for step in range(first, last + 1)]
    y = scales.times(edges[0], edges[-1])
    domain = (min(y.domain[0], edges[0]), max(y.domain[1], edges[-1]))
    canvas = Canvas(
        scales.names([each.label for each in found], axis, most=5), Scale(domain, y.ticks, y.title, log=True)
    )
    canvas.tiles(
        (place - 0.5, edges[row], place + 0.5, edges[row + 1], _shade(share))
        for place, column in enumerate(found)
        for row, share in enumerate(_shares(column.histogram, first, last))
        if share > 0
    )
    return canvas


def _shares(histogram: Histogram, first: int, last: int) -> list[float]:
    """Share of operations in each row."""
    rows = np.floor(np.log10(np.maximum(histogram.high, 1)) * ROWS_PER_DECADE).astype(np.int64) - first
    counts = np.bincount(np.clip(rows, 0, last - first - 1), histogram.counts, last - first)
    found: list[float] = (counts / max(1.0, float(counts.sum()))).tolist()
    return found


def _shade(share: float) -> str:
    """The colour of a share."""
    return list(HEAT)[bisect_right(SHARES, share)]
