"""The load line: latency against what was achieved, and what was achieved against what was offered."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from plimsoll.report.charts import axes, direct
from plimsoll.report.charts.vega import Spec, framed, keyed, short, switches
from plimsoll.report.palette import BAND, INK, MUTED, PAGE
from plimsoll.units import format_duration, scale

HEIGHT = 210
CLOSEST = 0.08
"""Share of the width between two loads that have their numbers beside them: what a telephone has room for."""
_TOLD = ("Target", "Load", "Throughput", "p50", "p99", "Note")
_TOOLTIP = [{"field": name, "type": "nominal"} for name in _TOLD]


@dataclass(frozen=True)
class Level:
    """What was measured at one load: a rate per second, latencies in ns where they are known, and words."""

    load: float
    rate: float
    p50_ns: float | None
    p99_ns: float | None
    said: str
    rate_said: str
    note: str


@dataclass(frozen=True)
class Curve:
    """The loads of one search in their order; the knee where one is told, and the objective, if any."""

    name: str
    levels: Sequence[Level]
    knee: tuple[float, float, float] | None
    """The ends of its interval with the knee between them, as loads."""
    objective: tuple[str, float] | None
    """What it is called, and its limit in ns."""


def latency(curves: Sequence[Curve], unit: str, load: str = "") -> Spec:
    """Latency, logarithmic, against throughput from zero; a line that turns back shows that more load gives less.

    `load` is what the numbers at the points of one curve are called; empty: there are none.
    """
    factor, name = scale(max(level.rate for curve in curves for level in curve.levels), unit)
    limits = list(dict.fromkeys(curve.objective for curve in curves if curve.objective))
    known = [ns for curve in curves for level in curve.levels for ns in (level.p50_ns, level.p99_ns) if ns]
    named = direct.numbered([curve.name for curve in curves])
    boxes, shown = switches(named)
    numbered = bool(load) and len(curves) == 1
    # What stands under the lowest points is no part of the axis.
    room = [min(known) * (min(known) / max(known)) ** 0.1] if numbered and known else []
    plane = {
        "x": {
            "field": "rate",
            "type": "quantitative",
            "title": (f"throughput, {name}" if name else "throughput")
            + (f"; at the points: {load}" if numbered else ""),
            "scale": {"zero": True},
            "axis": {"grid": False, "tickCount": 5},
        },
        "y": axes.durations("v", [*known, *room, *(limit for _, limit in limits)], "latency"),
    }
    rows = [
        {**_row(number, curve, level, factor), "v": max(1.0, ns), "p": percentile}
        for number, curve in enumerate(curves)
        for level in curve.levels
        for percentile, ns in (("p99", level.p99_ns), ("p50", level.p50_ns))
        if ns
    ]
    points = [row for row in rows if row["p"] == "p99"]
    ends = [
        direct.End(number, row["v"], f"{number + 1} {row['p']}" if len(curves) > 1 else row["p"])
        for number in range(len(curves))
        for row in _last([row for row in rows if row["g"] == number])
    ]
    rings = _rings(points, curves)
    # At the left edge the objective has its words.
    labelled = not limits or all(ring["rate"] > max(row["rate"] for row in points) / 2 for ring in rings)
    return framed(
        {
            "height": HEIGHT,
            "params": [axes.switched(on=True), *boxes],
            "layer": [
                *_limits(limits, plane["y"]),
                {
                    "data": {"values": rows},
                    "transform": [{"filter": shown}],
                    "encoding": {**plane, "order": {"field": "load", "type": "quantitative"}},
                    "layer": [_percentiles(named, {row["p"] for row in rows}), _marked(named)],
                },
                *_knees(rings, shown, plane, labelled=labelled),
                *([_numbers(_lowest(rows), plane)] if numbered and rows else []),
                *([direct.ends(ends, plane["y"]["scale"]["domain"], HEIGHT, [shown], plane)] if ends else []),
            ],
        },
        targets=named,
        names=[curve.name for curve in curves],
    )


def _lowest(rows: Sequence[Spec]) -> list[Spec]:
    """The rows of the lower line, in the order of their loads."""
    lower = min(row["p"] for row in rows)
    return sorted((row for row in rows if row["p"] == lower), key=_load)


def _numbers(rows: Sequence[Spec], plane: Spec) -> Spec:
    """Loads under their points, as far as there is room: the largest ones first, for there they lie closest."""
    room = CLOSEST * max(row["rate"] for row in rows)
    kept: list[Spec] = []
    for row in reversed(rows):
        if all(abs(row["rate"] - other["rate"]) >= room for other in kept):
            kept.append({**row, "number": f"{row['load']:,.6g}"})
    return {
        "data": {"values": kept},
        "mark": {"type": "text", "dy": 11, "fontSize": 9, "fill": INK},
        "encoding": {**plane, "text": {"field": "number"}},
    }


def _last(rows: Sequence[Spec]) -> list[Spec]:
    """Of each percentile the row of the highest load."""
    return list({row["p"]: row for row in sorted(rows, key=_load)}.values())


def _load(row: Spec) -> float:
    return float(row["load"])


def throughput(curves: Sequence[Curve], unit: str, load: str, *, offered: bool) -> Spec:
    """Throughput against the load as it was chosen, logarithmic; if `offered`, also what would keep up with it."""
    rates = [level.rate for curve in curves for level in curve.levels]
    factor, upright = axes.rates("rate", rates, unit, "throughput")
    loads = [level.load for curve in curves for level in curve.levels]
    low, high = min(loads), max(*loads, min(loads) * 2)
    named = direct.numbered([curve.name for curve in curves])
    boxes, shown = switches(named)
    across = {
        "field": "load",
        "type": "quantitative",
        "title": f"{load}, logarithmic",
        "scale": {"type": "log", "domain": [low, high], "nice": False},
        "axis": {
            "values": [tick for tick in axes.log_ticks(low, high) if low <= tick <= high],
            "labelExpr": "format(datum.value, ',.6~r')",
            "grid": True,
        },
    }
    plane = {"x": across, "y": upright}
    rows = [_row(number, curve, level, factor) for number, curve in enumerate(curves) for level in curve.levels]
    bands = [
        {"g": number, "load": max(low, curve.knee[0]), "high": min(high, curve.knee[2])}
        for number, curve in enumerate(curves)
        # What lies beyond the axis would press everything else together.
        if curve.knee and curve.knee[0] < high and curve.knee[2] > low
    ]
    kept = _as_offered(low, max(low, min(high, max(rates))), factor)
    same = {
        "data": {"values": kept},
        "mark": {"type": "line", "stroke": MUTED, "strokeWidth": 0.8, "strokeDash": [2, 2]},
        "encoding": plane,
    }
    spread = axes.spread(rates)
    switch = [axes.switched(on=spread)] if min(rates) > 0 else []
    own = [max((row for row in rows if row["g"] == number), key=_load) for number in range(len(curves))]
    ends = [direct.End(row["g"], row["rate"], str(row["g"] + 1)) for row in own if len(curves) > 1 and not spread]
    linear = [shown, *([f"!{axes.LOGARITHM}"] if switch else [])]
    return framed(
        {
            "height": HEIGHT,
            "params": [*switch, *boxes],
            "layer": [
                {
                    "data": {"values": bands},
                    "transform": [{"filter": shown}],
                    "mark": {"type": "rect", "fill": BAND, "opacity": 1},
                    "encoding": {"x": across, "x2": {"field": "high"}},
                },
                *([same] if offered else []),
                {
                    "data": {"values": rows},
                    "transform": [{"filter": shown}],
                    "encoding": plane,
                    "layer": [
                        {
                            "mark": {"type": "line", "strokeWidth": 1.8},
                            "encoding": keyed(named, dashed=True, forms=True),
                        },
                        _marked(named),
                    ],
                },
                *_knees(_rings(rows, curves), shown, plane, labelled=True),
                *([direct.ends_from_zero(ends, max(rates) / factor, HEIGHT, linear, plane)] if ends else []),
            ],
        },
        targets=named,
        names=[curve.name for curve in curves],
    )


def _as_offered(low: float, high: float, factor: float) -> list[Spec]:
    """Where throughput is what was offered; that is a straight line only where both axes are of one kind."""
    loads = [low * (high / low) ** (i / 40) for i in range(41)]
    return [{"load": short(load), "rate": short(load / factor)} for load in loads]


def _row(number: int, curve: Curve, level: Level, factor: float) -> Spec:
    told = (curve.name, level.said, level.rate_said, _duration(level.p50_ns), _duration(level.p99_ns), level.note)
    return {
        "g": number,
        "load": level.load,
        "rate": short(level.rate / factor),
        **dict(zip(_TOLD, (word or "n/a" for word in told), strict=True)),
    }


def _duration(ns: float | None) -> str:
    return format_duration(ns) if ns else ""


def _percentiles(named: Sequence[str], drawn: Collection[str]) -> Spec:
    """Lines of the percentiles; one alone is named at its end, and a key would tell of another that is not there."""
    widths = {
        "field": "p",
        "type": "ordinal",
        "scale": {"domain": ["p99", "p50"], "range": [1.8, 0.7]},
        "legend": {"symbolType": "stroke", "symbolStrokeColor": INK} if len(drawn) > 1 else None,
    }
    return {"mark": {"type": "line"}, "encoding": {**keyed(named, dashed=True, forms=True), "strokeWidth": widths}}


def _marked(named: Sequence[str]) -> Spec:
    return {
        "mark": {"type": "point", "filled": True, "size": 45, "opacity": 1, "stroke": PAGE, "strokeWidth": 0.7},
        "encoding": {
            **keyed(named, shaped=True),
            "tooltip": _TOOLTIP,
        },
    }


def _rings(rows: Sequence[Spec], curves: Sequence[Curve]) -> list[Spec]:
    """The row of each knee, which is the one at the nearest load."""
    knees = [(number, curve.knee[1]) for number, curve in enumerate(curves) if curve.knee]
    own = [([row for row in rows if row["g"] == number], load) for number, load in knees]
    return [min(found, key=lambda row: abs(math.log(row["load"] / load))) for found, load in own if found]


def _knees(rings: Sequence[Spec], shown: str, plane: Spec, *, labelled: bool) -> list[Spec]:
    """A ring around the load of each knee, and the word where it is the only one."""
    if not rings:
        return []
    ring = {"type": "point", "filled": False, "size": 190, "stroke": INK, "strokeWidth": 1.3}
    layers: list[Spec] = [{"mark": ring, "encoding": {"tooltip": _TOOLTIP}}]
    if labelled and len(rings) == 1:
        words = {"type": "text", "text": "knee", "align": "right", "dx": -9, "dy": -9, "fill": INK}
        layers.append({"mark": words})
    return [{"data": {"values": list(rings)}, "transform": [{"filter": shown}], "encoding": plane, "layer": layers}]


def _limits(limits: Sequence[tuple[str, float]], upright: Spec) -> list[Spec]:
    """A line at each objective with what it asks for."""
    if not limits:
        return []
    values = [{"v": limit, "said": said} for said, limit in limits]
    return [
        {
            "data": {"values": values},
            "encoding": {"y": upright},
            "layer": [
                {"mark": {"type": "rule", "stroke": INK, "strokeWidth": 1, "strokeDash": [6, 3]}},
                {
                    "mark": {"type": "text", "align": "left", "dx": 4, "dy": -8, "fill": INK},
                    "encoding": {"x": {"value": 0}, "text": {"field": "said"}},
                },
            ],
        }
    ]
