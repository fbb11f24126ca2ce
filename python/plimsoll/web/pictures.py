"""Pictures that only a server has: a score over months, latency as a heat map."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np

from plimsoll import metrics
from plimsoll.report.charts import heat
from plimsoll.report.charts import history as over_months
from plimsoll.report.charts.vega import Vega
from plimsoll.report.document import Chart, Table, columns, number, phrase
from plimsoll.report.labels import count_text
from plimsoll.report.sections.environment import time_text
from plimsoll.stats.histogram import Histogram
from plimsoll.units import DAY, format_value, significant
from plimsoll.web.history import Level, Session

ROWS_PER_DECADE = 8
MOST_ROWS = 200
"""Rows of the table beside a chart over time; the newest are shown."""

SHARES = (1e-5, 1e-4, 1e-3, 1e-2, 0.05, 0.2)
"""Shares of the operations of a column at which the next colour begins."""

SHARE_NAMES = ("below 0.001 %", "from 0.001 %", "0.01 %", "0.1 %", "1 %", "5 %", "20 % of the operations")


def over_time(
    title: str, metric: str, unit: str, sessions: Sequence[Session], levels: Sequence[Level], what: str = "session"
) -> Chart:
    """A point per session, or per group of sessions, with the span of its runs, and the levels."""
    shown = [each for each in sessions if each.valid and each.started_ns > 0]
    told = f"{metrics.title(metric)} of {count_text(len(shown), what)} over time"
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
    heads = columns(f"{what.capitalize()} began", ">Median", ">Lowest", ">Highest", ">Valid runs")
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


def _draw_over_time(sessions: list[Session], shown: list[Session], levels: list[Level], unit: str) -> Vega:
    points = [
        over_months.Point(
            day=each.started_ns / DAY,
            low=each.low,
            high=each.high,
            values=each.levels or ([] if each.value is None else [each.value]),
            place=each.place,
            said=time_text(each.started_ns),
        )
        for each in shown
        if each.low is not None and each.high is not None
    ]
    found = [
        over_months.Level(sessions[level.first].started_ns / DAY, sessions[level.last].started_ns / DAY, level.value)
        for level in levels
    ]
    events = [each.started_ns / DAY for each in sessions if each.event and each.started_ns > 0]
    marks = [
        (sessions[after.first].started_ns / DAY, "▼" if after.value < before.value else "▲")
        for before, after in pairwise(levels)
        if not any(each.event for each in sessions[before.last + 1 : after.first + 1])
    ]
    return Vega(over_months.spec(points, found, events, marks, unit))


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
    )


def _draw_heat(found: list[Column], axis: str) -> Vega:
    used = [each.histogram for each in found if each.histogram.count]
    low = min((float(each.low[0]) for each in used), default=1.0)
    high = max((float(each.high[-1]) for each in used), default=1e6)
    first = math.floor(math.log10(max(1.0, low)) * ROWS_PER_DECADE)
    last = max(first + 1, math.ceil(math.log10(max(2.0, high)) * ROWS_PER_DECADE))
    edges = [10 ** (step / ROWS_PER_DECADE) for step in range(first, last + 1)]
    tiles = [
        (place, edges[row], edges[row + 1], _step(share), f"{significant(share * 100)} %")
        for place, column in enumerate(found)
        for row, share in enumerate(_shares(column.histogram, first, last))
        if share > 0
    ]
    return Vega(heat.spec(tiles, [each.label for each in found], (edges[0], edges[-1]), SHARE_NAMES, axis))


def _shares(histogram: Histogram, first: int, last: int) -> list[float]:
    """Share of operations in each row."""
    rows = np.floor(np.log10(np.maximum(histogram.high, 1)) * ROWS_PER_DECADE).astype(np.int64) - first
    counts = np.bincount(np.clip(rows, 0, last - first - 1), histogram.counts, last - first)
    found: list[float] = (counts / max(1.0, float(counts.sum()))).tolist()
    return found


def _step(share: float) -> int:
    """The number of the colour of a share."""
    return bisect_right(SHARES, share)
