"""CSV for spreadsheets: one flat table, a line for every score of every run, raw numbers and their unit.

Words that a spreadsheet would run as a formula get an apostrophe in front.
"""

from __future__ import annotations

import csv
import io

from plimsoll.report.document import Cell, Document, Number

SUFFIX = ".csv"
_FORMULA_STARTS = ("=", "+", "-", "@", "\t")


def render(document: Document) -> str:
    """The table of all scores with a header line."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(column.key for column in document.scores.columns)
    writer.writerows([_field(cell) for cell in row] for row in document.scores.rows)
    return out.getvalue()


def _field(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, Number):
        return repr(cell.value).removesuffix(".0")
    return f"'{cell.text}" if cell.text.startswith(_FORMULA_STARTS) else cell.text
