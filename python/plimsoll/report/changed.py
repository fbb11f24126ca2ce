"""Comparisons of which runs were changed after they were stored: they say so wherever they are shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from plimsoll.report.labels import count_text
from plimsoll.stats.paired import Cell, Note

CHANGED = "changed"
"""Kind of the note."""


def noted_changes(cell: Cell, changed: Mapping[tuple[str, str], int]) -> Cell:
    """With a note where runs of its (case, target) were changed; `changed` counts them."""
    told = [(name, changed[cell.case, name]) for name in (cell.baseline, cell.target) if (cell.case, name) in changed]
    if not told:
        return cell
    runs = " and ".join(f"{count_text(count, 'run')} of {name}" for name, count in told)
    one = sum(count for _, count in told) == 1
    words = f"{runs} {'was' if one else 'were'} changed after being stored and {'does' if one else 'do'} not count"
    return replace(cell, notes=(*cell.notes, Note(CHANGED, words)))
