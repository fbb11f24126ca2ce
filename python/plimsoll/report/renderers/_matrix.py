"""The table of tests and targets on a terminal: whole cells, in as many tables as its width needs."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from plimsoll.report.column_widths import wrapped
from plimsoll.report.document import KIND, Cell, Judged, Phrase, Table, Tone, cell_text
from plimsoll.report.labels import common_start

if TYPE_CHECKING:
    from rich.console import Console

WIDEST_NAME = 24
"""Characters of a test's or a target's name; a longer one is broken into lines."""
_BETWEEN = 2
INDENT = "   "
_BRIEF = "▲ times better, ▼ times worse, = same within the band, ? no verdict."


def print_matrix(table: Table, console: Console, styles: Mapping[Tone, str]) -> None:
    """Scores and ratios in words if there is room, else ratios in words or by shape; the rest in a further table."""
    table, groups = _without_kinds(table)
    heads = next(i for i, cell in enumerate(zip(*table.rows, strict=True)) if any(isinstance(x, Judged) for x in cell))
    for write in (cell_text, _verdict, _brief):
        words = [[write(cell) for cell in row] for row in table.rows]
        widths = _widths(table, words)
        if sum(widths) <= console.width:
            break
    notes = list(table.notes)
    if sum(widths) > console.width and (start := common_start([each.title for each in table.columns[heads:]], 1)):
        table = _shortened(table, heads, start)
        widths = _widths(table, words)
        notes.append(f"“{start}” is left out of the names above the columns.")
    for first, shown in enumerate(_parts(widths, heads, console.width)):
        _print_part(table, words, widths, shown, console, styles, groups, caption="" if first else table.caption)
    for note in (*([_BRIEF] if write is _brief else []), *notes):
        told = note if console.soft_wrap else wrapped(note, max(8, console.width - len(INDENT)))
        console.print(textwrap.indent(told, INDENT), style="dim", markup=False)


def _without_kinds(table: Table) -> tuple[Table, Sequence[str]]:
    """The table without its first column where that heads groups, and the head of each row, or nothing."""
    if table.columns[0].key != KIND:
        return table, [""] * len(table.rows)
    rows = tuple(row[1:] for row in table.rows)
    return replace(table, columns=table.columns[1:], rows=rows), [cell_text(row[0]) for row in table.rows]


def _shortened(table: Table, heads: int, start: str) -> Table:
    """Without what all titles of columns of targets begin with."""
    titles = (
        each if i < heads else replace(each, title=each.title[len(start) :]) for i, each in enumerate(table.columns)
    )
    return replace(table, columns=tuple(titles))


def _verdict(cell: Cell) -> str:
    """The ratio with its direction in words; the score where nothing is compared."""
    return (cell.verdict or cell.score) if isinstance(cell, Judged) else _brief(cell)


def _brief(cell: Cell) -> str:
    return cell.brief if isinstance(cell, Judged | Phrase) else cell_text(cell)


def _widths(table: Table, words: Sequence[Sequence[str]]) -> list[int]:
    """What each column needs, with the blanks after it: cells whole, names of columns broken between words."""
    found = []
    for i, column in enumerate(table.columns):
        cells = max((len(row[i]) for row in words), default=0)
        title = max(map(len, column.title.split()), default=0)
        judges = any(isinstance(row[i], Judged) for row in table.rows)
        found.append(_BETWEEN + (max(cells, min(title, 12)) if judges else min(max(cells, title), WIDEST_NAME)))
    return found


def _parts(widths: Sequence[int], heads: int, width: int) -> Iterator[list[int]]:
    """The columns of each table: the heads, then what fits beside them, at least one."""
    names = list(range(heads))
    room = width - sum(widths[:heads])
    shown: list[int] = []
    for place in range(heads, len(widths)):
        if shown and sum(widths[i] for i in (*shown, place)) > room:
            yield [*names, *shown]
            shown = []
        shown.append(place)
    yield [*names, *shown]


def _print_part(
    table: Table,
    words: Sequence[Sequence[str]],
    widths: Sequence[int],
    shown: Sequence[int],
    console: Console,
    styles: Mapping[Tone, str],
    groups: Sequence[str],
    *,
    caption: str,
) -> None:
    from rich import box
    from rich.table import Table as Grid
    from rich.text import Text as Styled

    title = Styled(caption) if caption else None
    grid = Grid(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for i in shown:
        grid.add_column(Styled(table.columns[i].title), width=widths[i] - _BETWEEN, overflow="fold")
    previous: list[str] = []
    group = ""
    for row, cells, of in zip(words, table.rows, groups, strict=True):
        if of != group:
            grid.add_row(Styled(of, style="bold"))
            group = of
        line = [Styled(row[i], style=_style(cells[i], styles)) for i in shown]
        if previous and row[shown[0]] == previous[shown[0]] and len(shown) > 1 and not isinstance(cells[1], Judged):
            line[0] = Styled("")
        grid.add_row(*line)
        previous = list(row)
    console.print(grid)


def _style(cell: Cell, styles: Mapping[Tone, str]) -> str:
    return styles[cell.tone] if isinstance(cell, Judged | Phrase) else ""
