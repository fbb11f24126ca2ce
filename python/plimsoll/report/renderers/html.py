"""One HTML file that holds everything: no network, no scripts, charts as inline SVG, and every number as a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
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
    pictures: tuple[tuple[Chart, str], ...]


def render(document: Document) -> str:
    """The report as one HTML page that needs no other file."""
    from markupsafe import Markup

    return (
        environment()
        .get_template("page.html")
        .render(document=document, sections=laid_out(document.sections), style=Markup(style()))
    )


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


def laid_out(sections: Iterable[Section]) -> list[tuple[Section, list[Block | Charts]]]:
    """Sections as `parts.html` shows them: neighbouring charts of the same series together."""
    return [(section, list(_grouped(section))) for section in sections]


def _grouped(section: Section) -> Iterator[Block | Charts]:
    waiting: list[Chart] = []
    for block in section.blocks:
        if waiting and not (isinstance(block, Chart) and _key_of(block) == _key_of(waiting[0])):
            yield _charts(waiting)
            waiting = []
        if isinstance(block, Chart):
            waiting.append(block)
        else:
            yield block
    if waiting:
        yield _charts(waiting)


def _key_of(chart: Chart) -> tuple[Any, ...]:
    return chart.series, chart.symbols


def _charts(found: list[Chart]) -> Charts:
    from markupsafe import Markup

    names = found[0].series
    # Series of targets also differ by dashes; the answers of a forest plot have no lines.
    dashed = not found[0].symbols
    looks = found[0].symbols or palette.symbols(len(names))
    key = tuple(
        (name, colour, f"M0,0{palette.SHAPES[shape]}", palette.dash(place) or "none" if dashed else "")
        for place, (name, (colour, shape)) in enumerate(zip(names, looks, strict=True))
    )
    return Charts(key, tuple((chart, Markup(chart.inline())) for chart in found))
