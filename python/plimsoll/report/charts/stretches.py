"""When which of several parties held something back: a row per party, in it the stretches of time of each target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from plimsoll.report.charts import direct, zoom
from plimsoll.report.charts.vega import LABEL_SHARE, Spec, blocks, framed, short, switches

STEP = 11
MOST = 400
"""More stretches are drawn as the share of each span of time that they take."""
_SPANS = 100


@dataclass(frozen=True)
class Stretch:
    """From `start` to `end` (in what the axis counts), of party `row` and target `target`, both as numbers."""

    row: int
    target: int
    start: float
    end: float


def spec(stretches: Sequence[Stretch], rows: Sequence[str], targets: Sequence[str], unit: str) -> Spec:
    """`unit` is that of the times, in the singular: `second`."""
    last = max((each.end for each in stretches), default=1.0) or 1.0
    named = direct.numbered(targets)
    boxes, shown = switches(named)
    numbers = list(range(len(targets)))
    told = [
        {"field": "who", "type": "nominal", "title": "Held back by"},
        {"field": "said", "type": "nominal", "title": "Target"},
        {"field": "start", "title": f"From {unit}", "format": ",.4~r"},
        {"field": "end", "title": f"to {unit}", "format": ",.4~r"},
        {"field": "share", "title": "Share of that time", "format": ".0%"},
    ]
    return framed(
        {
            "height": (STEP * len(targets) + 12) * len(rows),
            "params": [*boxes, *zoom.controls(0.0, last, unit)],
            "data": {"values": _values(stretches, last)},
            "transform": [
                {"filter": shown},
                {"filter": "datum.end > from_x && datum.start < to_x"},
                {"calculate": "max(datum.start, from_x)", "as": "x"},
                {"calculate": "min(datum.end, to_x)", "as": "x2"},
                {"calculate": "rows[datum.row]", "as": "who"},
                {"calculate": "targets[datum.g]", "as": "said"},
            ],
            "mark": {"type": "bar"},
            "encoding": {
                "x": zoom.axis(f"{unit}s"),
                "x2": {"field": "x2"},
                "y": {
                    "field": "row",
                    "type": "nominal",
                    "title": None,
                    "scale": {"domain": list(range(len(rows)))},
                    "axis": {
                        "labelExpr": "rows[datum.value]",
                        "labelLimit": {"expr": f"wide * {LABEL_SHARE}"},
                        "labelOverlap": False,
                        "grid": True,
                    },
                },
                "yOffset": {"field": "g", "type": "nominal", "scale": {"domain": numbers}},
                "opacity": {"field": "share", "type": "quantitative", "scale": None},
                "color": blocks(named),
                "tooltip": told,
            },
        },
        rows=rows,
        targets=named,
    )


def _values(stretches: Sequence[Stretch], last: float) -> list[Spec]:
    if len(stretches) <= MOST:
        return [
            {"row": each.row, "g": each.target, "start": short(each.start, 6), "end": short(each.end, 6), "share": 1}
            for each in stretches
        ]
    width = last / _SPANS
    shares: dict[tuple[int, int, int], float] = {}
    for each in stretches:
        for span in range(int(each.start / width), min(_SPANS - 1, int(each.end / width)) + 1):
            part = min(each.end, (span + 1) * width) - max(each.start, span * width)
            shares[each.row, each.target, span] = shares.get((each.row, each.target, span), 0.0) + part / width
    return [
        {
            "row": row,
            "g": target,
            "start": short(span * width),
            "end": short((span + 1) * width),
            "share": short(share, 2),
        }
        for (row, target, span), share in sorted(shares.items())
        if share > 0
    ]
