"""What a comparison is to be read with, wherever its label stands: memory in place of the disk, a burst."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from plimsoll.report.memory import NOT_THE_DISK, is_memory
from plimsoll.stats.paired import Cell, Note
from plimsoll.stats.ratio_text import levels_told
from plimsoll.stats.standing import LEVEL, Basis, Standing, afterwards, while_bursting

BASES = {
    Basis.BURST: "burst",
    Basis.MIXED: "burst and after",
    Basis.UNKNOWN: "maybe a burst",
}
"""Marks of scores that do not last, the surest first."""


def levelled(cell: Cell, standings: Mapping[tuple[str, str], Standing]) -> Cell:
    """With what its two scores stand on, and a note where one of them does not last."""
    baseline, target = (standings.get((cell.case, name)) for name in (cell.baseline, cell.target))
    found = replace(cell, standings=(baseline, target))
    words = lasting_words(found)
    return replace(found, notes=(*cell.notes, Note(LEVEL, words))) if words else found


def lasting_words(cell: Cell) -> str:
    """`measured while gp2 has burst credits, 34 min; then gp3 is about 9.7× faster than gp2`; empty if scores last."""
    names = (cell.baseline, cell.target)
    lasting = while_bursting(names, cell.standings)
    known = None if levels_told(cell) else cell.verdict.ratio
    after = afterwards(names, cell.standings, known, cell.unit, cell.metric)
    return f"measured{lasting}{after}" if lasting else after.removeprefix("; ")


def mark(cell: Cell) -> str:
    """`burst` where one of its scores is one; empty where both last."""
    found = {each.of(cell.metric, cell.unit) for each in cell.standings if each is not None}
    return next((word for basis, word in BASES.items() if basis in found), "")


def marked(label: str, cell: Cell, memory: str = NOT_THE_DISK, *, said: str = "") -> str:
    """The label of a metric, and that it is memory's, or of a burst, where it is and is not `said` above already."""
    level = mark(cell)
    marks = ", ".join(filter(None, [memory if is_memory(cell) else "", "" if level == said else level]))
    return f"{label} ({marks})" if marks else label
