"""Comparisons in which memory answered in place of a disk: they say so wherever they are shown."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace

from plimsoll.stats.paired import Cell, Note

MEMORY = "memory"
"""Kind of the note of a comparison in which memory answered for a disk."""
NOT_THE_DISK = "memory, not the disk"


def noted(cell: Cell, from_memory: Container[tuple[str, str, str]]) -> Cell:
    """With a note where one of its (case, metric, target) is in `from_memory`."""
    memory = [name for name in (cell.baseline, cell.target) if (cell.case, cell.metric, name) in from_memory]
    note = Note(MEMORY, f"measured {NOT_THE_DISK}, on {' and '.join(memory)}")
    return replace(cell, notes=(*cell.notes, note)) if memory else cell


def is_memory(cell: Cell) -> bool:
    """Whether it has that note."""
    return any(note.kind == MEMORY for note in cell.notes)
