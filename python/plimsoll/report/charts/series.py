"""Rates over time: a line per run, or where there are too many points to tell apart the median of each target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from plimsoll.report.charts.vega import TIMES, Spec, framed, in_time, keyed, short, switches, time_range, with_logarithm
from plimsoll.report.palette import INK
from plimsoll.units import scale

HEIGHT = 190
MOST_POINTS = 200
"""More are drawn as the median and the range of short spans of time."""


@dataclass(frozen=True)
class Line:
    """The rates of one run: its target by number, how it is called, and its points (s, rate)."""

    target: int
    called: str
    points: Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Step:
    """A level where the rate of a run of a target changed; `name` where it has one."""

    target: int
    name: str
    start: float
    end: float
    mean: float


def is_condensed(points: int) -> bool:
    """Whether medians are drawn in place of runs of so many points."""
    return points > MOST_POINTS


def spec(lines: Sequence[Line], steps: Sequence[Step], targets: Sequence[str], unit: str) -> Spec:
    """Zero belongs to the axis: a stall has to look like one."""
    rates = [rate for line in lines for _, rate in line.points]
    factor, title = scale(max(rates), unit)
    last = max(time for line in lines for time, _ in line.points) or 1.0
    condensed = is_condensed(len(rates))
    values = _condensed(lines, factor, last) if condensed else _whole(lines, factor)
    boxes, shown = switches(targets)
    levels = [
        {
            "g": each.target,
            "name": each.name,
            "start": short(each.start),
            "end": short(each.end),
            "v": short(each.mean / factor),
        }
        for each in steps
    ]
    parts: Spec = {
        "height": HEIGHT,
        "params": [*boxes, *time_range(last)],
        "layer": [
            {
                "data": {"values": values},
                "transform": [{"filter": shown}, {"filter": in_time("datum.t")}],
                "layer": _medians(title, targets) if condensed else _runs(title, targets),
            },
            *_levels(levels, shown, title, targets),
        ],
    }
    framed_parts = framed(parts, targets=targets, runs=[line.called for line in lines])
    return with_logarithm(framed_parts) if min(rates) > 0 else framed_parts


def _whole(lines: Sequence[Line], factor: float) -> list[Spec]:
    return [
        {"t": round(time, 3), "v": short(rate / factor), "g": line.target, "r": number}
        for number, line in enumerate(lines)
        for time, rate in line.points
    ]


def _condensed(lines: Sequence[Line], factor: float, last: float) -> list[Spec]:
    """Equal spans of time for all targets, so many that all of a chart are about as many as can be told apart."""
    targets = sorted({line.target for line in lines})
    spans = max(20, MOST_POINTS // len(targets))
    found: dict[tuple[int, int], list[float]] = {}
    for line in lines:
        for time, rate in line.points:
            found.setdefault((line.target, min(spans - 1, int(time / last * spans))), []).append(rate / factor)
    return [
        {
            "t": short((span + 0.5) * last / spans),
            "v": short(median(rates)),
            "low": short(min(rates)),
            "high": short(max(rates)),
            "g": target,
        }
        for (target, span), rates in sorted(found.items())
    ]


def _axes(title: str) -> Spec:
    return {
        "x": {
            "field": "t",
            "type": "quantitative",
            "title": "seconds",
            "scale": {"domain": [{"expr": f"{TIMES}[0]"}, {"expr": f"{TIMES}[1]"}], "nice": False},
            "axis": {"grid": False, "tickCount": 5},
        },
        "y": {"field": "v", "type": "quantitative", "title": title or None, "axis": {"tickCount": 4}},
    }


def _told(title: str, *fields: tuple[str, str]) -> list[Spec]:
    first = [
        {"field": "said", "type": "nominal", "title": "Run"},
        {"field": "t", "title": "Seconds", "format": ",.4~r"},
    ]
    return [
        *first,
        *({"field": field, "title": f"{name} {title}".strip(), "format": ",.4~r"} for field, name in fields),
    ]


def _dot(told: list[Spec]) -> Spec:
    """What the mouse finds: a line alone answers only at its beginning."""
    mark = {"type": "point", "filled": True, "size": 70, "opacity": 0}
    return {"mark": mark, "encoding": {"tooltip": told}}


def _runs(title: str, targets: Sequence[str]) -> list[Spec]:
    said = [{"calculate": "runs[datum.r]", "as": "said"}]
    axes = _axes(title)
    line = {
        "mark": {"type": "line", "strokeWidth": 1},
        "encoding": {"detail": {"field": "r"}, **keyed(targets, dashed=True)},
    }
    return [{"transform": said, "encoding": axes, "layer": [line, _dot(_told(title, ("v", "Rate in")))]}]


def _medians(title: str, targets: Sequence[str]) -> list[Spec]:
    axes, said = _axes(title), [{"calculate": "targets[datum.g]", "as": "said"}]
    band = {
        "mark": {"type": "area", "opacity": 0.18},
        "encoding": {"y": {**axes["y"], "field": "low"}, "y2": {"field": "high"}, **keyed(targets)},
    }
    line = {"mark": {"type": "line", "strokeWidth": 1.6}, "encoding": keyed(targets, dashed=True)}
    told = _told(title, ("v", "Median in"), ("low", "Lowest in"), ("high", "Highest in"))
    return [{"transform": said, "encoding": axes, "layer": [band, line, _dot(told)]}]


def _levels(levels: list[Spec], shown: str, title: str, targets: Sequence[str]) -> list[Spec]:
    if not levels:
        return []
    axes = _axes(title)
    part = [
        {"filter": shown},
        {"calculate": f"max(datum.start, {TIMES}[0])", "as": "t"},
        {"calculate": f"min(datum.end, {TIMES}[1])", "as": "t2"},
        {"filter": "datum.t < datum.t2"},
    ]
    rule = {"mark": {"type": "rule", "strokeWidth": 2.5}, "encoding": {**axes, "x2": {"field": "t2"}, **keyed(targets)}}
    words = {
        "transform": [{"filter": "datum.name"}],
        "mark": {"type": "text", "align": "left", "dy": -7, "fill": INK},
        "encoding": {**axes, "text": {"field": "name"}},
    }
    return [{"data": {"values": levels}, "transform": part, "layer": [rule, words]}]
