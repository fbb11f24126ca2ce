"""A score over months: a point per session, the span of its runs, the levels, and where they changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from plimsoll.report.charts import axes, zoom
from plimsoll.report.charts.vega import Spec, framed, in_forms, short
from plimsoll.report.palette import INK, MUTED, ORANGE
from plimsoll.units import format_number

HEIGHT = 210
_DAY_MS = 86_400_000


@dataclass(frozen=True)
class Point:
    """A session: days since 1970, the span of its runs, its score or scores, and the number of its place."""

    day: float
    low: float
    high: float
    values: Sequence[float]
    place: int
    said: str


@dataclass(frozen=True)
class Level:
    """A score that the sessions between two days lie around."""

    start: float
    end: float
    value: float


def spec(
    points: Sequence[Point],
    levels: Sequence[Level],
    events: Sequence[float],
    marks: Sequence[tuple[float, str]],
    unit: str,
) -> Spec:
    """`events` are days with another place than before, `marks` days with the sign that stands above them."""
    first, last = min(point.day for point in points), max(point.day for point in points)
    margin = max(0.5, (last - first) * 0.03)
    start, length = first - margin, last - first + 2 * margin
    factor, upright = axes.rates("v", [end for point in points for end in (point.low, point.high)], unit)
    spreads = axes.spread([end for point in points for end in (point.low, point.high)])
    switch = [axes.switched(on=spreads)] if min(point.low for point in points) > 0 else []
    date = f"utcFormat({start * _DAY_MS:.0f} + datum.value * {_DAY_MS}, '%Y-%m-%d')"
    plane = {"x": zoom.axis("day, UTC", labelExpr=date), "y": upright}
    rows = [
        {
            "x": short(point.day - start, 7),
            "low": short(point.low / factor),
            "high": short(point.high / factor),
            "v": short(value / factor),
            "g": 0,
            "place": point.place,
            "Session": point.said,
            "scored": bool(point.values),
        }
        for point in points
        for value in point.values or [point.low]
    ]
    return framed(
        {
            "height": HEIGHT,
            "params": [*switch, *zoom.controls(0.0, length, "day")],
            "layer": [
                {
                    "data": {"values": rows},
                    "transform": zoom.in_sight(),
                    "encoding": plane,
                    "layer": [_sessions(upright), _medians(upright)],
                },
                *_levels([(each.start - start, each.end - start, each.value / factor) for each in levels], plane),
                *_signs([(day - start, "◆") for day in events], plane, ruled=True),
                *_signs([(day - start, sign) for day, sign in marks], plane),
            ],
        }
    )


def _told(title: str, *fields: tuple[str, str]) -> list[Spec]:
    return [{"field": field, "title": f"{name} in {title}", "format": ",.4~r"} for field, name in fields]


def _sessions(upright: Spec) -> Spec:
    session = {"field": "Session", "type": "nominal"}
    told = [session, *_told(axes.named(upright), ("v", "Median"), ("low", "Lowest"), ("high", "Highest"))]
    # Of runs without a common score only the span is known.
    untold = [session, *_told(axes.named(upright), ("low", "Lowest"), ("high", "Highest"))]
    point = {"type": "point", "filled": True, "size": 45, "opacity": 1}
    return {
        "transform": [zoom.few()],
        "layer": [
            {
                "mark": {"type": "rule", "stroke": MUTED, "strokeWidth": 0.8, "opacity": 1},
                "encoding": {"y": {**upright, "field": "low"}, "y2": {"field": "high"}, "tooltip": untold},
            },
            {
                "transform": [{"filter": "datum.scored"}],
                "mark": point,
                "encoding": {**in_forms("place"), "tooltip": told},
            },
        ],
    }


def _medians(upright: Spec) -> Spec:
    title = axes.named(upright)
    told = [{"field": "runs", "title": "Sessions"}]
    told += _told(title, ("v", "Median"), ("low", "Lowest median"), ("high", "Highest median"))
    return {
        "transform": [{"filter": "datum.scored"}, *zoom.spans(1)],
        "layer": [
            {
                "mark": {"type": "area", "opacity": 0.18, "fill": MUTED},
                "encoding": {"y": {**upright, "field": "low"}, "y2": {"field": "high"}},
            },
            {"mark": {"type": "line", "strokeWidth": 1.6, "stroke": MUTED}},
            {"mark": {"type": "point", "filled": True, "size": 70, "opacity": 0}, "encoding": {"tooltip": told}},
        ],
    }


def _levels(levels: Sequence[tuple[float, float, float]], plane: Spec) -> list[Spec]:
    if not levels:
        return []
    values = [
        {"start": short(start, 7), "end": short(end, 7), "v": short(value), "said": format_number(short(value, 3))}
        for start, end, value in levels
    ]
    rule: Spec = {
        "mark": {"type": "rule", "stroke": ORANGE, "strokeWidth": 2.5, "opacity": 1},
        "encoding": {"x2": {"field": "x2"}},
    }
    words = {"type": "text", "align": "left", "dx": 2, "dy": -7, "fill": INK}
    label: Spec = {"mark": words, "encoding": {"text": {"field": "said"}}}
    return [
        {
            "data": {"values": values},
            "transform": [
                {"calculate": "max(datum.start, from_x)", "as": "x"},
                {"calculate": "min(datum.end, to_x)", "as": "x2"},
                {"filter": "datum.x <= datum.x2"},
            ],
            "encoding": plane,
            "layer": [rule, label],
        }
    ]


def _signs(signs: Sequence[tuple[float, str]], plane: Spec, *, ruled: bool = False) -> list[Spec]:
    if not signs:
        return []
    rule: Spec = {"mark": {"type": "rule", "stroke": INK, "strokeWidth": 1.2}}
    words = {"type": "text", "fill": MUTED, "dy": -7}
    text: Spec = {"mark": words, "encoding": {"y": {"value": 0}, "text": {"field": "sign"}}}
    return [
        {
            "data": {"values": [{"x": short(day, 7), "sign": sign} for day, sign in signs]},
            "transform": [{"filter": f"inrange(datum.x, {zoom.SIGHT})"}],
            "encoding": {"x": plane["x"]},
            "layer": [rule, text] if ruled else [text],
        }
    ]
