"""A chart as a specification for Vega-Lite: drawn by the reader's browser, and here for paper and files."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from plimsoll.report.palette import GRID, INK, MUTED, PAGE, colour, dash, shape
from plimsoll.report.printable import clean

Spec = dict[str, Any]

WIDTH = 340
"""Of a still picture: a telephone's width, so that words keep their size there. A browser draws as wide as the page."""
FONT = "Arial, Helvetica, 'Liberation Sans', sans-serif"
TEXT_SIZE = 11
LABEL_SHARE = 0.45
"""Of the width, the most that labels beside an axis take; the table below the chart has all of their words."""

LONG_NAME = 14
"""Letters of a name that stands alone in its line of the key."""

_FORMS = {"plus": "cross"}
"""Forms that Vega calls otherwise."""

CONFIG = {
    # The element around the picture says in words what it shows; the parts of it would only be noise.
    "aria": False,
    "font": FONT,
    "view": {"stroke": None},
    "axis": {
        **dict.fromkeys(("labelColor", "titleColor", "domainColor", "tickColor"), MUTED),
        **dict.fromkeys(("labelFontSize", "titleFontSize"), TEXT_SIZE),
        "gridColor": GRID,
        "titleFontWeight": "normal",
        "labelOverlap": "greedy",
    },
    "legend": {
        "orient": "bottom",
        "title": None,
        "labelColor": INK,
        "labelFontSize": TEXT_SIZE,
        "symbolOpacity": 1,
        "symbolStrokeWidth": 0,
        "labelLimit": {"expr": f"wide * {LABEL_SHARE}"},
        "layout": {"bottom": {"direction": "vertical", "anchor": "start", "margin": 4, "offset": 8}},
    },
    "title": {"color": INK, "fontSize": 13, "anchor": "start", "frame": "bounds", "limit": WIDTH - 12},
}


@dataclass(frozen=True)
class Vega:
    """A picture that a browser draws; one that says what is essential is `still` as well, for pages without scripts."""

    spec: Spec
    still: bool = False

    def data(self) -> str:
        """The specification as JSON that can stand between the tags of a page, whose script knows the rest."""
        own = {key: value for key, value in self.spec.items() if key != "config"}
        text = json.dumps(own, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")

    def inline(self, description: str) -> str:
        """The still picture as an element of a page."""
        return _opened(_drawn(self.spec), description, ' class="chart"')

    def svg(self, title: str, description: str) -> str:
        """A file that stands alone."""
        return _opened(_drawn({**self.spec, "title": title, "background": PAGE}), description, "") + "\n"


def framed(parts: Mapping[str, Any], **values: Sequence[object]) -> Spec:
    """A specification with what all charts share; expressions find `values` under their names."""
    known = [{"name": name, "value": list(value)} for name, value in values.items()]
    spec = {
        "width": WIDTH,
        "autosize": {"type": "fit-x", "contains": "padding"},
        # Browsers without Arial set words wider than vl-convert has measured.
        "padding": {"left": 14, "right": 8, "top": 5, "bottom": 5},
        # A page has its own, light or dark.
        "background": None,
        "config": CONFIG,
        **parts,
        "params": [{"name": "wide", "value": WIDTH}, *known, *parts.get("params", ())],
    }
    return {key: _harmless(value) for key, value in spec.items()}


def _harmless(value: Any) -> Any:
    """Words as they may be shown: JSON would bring back what a page must not hold."""
    match value:
        case str():
            return clean(value)
        case dict():
            return {key: _harmless(each) for key, each in value.items()}
        case list():
            return [each if type(each) in _NUMBERS else _harmless(each) for each in value]
    return value


_NUMBERS = frozenset({int, float, bool})


def switches(names: Sequence[str]) -> tuple[list[Spec], str]:
    """A checkbox for each of several names, and the expression that tells whether target number `datum.g` is shown."""
    if len(names) < 2:
        return [], "true"
    boxes: list[Spec] = [
        {"name": f"shown_{i}", "value": True, "bind": {"input": "checkbox", "name": name}}
        for i, name in enumerate(names)
    ]
    return boxes, f"[{', '.join(str(box['name']) for box in boxes)}][datum.g]"


def short(value: float, digits: int = 4) -> float:
    """With as many digits as a picture can show, and as few letters as they need."""
    found = float(f"{value:.{digits}g}")
    return int(found) if found.is_integer() else found


def keyed(targets: Sequence[str], *, dashed: bool = False, shaped: bool = False, forms: bool = False) -> Spec:
    """Colour, and with `dashed` the kind of line or with `shaped` the form, of target number `datum.g`, in one key.

    A chart has one key for all of its parts: with `forms` it shows forms also beside what has none.
    """
    numbers = list(range(len(targets)))
    columns = 1 if max(map(len, targets)) > LONG_NAME else 3
    key: Spec = {"labelExpr": "targets[datum.value]", "columns": columns}
    if not shaped and not forms:
        key |= {"symbolType": "stroke", "symbolStrokeWidth": 2}
    shared: Spec = {"field": "g", "type": "nominal", "legend": key if len(targets) > 1 else None}
    found = {"color": {**shared, "scale": {"domain": numbers, "range": [colour(each) for each in numbers]}}}
    if dashed:
        dashes = [[float(length) for length in dash(each).split()] or [1, 0] for each in numbers]
        found["strokeDash"] = {**shared, "scale": {"domain": numbers, "range": dashes}}
    if shaped:
        found["shape"] = {
            **shared,
            "scale": {"domain": numbers, "range": [_form(each) for each in numbers]},
        }
    return found


def blocks(targets: Sequence[str]) -> Spec:
    """Colour of target number `datum.g`, with squares in the key."""
    numbers = list(range(len(targets)))
    columns = 1 if max(map(len, targets)) > LONG_NAME else 3
    key = {"labelExpr": "targets[datum.value]", "symbolType": "square", "columns": columns}
    return {
        "field": "g",
        "type": "nominal",
        "scale": {"domain": numbers, "range": [colour(each) for each in numbers]},
        "legend": key if len(targets) > 1 else None,
    }


def in_forms(field: str, most: int = 42) -> Spec:
    """Colour and form of number `field`, without a key."""
    numbers = list(range(most))
    looks = {"color": [colour(each) for each in numbers], "shape": [_form(each) for each in numbers]}
    return {
        channel: {"field": field, "type": "nominal", "scale": {"domain": numbers, "range": found}, "legend": None}
        for channel, found in looks.items()
    }


def _form(series: int) -> str:
    return _FORMS.get(shape(series), shape(series))


_PLACES = re.compile(r' (?:transform|d|x|y|x1|x2|y1|y2|width|height)="[^"]*"')
_DIGITS = re.compile(r"(\.\d\d)\d+")
"""More than a hundredth of a pixel is seen by nobody, and makes up a fifth of a picture."""


def _drawn(spec: Spec) -> str:
    import vl_convert

    return _PLACES.sub(_rounded, str(vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])))


def _rounded(places: re.Match[str]) -> str:
    return _DIGITS.sub(r"\1", places[0])


def _opened(svg: str, description: str, attributes: str) -> str:
    """The picture with what it shows in words, for those who do not see it."""
    label = f' role="img" aria-label="{escape(clean(description))}"'
    return re.sub(r' xmlns:xlink="[^"]*" version="1\.1" class="marks"', lambda _: f"{attributes}{label}", svg, count=1)
