"""The short report for a terminal: answers, scores, warnings; as wide as the terminal."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypeGuard

from plimsoll.model import Level
from plimsoll.report.column_widths import Fitted, FittedColumn, fitted, unrepeated, wrapped
from plimsoll.report.document import (
    Block,
    Cell,
    Chart,
    Document,
    Judged,
    Listing,
    Phrase,
    Section,
    Sentence,
    Table,
    Text,
    Tone,
    Warning,
    cell_text,
    is_short,
)
from plimsoll.report.labels import count_text
from plimsoll.report.renderers._matrix import print_matrix

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text as Styled

SUFFIX = ".txt"
WIDTH = 100
"""Of the report as a file; sentences are never longer, for long lines are hard to read."""
STYLES = {
    Tone.BETTER: "green",
    Tone.WORSE: "red",
    Tone.SAME: "cyan",
    Tone.UNKNOWN: "yellow",
    Tone.NOTE: "dim",
    Tone.PLAIN: "",
}
_MARKS = {Tone.BETTER: "▲", Tone.WORSE: "▼", Tone.SAME: "=", Tone.UNKNOWN: "?", Tone.PLAIN: "•", Tone.NOTE: " "}
_LEVELS = {Level.OK: ("note", "dim"), Level.WARN: ("warning", "yellow"), Level.INVALID: ("invalid", "red")}


def render(document: Document, width: int = WIDTH) -> str:
    """The short report as plain text without colours."""
    from rich.console import Console

    out = io.StringIO()
    console = Console(file=out, width=width, color_system=None, force_terminal=False, legacy_windows=False)
    print_document(document, console)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def print_document(
    document: Document, console: Console, *, every: bool = False, more: str = "in the HTML report"
) -> None:
    """The short report on `console`, with colours where it has them; with `every` all of its sentences.

    `more` ends the line that counts those which are left out.
    """
    _line(console, document.title, "bold")
    _line(
        console,
        document.subtitle if console.soft_wrap else wrapped(document.subtitle, console.width, parts=" · "),
        "dim",
    )
    for section in document.short_sections:
        print_heading(section, console)
        for block in section.blocks:
            if is_short(block) or (every and isinstance(block, Text)):
                _print_block(block, console)
        hidden = 0 if every else sum(len(each.sentences) for each in section.blocks if _is_left_out(each))
        if hidden:
            _line(console, f"{count_text(hidden, 'more sentence')} {more}.", "dim", " ")


def print_heading(section: Section, console: Console) -> None:
    """The title of a section, after an empty line."""
    console.print()
    _line(console, section.title, "bold underline")


def print_sentence(sentence: Sentence, console: Console) -> None:
    """A sentence with its shape, in its colour; in one line where it is not printed on a terminal."""
    if console.soft_wrap:
        console.print(f" {_MARKS[sentence.tone]} {sentence.text}", markup=False)
    else:
        _line(console, sentence.text, STYLES[sentence.tone], _MARKS[sentence.tone])


def _is_left_out(block: Block) -> TypeGuard[Text]:
    return isinstance(block, Text) and not block.short


def _line(console: Console, words: str, style: str = "", indent: str = "") -> None:
    """Words with a hanging indent; never read as markup."""
    from rich.padding import Padding
    from rich.table import Table as Grid
    from rich.text import Text as Styled

    if not indent:
        console.print(Styled(words, style=style))
        return
    grid = Grid.grid(padding=(0, 1, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    width = min(console.width, WIDTH)
    grid.add_row(Styled(indent, style=style), Styled(wrapped(words, max(8, width - len(indent) - 2)), style=style))
    console.print(Padding(grid, (0, 0, 0, 1)), width=width)


def _print_block(block: Block, console: Console) -> None:
    match block:
        case Text():
            for sentence in block.sentences:
                print_sentence(sentence, console)
        case Table():
            _print_table(block, console)
        case Warning():
            name, style = _LEVELS[block.level]
            where = f" ({': '.join(filter(None, (block.amount, block.where)))})" if block.where else ""
            _line(console, f"{block.sentence}{where}", style, f"{name}:")
            if block.advice:
                _line(console, block.advice, "dim", "  →")
        case Listing():
            _line(console, block.title)
            _line(console, block.content)
        case Chart():
            return


def _print_table(table: Table, console: Console) -> None:
    if any(isinstance(cell, Judged) for row in table.rows for cell in row):
        print_matrix(table, console, STYLES)
        return
    from rich import box
    from rich.table import Table as Grid
    from rich.text import Text as Styled

    shown = [i for i, column in enumerate(table.columns) if not table.brief or column.key in table.brief]
    fit = fitted([_column(table, i) for i in shown], console.width)
    shown = [shown[place] for place in fit.places]
    grid = Grid(
        title=Styled(table.caption), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0)
    )
    for column in fit.columns:
        align: Literal["left", "right"] = "right" if column.right else "left"
        grid.add_column(Styled(column.title), justify=align, overflow="fold", no_wrap=column.right)
    for words, row in zip(unrepeated(fit.columns), table.rows, strict=True):
        grid.add_row(*(Styled(each, style=_style(row[i])) for i, each in zip(shown, words, strict=True)))
    console.print(_below_each_other(table, fit, shown) if fit.is_too_wide else grid)
    for note in (*filter(None, [fit.common]), *table.notes):
        _line(console, note, "dim", " ")


def _below_each_other(table: Table, fit: Fitted, shown: Sequence[int]) -> Styled:
    """The rows, a line for each cell, under what stands in the first column: for a terminal that is very narrow."""
    from rich.text import Text as Styled

    told = Styled(f"{table.caption}\n")
    for place, row in enumerate(table.rows):
        for i, column in zip(shown, fit.columns, strict=True):
            head = "\n" if i == shown[0] else f"   {column.title}: "
            told.append(head).append(column.cells[place], style=_style(row[i])).append("\n")
    told.right_crop(1)
    return told


def _column(table: Table, place: int) -> FittedColumn:
    column, cells = table.columns[place], [row[place] for row in table.rows]
    judges = any(isinstance(cell, Phrase) and cell.tone is not Tone.PLAIN for cell in cells)
    return FittedColumn(column.title, column.align == "right", tuple(map(_words, cells)), judges)


def _words(cell: Cell) -> str:
    return cell.brief if isinstance(cell, Phrase) else cell_text(cell)


def _style(cell: Cell) -> str:
    return STYLES[cell.tone] if isinstance(cell, Phrase) else ""
