"""Lines of a few points in a table: how scores went, without axes. What it shows in words is its label."""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import Markup, escape

from plimsoll.report.printable import clean

WIDTH, HEIGHT, MARGIN = 96, 20, 3
MOST_LINES = 4
"""More could not be told apart."""

Values = Sequence[float | None]


def sparkline(lines: Sequence[Values], label: str) -> Markup:
    """Positive values from left to right, on one logarithmic scale; nothing where no line has two of them."""
    shown = [line for line in lines if sum(_drawable(value) for value in line) > 1][:MOST_LINES]
    if not shown:
        return Markup()
    logs = [math.log(value) for line in shown for value in line if value is not None and _drawable(value)]
    low, high = min(logs), max(logs)
    # Noise of a percent is no mountain.
    middle, half = (low + high) / 2, max((high - low) / 2, 0.025)
    drawn = Markup().join(
        Markup('<polyline class="l{}" points="{}"/>').format(number, _points(line, middle, half))
        for number, line in enumerate(shown)
    )
    said = escape(clean(label))
    return Markup(
        '<svg class="spark" viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="img" aria-label="{said}">'
        "<title>{said}</title>{drawn}</svg>"
    ).format(w=WIDTH, h=HEIGHT, said=said, drawn=drawn)


def _drawable(value: float | None) -> bool:
    return value is not None and 0 < value < math.inf


def _points(line: Values, middle: float, half: float) -> str:
    step = (WIDTH - 2 * MARGIN) / max(1, len(line) - 1)
    return " ".join(
        f"{MARGIN + place * step:.1f},{HEIGHT / 2 - (math.log(value) - middle) / half * (HEIGHT / 2 - MARGIN):.1f}"
        for place, value in enumerate(line)
        if value is not None and _drawable(value)
    )
