"""Names beside the lines that they belong to: numbers, as the names in the key have them."""

from __future__ import annotations

import math
from collections.abc import Sequence

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


def ends(last: Sequence[tuple[int, float]], domain: Sequence[float], height: float, shown: str, plane: Spec) -> Spec:
    """Numbers to the right of a chart with a logarithmic axis over `domain`, beside the last value of each target."""
    low, high = (math.log(end) for end in domain)
    heights = [(math.log(value) - low) / (high - low) * height for _, value in last]
    places = [math.exp(low + place / height * (high - low)) for place in apart(heights)]
    values = [{"g": target, "at": at, "place": str(target + 1)} for (target, _), at in zip(last, places, strict=True)]
    return {
        "data": {"values": values},
        # On the other axis they would stand elsewhere than their lines.
        "transform": [{"filter": shown}, {"filter": LOGARITHM}],
        "mark": {"type": "text", "align": "left", "dx": 3, "fontSize": 9, "fill": INK, "clip": False},
        "encoding": {
            "x": {"value": "width"},
            "y": {**plane["y"], "field": "at"},
            "text": {"field": "place"},
        },
    }
