"""Scores as bars from zero: a row per part of a test, in it a bar per target."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from plimsoll.report.charts import direct
from plimsoll.report.charts.vega import LABEL_SHARE, WIDTH, Spec, blocks, framed, short, switches
from plimsoll.report.palette import INK
from plimsoll.units import scale

STEP, LEAST_STEP = 11, 20
_LETTER = 5.5
"""Width of a letter beside a bar, at most on average."""


_ROWS: Spec = {
    "field": "row",
    "type": "nominal",
    "title": None,
    "sort": None,
    "scale": {"paddingInner": 0.15, "paddingOuter": 0.05},
    "axis": {
        "labelExpr": "rows[datum.value]",
        "labelLimit": {"expr": f"wide * {LABEL_SHARE}"},
        "labelOverlap": False,
        "ticks": False,
        "grid": False,
    },
}


@dataclass(frozen=True)
class Bar:
    """A score of target number `target` in row number `row`, in a base unit, and how people read it."""

    row: int
    target: int
    value: float
    said: str


def spec(bars: Sequence[Bar], rows: Sequence[str], targets: Sequence[str], unit: str, what: str) -> Spec:
    """Bars of negative and of unknown values are left out: neither has a length. Each bar has its value beside it."""
    known = [bar for bar in bars if math.isfinite(bar.value) and bar.value >= 0]
    most = max((bar.value for bar in known), default=0.0)
    factor, name = scale(most or 1.0, unit)
    named = direct.numbered(targets)
    boxes, shown = switches(named)
    numbers = list(range(len(targets)))
    values = [
        {
            "row": bar.row,
            "g": bar.target,
            "v": short(bar.value / factor),
            "place": str(bar.target + 1),
            "Part": rows[bar.row],
            "Target": targets[bar.target],
            "Score": bar.said,
        }
        for bar in known
    ]
    across = {
        "field": "v",
        "type": "quantitative",
        "title": ", ".join(filter(None, (what, name))),
        "scale": {"domain": [0, (most / factor or 1.0) * _room(known, len(targets))], "nice": False},
        "axis": {"grid": True, "tickCount": 3},
    }
    words = "datum.place + '  ' + datum.Score" if len(targets) > 1 else "datum.Score"
    return framed(
        {
            "height": max(LEAST_STEP, STEP * len(targets) + 8) * len(rows),
            "params": boxes,
            "data": {"values": values},
            "transform": [{"filter": shown}, {"calculate": words, "as": "words"}],
            "encoding": {
                "y": _ROWS,
                "yOffset": {"field": "g", "type": "nominal", "scale": {"domain": numbers}},
                "x": across,
            },
            "layer": [
                {
                    "mark": {"type": "bar", "opacity": 1},
                    "encoding": {
                        "color": blocks(named),
                        "tooltip": [{"field": name, "type": "nominal"} for name in ("Part", "Target", "Score")],
                    },
                },
                {
                    "mark": {"type": "text", "align": "left", "dx": 3, "fontSize": 9, "fill": INK},
                    "encoding": {"text": {"field": "words"}},
                },
            ],
        },
        rows=rows,
        targets=named,
    )


def _room(known: Sequence[Bar], targets: int) -> float:
    """How much longer than the longest bar the axis is, so that its words have room on a telephone."""
    letters = max((len(bar.said) for bar in known), default=0) + (4 if targets > 1 else 0)
    return 1 / (1 - min(0.7, _LETTER * letters / (WIDTH * (1 - LABEL_SHARE))))
