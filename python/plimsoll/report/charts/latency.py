"""Latency by percentile: a curve per target, each percentile ten times as rare as the one before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from plimsoll.report.charts import axes, direct, packed
from plimsoll.report.charts.vega import Spec, framed, keyed, switches

HEIGHT = 210
_MARKS = (2.0, *(10.0**power for power in range(1, 10)))
"""Ticks at 1/(1 − p): p50, p90, p99, p99.9, …."""
_PERCENTILE = "(1 - 1 / {0}) * 100"


def spec(curves: Mapping[str, Sequence[tuple[float, float]]], targets: Sequence[str]) -> Spec:
    """Curves of points (1/(1 − p), latency ns) by target; both axes are logarithmic."""
    latencies = [max(1.0, latency) for curve in curves.values() for _, latency in curve]
    last = max([10.0, *(x for curve in curves.values() for x, _ in curve)])
    named = direct.numbered(targets)
    boxes, shown = switches(named)
    plane = {"x": _x(last), "y": axes.durations("v", latencies, "latency")}
    lines = [
        (targets.index(target), [(x, max(1.0, float(latency))) for x, latency in curve])
        for target, curve in curves.items()
    ]
    places, rows = packed.rows(lines, 1, 1)
    ends = [
        direct.End(targets.index(target), max(1.0, float(curve[-1][1])), str(targets.index(target) + 1))
        for target, curve in curves.items()
        if curve
    ]
    labels = [direct.ends(ends, plane["y"]["scale"]["domain"], HEIGHT, [shown], plane)] if len(targets) > 1 else []
    return framed(
        {
            "height": HEIGHT,
            "params": [axes.switched(on=True), *boxes],
            "layer": [
                {
                    "data": {"values": rows},
                    "transform": [{"filter": shown}, *packed.unpacked(), *_said()],
                    "encoding": plane,
                    "layer": [
                        {"mark": {"type": "line", "strokeWidth": 1.8}, "encoding": keyed(named, dashed=True)},
                        {
                            "mark": {"type": "point", "filled": True, "size": 70, "opacity": 0},
                            "encoding": {"tooltip": _told()},
                        },
                    ],
                },
                *labels,
            ],
        },
        targets=named,
        names=targets,
        places=places,
    )


def _x(last: float) -> Spec:
    ticks = [mark for mark in _MARKS if mark <= last]
    return {
        "field": "x",
        "type": "quantitative",
        "title": "percentile",
        "scale": {"type": "log", "domain": [1.0, last], "nice": False},
        "axis": {
            "values": ticks,
            "labelExpr": f"'p' + format({_PERCENTILE.format('datum.value')}, '.10~r')",
            "labelSeparation": 4,
            "grid": True,
        },
    }


def _said() -> list[Spec]:
    percentile = f"format({_PERCENTILE.format('datum.x')}, '.6~r')"
    return [
        {"calculate": "names[datum.g]", "as": "Target"},
        {"calculate": f"datum.x > 1 ? 'p' + {percentile} : 'lowest'", "as": "Percentile"},
        {"calculate": axes.duration_words("datum.v"), "as": "Latency"},
    ]


def _told() -> list[Spec]:
    return [{"field": name, "type": "nominal"} for name in ("Target", "Percentile", "Latency")]
