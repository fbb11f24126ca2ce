"""Draws a chart as SVG.

Why not a charting library: a report has up to a hundred small charts of four kinds, and through Altair and vl-convert
each took 50 to 600 ms, mostly for measuring text; this takes about one. Equal data also give equal bytes.
Charts are `WIDTH` units wide, a telephone's width, so that text keeps its size there; pages lay several side by side.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from plimsoll.report.palette import BAND, GRID, INK, MUTED, PAGE, SHAPES, colour, dash, shape, symbols
from plimsoll.report.printable import clean
from plimsoll.report.scales import Scale

WIDTH, HEIGHT = 340, 224
FONT = "Arial, Helvetica, 'Liberation Sans', sans-serif"
TEXT_SIZE = 11
LABEL_LIMIT = 160
"""Longest label beside an axis; the rest is cut off and is in the table below the chart."""
TOP, RIGHT, BOTTOM = 24, 10, 36
TITLE_HEIGHT, KEY_LINE = 24, 18
_NARROW, _WIDE = set("ijl.,:;|!'()[] ft/"), set("mwMW@%…")

Point = tuple[float, float]


def text_width(words: str, size: float = TEXT_SIZE) -> float:
    """About as wide as Arial sets it; no font is read."""
    return size * sum(map(_letter_width, words))


def _letter_width(letter: str) -> float:
    if letter in _NARROW:
        return 0.3
    if letter in _WIDE or ord(letter) > 0x2E80:
        return 0.95
    return 0.67 if letter.isupper() else 0.556


def shortened(words: str, limit: float, size: float = TEXT_SIZE) -> str:
    """`words`, or their beginning with an ellipsis where they are wider than `limit`."""
    if text_width(words, size) <= limit:
        return words
    while words and text_width(words + "…", size) > limit:
        words = words[:-1]
    return words.rstrip() + "…"


class Canvas:
    """A plot area with two axes. Marks are given in data values and drawn in the order in which they are added."""

    def __init__(self, x: Scale, y: Scale, height: int = HEIGHT, *, rows: bool = False) -> None:
        """With `rows`, y counts names from top to bottom, without grid lines."""
        self.x, self.y, self.rows, self.height = x, y, rows, height
        self.labels = [shortened(label, LABEL_LIMIT) for _, label in y.ticks]
        self.left = 10 + max((text_width(label) for label in self.labels), default=0)
        self.marks: list[str] = []

    def px(self, value: float) -> float:
        """Horizontal place of a value."""
        return self.left + self.x.place(value) * (WIDTH - RIGHT - self.left)

    def py(self, value: float) -> float:
        """Vertical place of a value."""
        share = self.y.place(value)
        return TOP + (share if self.rows else 1 - share) * (self.height - TOP - BOTTOM)

    def line(self, points: Iterable[Point], series: int, width: float = 1.8, opacity: float = 1) -> None:
        """A line in the look of a series."""
        path = "L".join(f"{self.px(x):.1f},{self.py(y):.1f}" for x, y in points)
        dashes = f' stroke-dasharray="{dash(series)}"' if dash(series) else ""
        faint = f' opacity="{opacity:g}"' if opacity < 1 else ""
        self.marks.append(
            f'<path d="M{path}" fill="none" stroke="{colour(series)}" stroke-width="{width:g}"{dashes}{faint}/>'
        )

    def points(self, points: Iterable[Point], series: int) -> None:
        """Points in the look of a series."""
        self.symbols(points, colour(series), shape(series))

    def symbols(self, points: Iterable[Point], fill: str, form: str) -> None:
        """Points of one colour and shape."""
        path = "".join(f"M{self.px(x):.1f},{self.py(y):.1f}{SHAPES[form]}" for x, y in points)
        if path:
            self.marks.append(f'<path d="{path}" fill="{fill}" stroke="{PAGE}" stroke-width="0.7"/>')

    def crosses(self, points: Iterable[Point]) -> None:
        """Grey crosses: something that does not count."""
        path = "".join(f"M{self.px(x):.1f},{self.py(y):.1f}m-3,-3l6,6m0,-6l-6,6" for x, y in points)
        if path:
            self.marks.append(f'<path d="{path}" fill="none" stroke="{MUTED}" stroke-width="1.5"/>')

    def rules(self, ends: Iterable[tuple[Point, Point]], stroke: str = MUTED, width: float = 0.8) -> None:
        """Straight lines between pairs of points, as one path."""
        path = "".join(
            f"M{self.px(a):.1f},{self.py(b):.1f}L{self.px(c):.1f},{self.py(d):.1f}" for (a, b), (c, d) in ends
        )
        if path:
            self.marks.append(f'<path d="{path}" fill="none" stroke="{stroke}" stroke-width="{width:g}"/>')

    def tiles(self, tiles: Iterable[tuple[float, float, float, float, str]]) -> None:
        """Filled boxes (left, bottom, right, top, colour) in data values; those of one colour are one path."""
        paths: dict[str, list[str]] = {}
        for left, bottom, right, top, fill in tiles:
            x, y = self.px(left), self.py(top)
            # A hair wider than they are, so that no gaps shine through between neighbours.
            across, down = self.px(right) - x + 0.3, self.py(bottom) - y + 0.3
            paths.setdefault(fill, []).append(f"M{x:.1f},{y:.1f}h{across:.1f}v{down:.1f}h{-across:.1f}z")
        self.marks += [f'<path d="{"".join(path)}" fill="{fill}"/>' for fill, path in paths.items()]

    def shade(self, low: float, high: float) -> None:
        """A vertical band over the whole height."""
        start, end = self.px(low), self.px(high)
        size = f'width="{end - start:.1f}" height="{self.height - TOP - BOTTOM}"'
        self.marks.append(f'<rect x="{start:.1f}" y="{TOP}" {size} fill="{BAND}"/>')

    def words(self, x: float, y: float, text: str) -> None:
        """A few words above a point, kept inside the picture."""
        place = min(self.px(x), WIDTH - text_width(text) - 2)
        self.marks.append(_text(place, self.py(y) - 5, text, INK, "start"))

    def above(self, x: float, text: str) -> None:
        """A sign above the plot area."""
        self.marks.append(_text(self.px(x), TOP - 5, text, MUTED, "middle"))

    def svg(self, title: str, description: str, series: Sequence[str], looks: Sequence[tuple[str, str]] = ()) -> str:
        """A file that stands alone: with title, key and background."""
        key, key_height = _key(series, looks or symbols(len(series)))
        height = TITLE_HEIGHT + self.height + key_height
        heading = _text(6, 18, shortened(title, WIDTH - 12, 14), INK, "start", 'font-weight="bold"', size=13)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
            f'role="img" aria-label="{escape(clean(description))}" font-family="{FONT}" font-size="{TEXT_SIZE}">'
            f'<rect width="{WIDTH}" height="{height}" fill="{PAGE}"/>{heading}'
            f'<g transform="translate(0,{TITLE_HEIGHT})">{self._body()}</g>'
            f'<g transform="translate(0,{TITLE_HEIGHT + self.height})">{key}</g></svg>\n'
        )

    def inline(self, description: str) -> str:
        """An `<svg>` element for a page, which has its own title, key and background."""
        label = escape(clean(description))
        return (
            f'<svg class="chart" viewBox="0 0 {WIDTH} {self.height}" role="img" aria-label="{label}" '
            f'font-family="{FONT}" font-size="{TEXT_SIZE}">{self._body()}</svg>'
        )

    def _body(self) -> str:
        return "".join([*self._axes(), *self.marks])

    def _axes(self) -> Iterable[str]:
        bottom, right = self.height - BOTTOM, WIDTH - RIGHT
        grid = "" if self.rows else "".join(f"M{self.left:.1f},{self.py(y):.1f}H{right}" for y, _ in self.y.ticks)
        if self.x.log or self.x.title == "seconds":
            grid += "".join(f"M{self.px(x):.1f},{TOP}V{bottom}" for x, _ in self.x.ticks)
        yield f'<path d="{grid}" stroke="{GRID}" stroke-width="1"/>'
        ticks = "".join(f"M{self.px(x):.1f},{bottom}v4" for x, _ in self.x.ticks)
        upright = "" if self.rows else f"M{self.left:.1f},{TOP}V{bottom}"
        frame = f"M{self.left:.1f},{bottom}H{right}{upright}{ticks}"
        yield f'<path d="{frame}" stroke="{MUTED}" stroke-width="0.8" fill="none"/>'
        for (place, _), label in zip(self.y.ticks, self.labels, strict=True):
            yield _text(self.left - 6, self.py(place) + 3.8, label, MUTED, "end")
        for place, label in self._apart():
            yield _text(place, bottom + 15, label, MUTED, "middle")
        if self.x.title:
            yield _text((self.left + right) / 2, bottom + 30, self.x.title, MUTED, "middle")
        if self.y.title:
            yield _text(4, TOP - 11, self.y.title, MUTED, "start")

    def _apart(self) -> Iterable[tuple[float, str]]:
        """Labels of the x axis with their places, without those that would touch the one before."""
        reached = -1e9
        for value, label in self.x.ticks:
            half = text_width(label) / 2
            place = min(max(self.px(value), half), WIDTH - half - 1)
            if place - half >= reached + 5:
                yield place, label
                reached = place + half


def _text(x: float, y: float, words: str, fill: str, anchor: str, extra: str = "", size: float = TEXT_SIZE) -> str:
    sized = f' font-size="{size:g}"' if size != TEXT_SIZE else ""
    spaced = f" {extra}" if extra else ""
    place = f'x="{x:.1f}" y="{y:.1f}"'
    return (
        f'<text {place} fill="{fill}" text-anchor="{anchor}"{sized}{spaced}>{escape(clean(words), quote=False)}</text>'
    )


def _key(series: Sequence[str], looks: Sequence[tuple[str, str]]) -> tuple[str, int]:
    """Symbols and names in as many lines as they need, and the height of all; nothing for a single series."""
    if len(series) < 2:
        return "", 0
    parts, x, line = [], 6.0, 0
    for name, (fill, form) in zip(series, looks, strict=True):
        shown = shortened(name, WIDTH - 40)
        wide = 20 + text_width(shown) + 12
        if x > 6 and x + wide > WIDTH:
            x, line = 6.0, line + 1
        y = 8 + KEY_LINE * line
        parts.append(
            f'<path d="M{x + 6:.1f},{y}{SHAPES[form]}" fill="{fill}"/>{_text(x + 16, y + 4, shown, INK, "start")}'
        )
        x += wide
    return "".join(parts), KEY_LINE * (line + 1) + 6
