"""All comparisons in one chart: a row per case and metric, in it a point with its interval per target."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from plimsoll.report.charts.vega import LABEL_SHARE, LONG_NAME, Spec, framed, switches
from plimsoll.report.palette import BAND, GREY, INK, MUTED, PAGE, colour

STEP, LEAST_STEP = 12, 20
LONGEST = 1200
"""Height of one chart; more rows go on in another one, so that each fits on a sheet of paper."""
_SHAPES = ("triangle-right", "circle", "triangle-left", "diamond")
_RATIOS: tuple[tuple[float, ...], ...] = (
    (1, 1.1),
    (1, 1.25),
    (1, 1.5, 2),
    (1, 2, 5),
    (1, 3, 10, 30),
    (1, 10, 100, 1000),
)


@dataclass(frozen=True)
class Point:
    """A comparison in row `row` of target `target`, both as numbers; `low` and `high` lie within the axis."""

    row: int
    target: int
    at: float
    low: float | None
    high: float | None
    verdict: int
    told: str
    interval: str


def step(targets: int) -> int:
    """Height of a row."""
    return max(LEAST_STEP, STEP * targets + 6)


def spec(
    points: Sequence[Point],
    rows: Sequence[str],
    targets: Sequence[tuple[str, int]],
    verdicts: Sequence[str],
    band: float,
    domain: tuple[float, float],
) -> Spec:
    """`targets` are names with their places among all colours; `rows` and `verdicts` are words for the numbers."""
    many = len(targets) > 1
    names = [f"{i} {name}" if many else name for i, (name, _) in enumerate(targets, 1)]
    boxes, shown = switches(names)
    values = [_value(point, rows, targets, verdicts) for point in points]
    used = dict.fromkeys((point.row, point.target) for point in points) if many else {}
    labels = [{"row": row, "g": target, "place": str(target + 1)} for row, target in used]
    return framed(
        {
            "height": step(len(targets)) * len(rows),
            "params": boxes,
            "layer": [
                {
                    "data": {"values": [{"low": 1 / (1 + band), "high": 1 + band}]},
                    "mark": {"type": "rect", "fill": BAND, "opacity": 1},
                    "encoding": {"x": _x(domain), "x2": {"field": "high"}},
                },
                {
                    "data": {"values": [{"low": 1}]},
                    "mark": {"type": "rule", "stroke": MUTED, "strokeWidth": 0.8},
                    "encoding": {"x": _x(domain)},
                },
                {
                    "data": {"values": values},
                    "transform": [{"filter": shown}],
                    "encoding": _places(targets, names),
                    "layer": _marks(domain, verdicts),
                },
                # Nobody has to tell targets apart by colour alone.
                {
                    "data": {"values": labels},
                    "transform": [{"filter": shown}],
                    "mark": {"type": "text", "align": "left", "dx": 3, "fontSize": 9, "fill": INK},
                    "encoding": {**_places(targets, names), "x": {"value": "width"}, "text": {"field": "place"}},
                },
            ],
        },
        rows=rows,
        targets=names,
        verdicts=verdicts,
    )


def _value(
    point: Point, rows: Sequence[str], targets: Sequence[tuple[str, int]], verdicts: Sequence[str]
) -> dict[str, object]:
    ends = {} if point.low is None else {"low": point.low, "high": point.high}
    told = {
        "Case and metric": rows[point.row],
        "Target": targets[point.target][0],
        "Ratio": point.told,
        "Interval": point.interval or "n/a",
        "Verdict": verdicts[point.verdict],
    }
    return {
        "row": point.row,
        "g": point.target,
        "at": point.at,
        **ends,
        "verdict": str(point.verdict),
        **told,
    }


def _x(domain: tuple[float, float], field: str = "low") -> Spec:
    return {
        "field": field,
        "type": "quantitative",
        "scale": {"type": "log", "domain": list(domain), "nice": False},
        "axis": {
            "title": "right of 1 is better, logarithmic",
            "values": ratio_ticks(*domain),
            "grid": False,
            "labelExpr": "(datum.value < 100 ? format(datum.value, ',.2~r') : format(datum.value, ',.0f')) + '×'",
        },
    }


def _places(targets: Sequence[tuple[str, int]], names: Sequence[str]) -> Spec:
    numbers = list(range(len(targets)))
    key = {
        "labelExpr": "targets[datum.value]",
        "symbolType": "square",
        "columns": 1 if max(map(len, names)) > LONG_NAME else 3,
    }
    return {
        "y": {
            "field": "row",
            "type": "nominal",
            "title": None,
            "axis": {
                "labelExpr": "rows[datum.value]",
                "labelLimit": {"expr": f"wide * {LABEL_SHARE}"},
                "labelOverlap": False,
                "ticks": False,
                "domain": False,
                "grid": False,
            },
        },
        "yOffset": {"field": "g", "type": "nominal", "scale": {"domain": numbers}},
        "color": {
            "field": "g",
            "type": "nominal",
            "scale": {"domain": numbers, "range": [colour(place) for _, place in targets]},
            "legend": key if len(targets) > 1 else None,
        },
    }


def _marks(domain: tuple[float, float], verdicts: Sequence[str]) -> list[Spec]:
    # As words: Vega-Lite makes one key of two that have the same domain.
    looks = {
        "field": "verdict",
        "type": "nominal",
        "scale": {"domain": [str(i) for i in range(len(verdicts))], "range": list(_SHAPES)},
        "legend": {"labelExpr": "verdicts[datum.value]", "symbolFillColor": GREY, "columns": 2},
    }
    names = ("Case and metric", "Target", "Ratio", "Interval", "Verdict")
    told = [{"field": name, "type": "nominal"} for name in names]
    return [
        {
            "transform": [{"filter": "isValid(datum.low)"}],
            "mark": {"type": "rule", "strokeWidth": 2, "opacity": 1},
            "encoding": {"x": _x(domain), "x2": {"field": "high"}, "tooltip": told},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1, "stroke": PAGE, "strokeWidth": 0.7},
            "encoding": {"x": _x(domain, "at"), "shape": looks, "tooltip": told},
        },
    ]


def ratio_ticks(low: float, high: float) -> list[float]:
    """Round ratios around 1, few enough for a narrow axis."""
    reach = max(high, 1 / low)
    steps = next((steps for steps in _RATIOS if reach <= steps[-1] * 1.6), None)
    if steps is None:
        power = math.ceil(math.log10(reach) / 3)
        steps = tuple(10.0 ** (power * i) for i in range(4))
    found = (*(1 / step for step in steps[:0:-1]), *steps)
    return [tick for tick in found if low <= tick <= high]
