"""Every run as a point by block, or where there are too many to tell apart the median and the range of some blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from plimsoll.report.charts.vega import Spec, framed, keyed, short, switches, with_logarithm
from plimsoll.report.palette import MUTED, PAGE
from plimsoll.report.scales import LOG_FROM
from plimsoll.units import scale

HEIGHT = 190
MOST_POINTS = 200
"""More are drawn as the median and the range of neighbouring blocks."""
MOST_LABELS = 7
_CROSS = "M-0.7,-0.7L0.7,0.7M0.7,-0.7L-0.7,0.7"


@dataclass(frozen=True)
class Point:
    """A run: column and target by number, its score if it has one, and whether that counts."""

    column: int
    target: int
    value: float | None
    counts: bool
    said: str
    finding: str


def is_condensed(points: int) -> bool:
    """Whether medians are drawn in place of so many runs."""
    return points > MOST_POINTS


def spec(points: Sequence[Point], columns: Sequence[str], targets: Sequence[str], unit: str) -> Spec:
    """`columns` are the labels of the blocks from left to right."""
    known = [point.value for point in points if point.value is not None]
    factor, title = scale(max(known), unit)
    spread = 0 < min(known) * LOG_FROM < max(known)
    axes = _axes(len(columns), title, logarithmic=spread)
    boxes, shown = switches(targets)
    condensed = is_condensed(len(known))
    values = _condensed(points, len(columns), factor) if condensed else _whole(points, len(targets), factor)
    made = framed(
        {
            "height": HEIGHT,
            "params": boxes,
            "data": {"values": values},
            "transform": [{"filter": shown}],
            "encoding": axes,
            "layer": _medians(title, targets, axes) if condensed else _runs(title, targets),
        },
        targets=targets,
        columns=columns,
    )
    return with_logarithm(made) if min(known) > 0 and not spread else made


def _axes(columns: int, title: str, *, logarithmic: bool) -> Spec:
    every = -(-columns // MOST_LABELS)
    axis = {"values": list(range(0, columns, every)), "labelExpr": "columns[datum.value]", "grid": False}
    named = f"{title}, logarithmic".lstrip(", ") if logarithmic else title or None
    kind: Spec = {"type": "log"} if logarithmic else {"zero": True}
    return {
        "x": {
            "field": "x",
            "type": "quantitative",
            "title": "block",
            "scale": {"domain": [-0.5, columns - 0.5], "nice": False},
            "axis": axis,
        },
        "y": {"field": "v", "type": "quantitative", "title": named, "scale": kind, "axis": {"tickCount": 4}},
    }


def _whole(points: Sequence[Point], targets: int, factor: float) -> list[Spec]:
    """Targets of a block stand a little apart, so that equal scores do not cover each other."""
    width = min(0.5, 0.14 * (targets - 1))
    return [
        {
            "c": point.column,
            "x": round(point.column + width * (point.target / max(1, targets - 1) - 0.5), 3),
            **({} if point.value is None else {"v": short(point.value / factor)}),
            "g": point.target,
            "ok": point.counts,
            "Run": point.said,
            "Finding": point.finding,
        }
        for point in points
    ]


def _condensed(points: Sequence[Point], columns: int, factor: float) -> list[Spec]:
    """Of the runs that count."""
    targets = {point.target for point in points}
    spans = min(columns, max(20, MOST_POINTS // len(targets)))
    found: dict[tuple[int, int], list[float]] = {}
    for point in points:
        if point.counts and point.value is not None:
            found.setdefault((point.target, point.column * spans // columns), []).append(point.value / factor)
    return [
        {
            "x": round((span + 0.5) * columns / spans - 0.5, 3),
            "v": short(median(values)),
            "low": short(min(values)),
            "high": short(max(values)),
            "g": target,
            "runs": len(values),
        }
        for (target, span), values in sorted(found.items())
    ]


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
            "mark": {"type": "line", "stroke": MUTED, "strokeWidth": 0.8},
            "encoding": {"detail": {"field": "c"}},
        },
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
            "transform": [{"filter": "!isValid(datum.v)"}],
            "mark": lost,
            "encoding": {"x": {"field": "c", "type": "quantitative"}, "y": {"value": 0}, "tooltip": told},
        },
    ]


def _medians(title: str, targets: Sequence[str], axes: Spec) -> list[Spec]:
    names = (("v", "Median in"), ("low", "Lowest in"), ("high", "Highest in"))
    told: list[Spec] = [{"field": "said", "type": "nominal", "title": "Target"}, {"field": "runs", "title": "Runs"}]
    told += [{"field": field, "title": f"{name} {title}", "format": ",.4~r"} for field, name in names]
    return [
        {
            "mark": {"type": "area", "opacity": 0.18},
            "encoding": {"y": {**axes["y"], "field": "low"}, "y2": {"field": "high"}, **keyed(targets)},
        },
        {"mark": {"type": "line", "strokeWidth": 1.6}, "encoding": keyed(targets, dashed=True)},
        {
            "transform": [{"calculate": "targets[datum.g]", "as": "said"}],
            "mark": {"type": "point", "filled": True, "size": 70, "opacity": 0},
            "encoding": {"tooltip": told},
        },
    ]
