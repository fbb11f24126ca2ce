"""Values over time, or over the positions of a disk: a line each, with the levels where one changed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from plimsoll.report.charts import axes, direct, packed, zoom
from plimsoll.report.charts.vega import Spec, framed, keyed, short, switches
from plimsoll.report.palette import INK
from plimsoll.units import GIB

HEIGHT = 190
_SECONDS = ((3 * 3600.0, 3600.0, "hour"), (600.0, 60.0, "minute"), (0.0, 1.0, "second"))


@dataclass(frozen=True)
class Line:
    """One line: the number of its target, what else tells it apart if anything, and points (s or bytes, value)."""

    target: int
    called: str
    points: Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Step:
    """A level where a line changed; `name` where it has one."""

    target: int
    name: str
    start: float
    end: float
    mean: float


@dataclass(frozen=True)
class _Axis:
    """The horizontal one: how many base units one on it is, and its name in the singular and as a title."""

    factor: float
    name: str
    title: str


def over_time(
    lines: Sequence[Line], targets: Sequence[str], unit: str, steps: Sequence[Step] = (), *, what: str = ""
) -> Spec:
    """Lines of points (s, value). Zero belongs to the axis of rates: a stall has to look like one."""
    last = max((x for line in lines for x, _ in line.points), default=1.0)
    factor, name = time_unit(last)
    return _spec(lines, targets, unit, steps, _Axis(factor, name, f"{name}s"), what)


def time_unit(last: float) -> tuple[float, str]:
    """The seconds in the unit of an axis that ends at `last` seconds, and its name in the singular."""
    return next((factor, name) for least, factor, name in _SECONDS if last >= least)


def over_capacity(lines: Sequence[Line], targets: Sequence[str], unit: str) -> Spec:
    """Lines of points (byte, value)."""
    return _spec(lines, targets, unit, (), _Axis(GIB, "GiB", "position, GiB"), "")


def over_growth(lines: Sequence[Line], targets: Sequence[str], unit: str, *, what: str) -> Spec:
    """Lines of points (growth of a load as a share, value)."""
    return _spec(lines, targets, unit, (), _Axis(0.01, "%", "more load, %"), what)


def _spec(
    lines: Sequence[Line], targets: Sequence[str], unit: str, steps: Sequence[Step], across: _Axis, what: str
) -> Spec:
    values = [value for line in lines for _, value in line.points if math.isfinite(value)]
    ends = [x / across.factor for line in lines for x, _ in line.points]
    switch: list[Spec] = []
    if unit == "ns":
        factor, upright = 1.0, axes.durations("v", values, what)
        switch = [axes.switched(on=True)]
    elif unit == "%":
        factor = 1.0
        upright = {"field": "v", "type": "quantitative", "title": f"{what}, %", "scale": {"domain": [0, 100]}}
    else:
        factor, upright = axes.rates("v", [0.0, *values], unit, what)
        switch = [axes.switched(on=False)] if min(values, default=0.0) > 0 else []
    places, rows = packed.rows([(line.target, line.points) for line in lines], across.factor, factor)
    # Many are called alike, but for their target.
    called = list(dict.fromkeys(line.called for line in lines))
    for row, line in zip(rows, lines, strict=True):
        row["said"] = called.index(line.called)
    called = [f", {words}" if words else "" for words in called]
    named = direct.numbered(targets)
    boxes, shown = switches(named)
    levels = [
        {
            "g": each.target,
            "name": each.name,
            "start": short(each.start / across.factor),
            "end": short(each.end / across.factor),
            "v": short(each.mean / factor),
        }
        for each in steps
    ]
    plane = {"x": zoom.axis(across.title), "y": upright}
    told = _told(unit, axes.named(upright), across)
    return framed(
        {
            "height": HEIGHT,
            "params": [*switch, *boxes, *zoom.controls(0.0, max([*ends, 0.0]) or 1.0, across.name)],
            "layer": [
                {
                    "data": {"values": rows},
                    "transform": [{"filter": shown}, *packed.unpacked(), *zoom.in_sight()],
                    "encoding": plane,
                    "layer": [_whole(told, named), _medians(told, named, plane)],
                },
                *_levels(levels, shown, named, plane),
                *_ends(lines, factor, shown, max([*ends, 0.0]), plane),
            ],
        },
        targets=named,
        names=targets,
        runs=called,
        places=places,
    )


def _ends(lines: Sequence[Line], factor: float, shown: str, last: float, plane: Spec) -> list[Spec]:
    """The number of each of several targets at the end of its lines, while that is in sight."""
    own: dict[int, list[float]] = {}
    for line in lines:
        own.setdefault(line.target, []).extend(value for _, value in line.points[-1:] if math.isfinite(value))
    ends = [direct.End(target, median(values) / factor, str(target + 1)) for target, values in own.items() if values]
    scale = plane["y"]["scale"]
    if len(own) < 2 or (scale.get("type") == "log") != ("domain" in scale):
        return []
    conditions = [shown, f"to_x >= {short(last)}"]
    if scale.get("type") == "log":
        known = [direct.End(end.target, max(1.0, end.value), end.word) for end in ends]
        return [direct.ends(known, scale["domain"], HEIGHT, conditions, plane)]
    values = [value / factor for line in lines for _, value in line.points if math.isfinite(value)]
    if max(values) <= 0:
        return []
    if min(values) > 0:
        conditions.append(f"!{axes.LOGARITHM}")
    return [direct.ends_from_zero(ends, max(values), HEIGHT, conditions, plane)]


def _told(unit: str, title: str, across: _Axis) -> dict[str, list[Spec]]:
    """What hovering says of a point, and of a span of many."""

    def fields(who: str, *shown: tuple[str, str]) -> list[Spec]:
        first = [
            {"field": "said", "type": "nominal", "title": who},
            {"field": "x", "title": across.title.capitalize(), "format": ",.4~r"},
        ]
        if unit == "ns":
            return [*first, *({"field": f"{field}_said", "type": "nominal", "title": name} for field, name in shown)]
        return [
            *first,
            *({"field": field, "title": f"{name} in {title}", "format": ",.3~r"} for field, name in shown),
        ]

    return {
        "one": fields("Run", ("v", "Rate" if unit.endswith("/s") else "Value")),
        "many": fields("Target", ("v", "Median"), ("low", "Lowest"), ("high", "Highest")),
        "words": [
            {"calculate": axes.duration_words(f"datum.{name}"), "as": f"{name}_said"} for name in ("v", "low", "high")
        ]
        if unit == "ns"
        else [],
    }


def _dot(told: list[Spec]) -> Spec:
    """What the mouse finds: a line alone answers only at its beginning."""
    return {"mark": {"type": "point", "filled": True, "size": 70, "opacity": 0}, "encoding": {"tooltip": told}}


def _whole(told: dict[str, list[Spec]], targets: Sequence[str]) -> Spec:
    line = {
        "mark": {"type": "line", "strokeWidth": 1},
        "encoding": {"detail": {"field": "r"}, **keyed(targets, dashed=True)},
    }
    alone = {
        # A line of one point shows nothing.
        "transform": [
            {"joinaggregate": [{"op": "count", "as": "own"}], "groupby": ["r"]},
            {"filter": "datum.own == 1"},
        ],
        "mark": {"type": "point", "filled": True, "size": 40, "opacity": 1},
        "encoding": keyed(targets),
    }
    said = {"calculate": "names[datum.g] + runs[datum.said]", "as": "said"}
    return {"transform": [zoom.few(), said, *told["words"][:1]], "layer": [line, alone, _dot(told["one"])]}


def _medians(told: dict[str, list[Spec]], targets: Sequence[str], plane: Spec) -> Spec:
    band = {
        "mark": {"type": "area", "opacity": 0.18},
        "encoding": {"y": {**plane["y"], "field": "low"}, "y2": {"field": "high"}, **keyed(targets)},
    }
    line = {"mark": {"type": "line", "strokeWidth": 1.6}, "encoding": keyed(targets, dashed=True)}
    said = {"calculate": "names[datum.g]", "as": "said"}
    many = zoom.spans(len(targets))
    return {"transform": [*many, said, *told["words"]], "layer": [band, line, _dot(told["many"])]}


def _levels(levels: list[Spec], shown: str, targets: Sequence[str], plane: Spec) -> list[Spec]:
    if not levels:
        return []
    part = [
        {"filter": shown},
        {"calculate": "max(datum.start, from_x)", "as": "x"},
        {"calculate": "min(datum.end, to_x)", "as": "x2"},
        {"filter": "datum.x < datum.x2"},
    ]
    rule = {"mark": {"type": "rule", "strokeWidth": 2.5}, "encoding": {"x2": {"field": "x2"}, **keyed(targets)}}
    words = {
        "transform": [{"filter": "datum.name"}],
        "mark": {"type": "text", "align": "left", "dy": -7, "fill": INK},
        "encoding": {"text": {"field": "name"}},
    }
    return [{"data": {"values": levels}, "transform": part, "encoding": plane, "layer": [rule, words]}]
