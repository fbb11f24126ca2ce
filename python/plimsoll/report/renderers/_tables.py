"""Tables of a page: their heads and rows, and what scripts and narrow screens have to know of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from plimsoll.report.document import KIND, Cell, Column, Judged, Number, Phrase, Span, Table, Tone, cell_text
from plimsoll.report.renderers._whole import LONGEST, whole

if TYPE_CHECKING:
    from markupsafe import Markup

MOST_PRINTED = 10
"""Columns that fit on a sheet of paper."""
JUDGING = ("verdict", "answer", "carries_it", "comparable", "status", "level", "score", "median", "value")
"""Keys of the columns that tables are read for, the first that one has; a narrow screen keeps it in sight."""
LONG_VERDICT = 20
"""Characters from which on a verdict may be broken on a telephone."""
LONG_CELL = 60
"""Characters from which on a cell is a sentence, which no column of letters may hold."""
_FILTERED = frozenset({"case", "test", "target", "volume", "case_and_metric"})
"""Keys of the columns that say which test or target a row is about."""
_PLAIN = re.compile(r"[\d.,…×\s-]")
_NEEDS_NONE = re.compile(r"[^<>&'\"]*").fullmatch
"""Whether words are the same when they are escaped."""


def heads(table: Table) -> Markup:
    """The heads of the columns; those that stand for a test or a target say so."""
    from markupsafe import Markup, escape

    made = []
    for place, column in enumerate(table.columns):
        looks = ["n"] if column.align == "right" else []
        looks += ["u"] if len(column.title) <= LONGEST and "-" in column.title and " " not in column.title else []
        look = f' class="{" ".join(looks)}"' if looks else ""
        part = " data-part" if _is_part(table, place) else ""
        unit = _unit(table, place)
        told = f' data-unit="{escape(unit)}"' if unit else ""
        made.append(f'<th scope="col"{look}{part}{told}>{escape(column.title)}</th>')
    return Markup("".join(made))


def rows(table: Table) -> Markup:
    """The rows of a table. Pages have thousands of cells, and a template takes three times as long for each."""
    from markupsafe import Markup, escape

    numeric = [column.align == "right" for column in table.columns]
    titles = [f' data-head="{escape(column.title)}"' if is_wide(table) else "" for column in table.columns]
    mixed = [_is_mixed(table, place) for place in range(len(table.columns))]
    written = _writer()
    lines, before = [], ""
    # What a row is about heads it; the kind of work before that heads several.
    head = 1 if is_kinds(table) else 0
    for row in table.rows:
        kind = cell_text(row[0]) if head else ""
        told = f'<span class="again">{escape(kind)}</span>' if kind and kind == before else escape(kind)
        line = f'<tr><td class="w"{titles[0]}>{told}' if head else "<tr>"
        before = kind
        looks = (
            (cell, _look(cell, right) + _sorted_by(cell, several) + title)
            for cell, right, several, title in zip(row, numeric, mixed, titles, strict=True)
        )
        number = ' class="n"' if numeric[head] else ""
        line += f'<th scope="row"{number}{_sorted_by(row[head], mixed[head])}{titles[head]}>{written(row[head])}</th>'
        # HTML closes cells and rows by itself, and their ends would be a tenth of a large page.
        lines.append(line + "".join(f"<td{look}>{written(cell)}" for cell, look in list(looks)[head + 1 :]))
    return Markup("\n".join(lines))


def is_filtered(table: Table) -> bool:
    """Whether its rows or columns are about tests and targets."""
    places = range(len(table.columns))
    return any(column.key in _FILTERED for column in table.columns) or any(_is_part(table, place) for place in places)


def is_kinds(table: Table) -> bool:
    """Whether the words of its first column head groups of rows, so that each is said once."""
    return table.columns[0].key == KIND


def is_wide(table: Table) -> bool:
    """On paper each of its cells has the head of its column before it."""
    return len(table.columns) > MOST_PRINTED


def judge(table: Table) -> int:
    """The place of the column that a table is read for, from 1; 0 where there is none."""
    keys = [column.key for column in table.columns]
    return next((keys.index(key) + 1 for key in JUDGING if key in keys), 0)


def _is_part(table: Table, place: int) -> bool:
    """Whether a column is about one test or one target."""
    column: Column = table.columns[place]
    return column.key.startswith("target_") or any(isinstance(row[place], Judged) for row in table.rows)


def _is_mixed(table: Table, place: int) -> bool:
    """Whether the words of a column of numbers do not tell their order: `900 µs` is less than `1 ms`."""
    if any(isinstance(row[place], Judged) for row in table.rows):
        return True
    if table.columns[place].align != "right":
        return False
    words = (row[place] for row in table.rows)
    return len({_PLAIN.sub("", cell.text) for cell in words if isinstance(cell, Number | Span)}) > 1


def _unit(table: Table, place: int) -> str:
    """The one base unit of a column whose words have several."""
    found = {cell.unit for row in table.rows if isinstance(cell := row[place], Number)}
    return found.pop() if len(found) == 1 and _is_mixed(table, place) else ""


def _sorted_by(cell: Cell, mixed: bool) -> str:
    """What scripts sort a cell by, where its words do not tell."""
    if not mixed:
        return ""
    match cell:
        case Number():
            value = cell.value
        case Span():
            value = cell.low
        case Judged(ratio=float(ratio)) if ratio > 0:
            value = _times_better(ratio, cell.tone)
        case Judged(value=float(score)):
            value = score
        case _:
            return ""
    # As many digits as the words have, and no quotes: a page has thousands of these.
    return f" data-v={value:.4g}".replace("e+0", "e").replace("e+", "e")


def _times_better(ratio: float, tone: Tone) -> float:
    """Worse ones below 1; latencies are better where the ratio is small."""
    if tone is Tone.BETTER:
        return max(ratio, 1 / ratio)
    return min(ratio, 1 / ratio) if tone is Tone.WORSE else 1.0


def _writer() -> Callable[[Cell], str]:
    """What writes a cell with its words escaped; the verdict of a score stands apart from it."""
    from markupsafe import Markup, escape

    def written(cell: Cell) -> str:
        if isinstance(cell, Judged):
            score = whole(cell.score)
            return Markup("{} <b>{}</b>").format(score, cell.verdict) if cell.verdict else score
        text = cell_text(cell)
        if isinstance(cell, Phrase) and "-" in text:
            return whole(text)
        # Most cells are numbers, and to look costs less than to escape.
        return text if _NEEDS_NONE(text) else escape(text)

    return written


def _look(cell: Cell, right: bool) -> str:
    """The class of a cell, as an attribute. Most cells are numbers, so these have none: it makes a page smaller."""
    looks = [] if right else ["w"]
    if cell is None:
        looks.append("none")
    elif isinstance(cell, Judged):
        looks.append(f"judged t-{cell.tone}{' wordy' if len(cell.verdict) > LONG_VERDICT else ''}")
    elif isinstance(cell, Phrase):
        looks += (
            (["words"] if len(cell.text) > LONG_VERDICT else [])
            if right
            else [f"t-{cell.tone}"]
            if cell.tone is not Tone.PLAIN
            else []
        )
        looks += ["long"] if len(cell.text) > LONG_CELL else []
    return f' class="{" ".join(looks)}"' if looks else ""
