"""Many points: where more are in sight than can be told apart, the median and the range of short spans of them.

A reader chooses what is in sight with two controls, and the browser reckons again: few enough points are drawn as they
are.
"""

from __future__ import annotations

import math

from plimsoll.report.charts.vega import Spec, short

MOST_POINTS = 200
"""More are drawn as medians and ranges."""
NOTE = (
    f"A chart of more than {MOST_POINTS} points shows medians over short spans and a band from the lowest to the "
    "highest value instead; choose a part of it to see every point."
)
FEWEST_SPANS = 20
SIGHT = "[from_x, to_x]"
"""The expression of the part that is in sight."""


def is_condensed(points: int) -> bool:
    """Whether medians are drawn in place of so many points."""
    return points > MOST_POINTS


def controls(first: float, last: float, what: str, *, whole: bool = False) -> list[Spec]:
    """Two controls that leave a part of the axis, from `first` to `last` or a round number above; in whole steps."""
    # Whichever of the two is larger.
    ends: list[Spec] = [
        {"name": "from_x", "expr": "min(first_x, last_x)"},
        {"name": "to_x", "expr": "max(first_x, last_x)"},
    ]
    if last <= first:
        return [{"name": "first_x", "value": first}, {"name": "last_x", "value": last}, *ends]
    if not whole:
        round_to = 10.0 ** (math.floor(math.log10(last - first)) - 2)
        last = first + short(math.ceil((last - first) / round_to) * round_to)
    bind = {"input": "range", "min": first, "max": last, "step": 1 if whole else (last - first) / 200}
    return [
        {"name": "first_x", "value": first, "bind": {**bind, "name": f"From {what}"}},
        {"name": "last_x", "value": last, "bind": {**bind, "name": f"to {what}"}},
        *ends,
    ]


def axis(title: str, **more: object) -> Spec:
    """The horizontal axis: the part that is in sight."""
    return {
        "field": "x",
        "type": "quantitative",
        "title": title,
        "scale": {"domain": [{"expr": "from_x"}, {"expr": "to_x"}], "nice": False},
        "axis": {"grid": False, "tickCount": 5, **more},
    }


def in_sight() -> list[Spec]:
    """Leave what is in sight, each point with how many there are."""
    return [{"filter": f"inrange(datum.x, {SIGHT})"}, {"joinaggregate": [{"op": "count", "as": "points"}]}]


def few() -> Spec:
    """Leave all points, or none where they are too many to be told apart."""
    return {"filter": f"datum.points <= {MOST_POINTS}"}


def spans(series: int) -> list[Spec]:
    """Where there are too many, the median `v`, `low`, `high` and number of each series `g` in each span."""
    count = max(FEWEST_SPANS, MOST_POINTS // series)
    place = f"min({count - 1}, floor((datum.x - from_x) / (to_x - from_x) * {count}))"
    found = [("median", "v", "v"), ("min", "v", "low"), ("max", "v", "high"), ("mean", "x", "x")]
    return [
        {"filter": f"datum.points > {MOST_POINTS}"},
        {"calculate": place, "as": "span"},
        {
            "aggregate": [
                *({"op": op, "field": field, "as": name} for op, field, name in found),
                {"op": "count", "as": "runs"},
            ],
            "groupby": ["g", "span"],
        },
    ]
