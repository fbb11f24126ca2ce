"""Latency of sessions or runs side by side: the stronger a colour, the more of the operations took that long."""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.report.charts import axes
from plimsoll.report.charts.vega import Spec, framed
from plimsoll.report.palette import HEAT

HEIGHT = 240
MOST_LABELS = 5
Tile = tuple[int, float, float, int, str]
"""Column and the ends of a row in ns, the step of its share, and that share as people read it."""


def spec(
    tiles: Sequence[Tile], columns: Sequence[str], domain: tuple[float, float], shares: Sequence[str], title: str
) -> Spec:
    """Columns from left to right; rows of latency are logarithmic over `domain`, ns. `shares` name the steps."""
    steps = list(range(len(shares)))
    values = [
        # A hair wider than they are, so that no gaps shine through between neighbours.
        {"x": column - 0.505, "x2": column + 0.505, "v": low, "high": high, "step": step, "c": column, "Share": share}
        for column, low, high, step, share in tiles
    ]
    words = f"{axes.duration_words('datum.v')} + ' to ' + {axes.duration_words('datum.high')}"
    across = {
        "field": "x",
        "type": "quantitative",
        "title": title or None,
        "scale": {"domain": [-0.5, max(1, len(columns)) - 0.5], "nice": False},
        "axis": {
            "values": list(range(0, len(columns), -(-len(columns) // MOST_LABELS) or 1)),
            "labelExpr": "columns[datum.value]",
            "grid": False,
        },
    }
    upright = axes.durations("v", domain, "latency")
    upright["scale"]["domain"] = [
        min(domain[0], upright["scale"]["domain"][0]),
        max(domain[1], upright["scale"]["domain"][1]),
    ]
    names = ("Column", "Latency", "Share")
    return framed(
        {
            "height": HEIGHT,
            "data": {"values": values},
            "transform": [{"calculate": "columns[datum.c]", "as": "Column"}, {"calculate": words, "as": "Latency"}],
            "mark": {"type": "rect", "opacity": 1, "clip": True},
            "encoding": {
                "x": across,
                "x2": {"field": "x2"},
                "y": upright,
                "y2": {"field": "high"},
                "color": {
                    "field": "step",
                    "type": "ordinal",
                    "scale": {"domain": steps, "range": list(HEAT)},
                    "legend": {"labelExpr": "shares[datum.value]", "symbolType": "square", "columns": 2},
                },
                "tooltip": [{"field": name, "type": "nominal"} for name in names],
            },
        },
        columns=columns,
        shares=shares,
    )
