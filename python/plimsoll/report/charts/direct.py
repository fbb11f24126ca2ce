"""Words beside the lines that they belong to: numbers, as the names in the key have them, or what a line shows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from plimsoll.report.charts.axes import LOGARITHM
from plimsoll.report.charts.vega import Spec
from plimsoll.report.palette import INK

LETTERS = 11.0
"""Height of a number, in the units of a chart."""


def numbered(names: Sequence[str]) -> list[str]:
    """Names with their numbers, from 1; one alone needs none."""
    return [f"{i} {name}" for i, name in enumerate(names, 1)] if len(names) > 1 else list(names)


def apart(places: Sequence[float], least: float = LETTERS) -> list[float]:
    """The places, moved as little as needed for `least` between neighbours, in the order in which they came."""
    order = sorted(range(len(places)), key=lambda i: places[i])
    groups: list[list[int]] = []
    for i in order:
        groups.append([i])
        while len(groups) > 1 and _begin(groups[-1], places, least) < _end(groups[-2], places, least) + least:
            groups[-2:] = [groups[-2] + groups[-1]]
    found = list(places)
    for group in groups:
        start = _begin(group, places, least)
        for k, i in enumerate(group):
            found[i] = start + k * least
    return found


def _begin(group: Sequence[int], places: Sequence[float], least: float) -> float:
    return sum(places[i] for i in group) / len(group) - least * (len(group) - 1) / 2


def _end(group: Sequence[int], places: Sequence[float], least: float) -> float:
    return _begin(group, places, least) + least * (len(group) - 1)


@dataclass(frozen=True)
class End:
    """The last value of a line: the number of its target, and what it is called there."""

    target: int
    value: float
    word: str


def ends(last: Sequence[End], domain: Sequence[float], height: float, shown: Sequence[str], plane: Spec) -> Spec:
    """Words to the right of a chart with a logarithmic axis over `domain`, beside the last value of each line.

    `shown` are conditions.
    """
    low, high = (math.log(end) for end in domain)
    heights = [(math.log(end.value) - low) / (high - low) * height for end in last]
    places = [math.exp(low + place / height * (high - low)) for place in apart(heights)]
    # On the other axis they would stand elsewhere than their lines.
    return _words(last, places, [*shown, LOGARITHM], plane)


def ends_from_zero(last: Sequence[End], most: float, height: float, shown: Sequence[str], plane: Spec) -> Spec:
    """The same beside a linear axis from zero to about `most`."""
    places = [place * most / height for place in apart([end.value / most * height for end in last], LETTERS * 1.25)]
    return _words(last, places, shown, plane)


def _words(last: Sequence[End], places: Sequence[float], shown: Sequence[str], plane: Spec) -> Spec:
    values = [{"g": end.target, "at": at, "place": end.word} for end, at in zip(last, places, strict=True)]
    return {
        "data": {"values": values},
        "transform": [{"filter": each} for each in shown],
        "mark": {"type": "text", "align": "left", "dx": 3, "fontSize": 9, "fill": INK, "clip": False},
        "encoding": {
            "x": {"value": "width"},
            "y": {**plane["y"], "field": "at"},
            "text": {"field": "place"},
        },
    }
