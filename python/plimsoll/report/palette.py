"""Colours, shapes and dashes of the charts. Series differ in all three, so that none is told by colour alone.

Charts are drawn in the light colours; pages recolour exactly these values for dark mode. Both sets stay apart for the
three common kinds of colour blindness and reach a contrast of 3 or more against their background.
"""

from __future__ import annotations

PAGE, INK, MUTED, GRID, BAND = "#ffffff", "#1d2329", "#5b6571", "#dde2e8", "#e3e9f0"
COLOURS = ("#0067b1", "#d55e00", "#009e73", "#a0348e", "#7a5c00", "#6b7280")
GREEN, BLUE, ORANGE, GREY = COLOURS[2], COLOURS[0], COLOURS[1], COLOURS[5]
DARK = {
    PAGE: "#14181d",
    INK: "#e8ebee",
    MUTED: "#a6b0bb",
    GRID: "#333b44",
    BAND: "#2a323b",
    "#0067b1": "#5aa9e6",
    "#d55e00": "#f28c45",
    "#009e73": "#2fc4a0",
    "#a0348e": "#d98cc9",
    "#7a5c00": "#e0c04a",
    "#6b7280": "#aab2bd",
}

HEAT = {
    "#e1ebf5": "#1f2c3a",
    "#c3d9ee": "#24425f",
    "#98c0e2": "#2b5b87",
    "#64a0d1": "#3a7ab3",
    "#357dba": "#5a9dd6",
    "#155a9c": "#8dc0ee",
    "#083a75": "#cfe6fb",
}
"""From little to much: light colours and their dark counterparts, each step clearly apart from the next."""

_SHAPES = ("circle", "square", "triangle-up", "diamond", "plus", "triangle-down", "triangle-right")
_DASHES = ("", "6 3", "2 2", "8 2 2 2", "10 4", "4 1", "1 3")


def colour(series: int) -> str:
    """Colour of a series by its place."""
    return COLOURS[series % len(COLOURS)]


def shape(series: int) -> str:
    """Point shape of a series; there is one more than colours, so that the pair repeats only after 42 series."""
    return _SHAPES[series % len(_SHAPES)]


def dash(series: int) -> str:
    """Dash pattern of a series, as SVG writes it; empty for a full line."""
    return _DASHES[series % len(_DASHES)]


def dark_style() -> str:
    """CSS that gives every colour of a chart its dark counterpart."""
    rules = "".join(
        f'.chart [fill="{light}"] {{ fill: {dark}; }}\n.chart [stroke="{light}"] {{ stroke: {dark}; }}\n'
        for light, dark in (DARK | HEAT).items()
    )
    return f"@media screen and (prefers-color-scheme: dark) {{\n{rules}}}\n"
