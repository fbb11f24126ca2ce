"""Every run as a point by block or run; where there are too many to tell apart, the median and the range of some."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from plimsoll.report.charts import axes, zoom
from plimsoll.report.charts.vega import Spec, framed, keyed, short, switches
from plimsoll.report.palette import MUTED, PAGE

HEIGHT = 190
MOST_LABELS = 7
_CROSS = "M-0.7,-0.7L0.7,0.7M0.7,-0.7L-0.7,0.7"


@dataclass(frozen=True)
class Point:
    """A run: column and target by number, its score if it has one, whether that counts, and what a guard found."""

    column: int
    target: int
    value: float | None
    counts: bool
    finding: str


def spec(
    points: Sequence[Point], columns: Sequence[str], targets: Sequence[str], unit: str, what: str = "block"
) -> Spec:
    """`columns` are the labels from left to right of what `what` names; only runs of one block are joined."""
    known = [point.value for point in points if point.value is not None and isfinite(point.value)]
    factor, upright = axes.rates("v", known, unit)
    switch = [axes.switched(on=axes.spread(known))] if min(known, default=0.0) > 0 else []
    labels = {
        "labelExpr": "columns[datum.value - 1] || ''",
        "tickMinStep": 1,
        "tickCount": min(MOST_LABELS, len(columns)),
    }
    across = zoom.axis(what, **labels)
    across["scale"]["domain"] = [{"expr": "from_x - 0.5"}, {"expr": "to_x + 0.5"}]
    plane = {"x": across, "y": upright}
    boxes, shown = switches(targets)
    findings = list(dict.fromkeys(point.finding for point in points))
    # Targets of a block stand a little apart, so that equal scores do not cover each other.
    width = min(0.5, 0.14 * (len(targets) - 1)) / max(1, len(targets) - 1)
    apart = f"datum.x + {width:g} * (datum.g - {(len(targets) - 1) / 2:g})"
    return framed(
        {
            "height": HEIGHT,
            "params": [*switch, *boxes, *zoom.controls(1, len(columns), what, whole=True)],
            "data": {"values": _rows(points, len(targets), factor, findings)},
            "transform": [{"filter": shown}, {"flatten": ["x", "v", "ok", "f"]}, *zoom.in_sight()],
            "encoding": plane,
            "layer": [
                {
                    "transform": [
                        zoom.few(),
                        {"calculate": "datum.x", "as": "c"},
                        {"calculate": apart, "as": "x"},
                        *_said(what),
                    ],
                    "layer": [
                        *([_JOINED] if what == "block" else []),
                        *_runs(axes.named(upright, ""), targets),
                    ],
                },
                {
                    "transform": [{"filter": "datum.ok"}, *zoom.spans(len(targets)), _TARGET],
                    "layer": _medians(axes.named(upright, ""), targets, plane),
                },
            ],
        },
        targets=targets,
        columns=columns,
        findings=findings,
    )


_TARGET = {"calculate": "targets[datum.g]", "as": "said"}
_JOINED = {
    "transform": [{"filter": "datum.ok"}],
    "mark": {"type": "line", "stroke": MUTED, "strokeWidth": 0.8},
    "encoding": {"detail": {"field": "c"}},
}


def _said(what: str) -> list[Spec]:
    return [
        {"calculate": f"targets[datum.g] + ', {what} ' + columns[datum.c - 1]", "as": "Run"},
        {"calculate": "findings[datum.f]", "as": "Finding"},
    ]


def _rows(points: Sequence[Point], targets: int, factor: float, findings: Sequence[str]) -> list[Spec]:
    """The runs of each target as one row."""
    numbers = {finding: number for number, finding in enumerate(findings)}
    rows: list[Spec] = [{"g": target, "x": [], "v": [], "ok": [], "f": []} for target in range(targets)]
    for point in points:
        row = rows[point.target]
        row["x"].append(point.column + 1)
        known = point.value is not None and isfinite(point.value)
        row["v"].append(short(point.value / factor) if point.value is not None and known else None)
        row["ok"].append(int(point.counts and known))
        row["f"].append(numbers[point.finding])
    return [row for row in rows if row["x"]]


def _runs(title: str, targets: Sequence[str]) -> list[Spec]:
    told = [
        {"field": "Run", "type": "nominal"},
        {"field": "v", "title": f"Score in {title}".removesuffix(" in "), "format": ",.4~r"},
        {"field": "Finding", "type": "nominal"},
    ]
    point = {"type": "point", "filled": True, "size": 45, "opacity": 1, "stroke": PAGE, "strokeWidth": 0.7}
    cross = {"type": "point", "filled": False, "shape": _CROSS, "size": 45, "stroke": MUTED, "strokeWidth": 1.5}
    lost = {"type": "text", "text": "✕", "color": MUTED, "baseline": "bottom"}
    return [
        {
            "transform": [{"filter": "datum.ok"}],
            "mark": point,
            "encoding": {**keyed(targets, shaped=True), "tooltip": told},
        },
        {
            "transform": [{"filter": "!datum.ok && isValid(datum.v)"}],
            "mark": cross,
            "encoding": {"tooltip": told},
        },
        {
            # One sign for all that have none in a block: several would lie over each other.
            "transform": [
                {"filter": "!isValid(datum.v)"},
                {"window": [{"op": "row_number", "as": "lost"}], "groupby": ["c"]},
                {"filter": "datum.lost == 1"},
            ],
            "mark": lost,
            "encoding": {"x": {"field": "c", "type": "quantitative"}, "y": {"value": 0}, "tooltip": told},
        },
    ]


def _medians(title: str, targets: Sequence[str], plane: Spec) -> list[Spec]:
    looks = keyed(targets, forms=True)
    names = (("v", "Median in"), ("low", "Lowest in"), ("high", "Highest in"))
    told: list[Spec] = [{"field": "said", "type": "nominal", "title": "Target"}, {"field": "runs", "title": "Runs"}]
    told += [{"field": field, "title": f"{name} {title}", "format": ",.4~r"} for field, name in names]
    return [
        {
            "mark": {"type": "area", "opacity": 0.18},
            "encoding": {"y": {**plane["y"], "field": "low"}, "y2": {"field": "high"}, **looks},
        },
        {"mark": {"type": "line", "strokeWidth": 1.6}, "encoding": keyed(targets, dashed=True, forms=True)},
        {
            "mark": {"type": "point", "filled": True, "size": 70, "opacity": 0},
            "encoding": {"tooltip": told},
        },
    ]
