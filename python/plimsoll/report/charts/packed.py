"""Lines of many points, as few letters as they need: their values in one row each, beside places that many share."""

from __future__ import annotations

import math
from collections.abc import Sequence

from plimsoll.report.charts.vega import Spec, short

Points = Sequence[tuple[float, float]]


def rows(lines: Sequence[tuple[int, Points]], across: float, factor: float) -> tuple[list[list[float]], list[Spec]]:
    """For each line, given with the number of what it belongs to, a row; and the places that rows name by number.

    Both are divided by what one on their axis is. Values that are not finite are left out.
    """
    known: list[tuple[float, ...]] = []
    found: list[Spec] = []
    # The longest first: others that only end earlier share its places.
    order = sorted(range(len(lines)), key=lambda number: -len(lines[number][1]))
    for number in order:
        target, line = lines[number]
        points = [(x, value) for x, value in line if math.isfinite(value)]
        places = tuple(x for x, _ in points)
        at = next((i for i, each in enumerate(known) if each[: len(places)] == places), len(known))
        known += [places] if at == len(known) else []
        values = [short(value / factor, 3) for _, value in points]
        found.append({"g": target, "r": number, "at": at, "v": values})
    shortened = [[short(x / across, 6) for x in places] for places in known]
    return shortened, sorted(found, key=lambda row: int(row["r"]))


def unpacked() -> list[Spec]:
    """What makes points `x`, `v` of such rows again; the places are the parameter `places`."""
    return [
        {"flatten": ["v"]},
        {"window": [{"op": "row_number", "as": "i"}], "groupby": ["r"]},
        {"calculate": "places[datum.at][datum.i - 1]", "as": "x"},
    ]
