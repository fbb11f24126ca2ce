"""One HTML file that holds everything: no network, no scripts, charts as inline SVG, and every number as a table."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from plimsoll.report import palette
from plimsoll.report.document import Block, Cell, Chart, Document, Judged, Phrase, Section, Table, Tone, cell_text

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

SUFFIX = ".html"


@dataclass(frozen=True)
class Charts:
    """Charts side by side under one key."""

    key: tuple[tuple[str, str, str, str], ...]
    """Name, colour, path and dashes of each series."""
    pictures: tuple[tuple[Chart, str, str], ...]
    """Each with its still picture, and what a browser draws it from; one of both may be empty."""


def render(document: Document) -> str:
    """The report as one HTML page that needs no other file."""
    return _page(document, paper=False)


def paper(document: Document) -> str:
    """The same page as it is printed: all charts are still pictures."""
    return _page(document, paper=True)


def _page(document: Document, *, paper: bool) -> str:
    from markupsafe import Markup

    sections = laid_out(document.sections, paper=paper)
    drawn = any(
        spec for _, blocks in sections for block in blocks if isinstance(block, Charts) for *_, spec in block.pictures
    )
    return (
        environment()
        .get_template("page.html")
        .render(
            document=document,
            sections=sections,
            style=Markup(style()),
            scripts=[(Markup(text), digest) for text, digest in scripts()] if drawn else (),
        )
    )


@cache
def scripts() -> tuple[tuple[str, str], ...]:
    """The scripts of a page whose charts the browser draws, each with what the policy of the page names it by."""
    from plimsoll.report.charts.bundle import library

    return tuple(
        (text, f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'") for text in (library(), script())
    )


def script() -> str:
    """What draws the charts of a page with that library."""
    loader = environment().loader
    assert loader is not None
    return loader.get_source(environment(), "charts.js")[0]


@cache
def environment() -> Environment:
    """The templates, where every text is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("plimsoll.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["rows"] = _rows
    made.filters["judge"] = _judge
    made.filters["wide"] = _wide
    made.tests["of"] = lambda block, name: type(block).__name__ == name
    return made


def _rows(table: Table) -> Markup:
    """The rows of a table. Pages have thousands of cells, and a template takes three times as long for each."""
    from markupsafe import Markup, escape

    numeric = [column.align == "right" for column in table.columns]
    heads = [f' data-head="{escape(column.title)}"' if _wide(table) else "" for column in table.columns]
    lines = []
    for first, *cells in table.rows:
        line = f'<tr><th scope="row"{_look(None, numeric[0])}{heads[0]}>{escape(cell_text(first))}</th>'
        looks = (
            (cell, _look(cell, right, missing=cell is None) + head)
            for cell, right, head in zip(cells, numeric[1:], heads[1:], strict=True)
        )
        lines.append(line + "".join(f"<td{look}>{_written(cell)}</td>" for cell, look in looks) + "</tr>")
    return Markup("\n".join(lines))


def _written(cell: Cell) -> Markup:
    """A cell with its words escaped; the verdict of a score stands apart from it."""
    from markupsafe import Markup, escape

    if isinstance(cell, Judged) and cell.verdict:
        return Markup("{} <b>{}</b>").format(cell.score, cell.verdict)
    return escape(cell_text(cell))


MOST_PRINTED = 10
"""Columns that fit on a sheet of paper."""


def _wide(table: Table) -> bool:
    """On paper each of its cells has the head of its column before it."""
    return len(table.columns) > MOST_PRINTED


JUDGING = ("verdict", "answer", "comparable", "status", "level", "score", "median", "value")
"""Keys of the columns that tables are read for, the first that one has; a narrow screen keeps it in sight."""


def _judge(table: Table) -> int:
    """The place of that column, from 1; 0 where there is none."""
    keys = [column.key for column in table.columns]
    return next((keys.index(key) + 1 for key in JUDGING if key in keys), 0)


def _look(cell: Cell, right: bool, *, missing: bool = False) -> str:
    """The class of a cell, as an attribute."""
    if missing:
        return ' class="none n"' if right else ' class="none"'
    if right:
        return ' class="n"'
    if isinstance(cell, Judged):
        return f' class="judged t-{cell.tone}"'
    return f' class="t-{cell.tone}"' if isinstance(cell, Phrase) and cell.tone is not Tone.PLAIN else ""


def style() -> str:
    """The CSS of a report, with the dark colours of its charts."""
    loader = environment().loader
    assert loader is not None
    return loader.get_source(environment(), "page.css")[0] + palette.dark_style()


def laid_out(sections: Iterable[Section], *, paper: bool = False) -> list[tuple[Section, list[Block | Charts]]]:
    """Sections as `parts.html` shows them: neighbouring charts of the same series together."""
    return [(section, list(_grouped(section, paper))) for section in sections]


def _grouped(section: Section, paper: bool) -> Iterator[Block | Charts]:
    waiting: list[Chart] = []
    for block in section.blocks:
        if waiting and not (isinstance(block, Chart) and _key_of(block) == _key_of(waiting[0])):
            yield _charts(waiting, paper)
            waiting = []
        if isinstance(block, Chart):
            waiting.append(block)
        else:
            yield block
    if waiting:
        yield _charts(waiting, paper)


def _key_of(chart: Chart) -> tuple[Any, ...]:
    return chart.series, chart.symbols


def _charts(found: list[Chart], paper: bool) -> Charts:
    from markupsafe import Markup

    from plimsoll.report.charts.vega import Vega

    drawn = [(chart, chart.draw()) for chart in found]
    pictures = []
    for chart, picture in drawn:
        spec = picture.data() if isinstance(picture, Vega) and not paper else ""
        still = "" if isinstance(picture, Vega) and spec and not picture.still else picture.inline(chart.description)
        pictures.append((chart, Markup(still), Markup(spec)))
    # A specification holds its own key.
    return Charts(() if isinstance(drawn[0][1], Vega) else _key(found[0]), tuple(pictures))


def _key(chart: Chart) -> tuple[tuple[str, str, str, str], ...]:
    names = chart.series
    # Series of targets also differ by dashes; the colours of a heat map have no lines.
    dashed = not chart.symbols
    looks = chart.symbols or palette.symbols(len(names))
    return tuple(
        (name, colour, f"M0,0{palette.SHAPES[shape]}", palette.dash(place) or "none" if dashed else "")
        for place, (name, (colour, shape)) in enumerate(zip(names, looks, strict=True))
    )
