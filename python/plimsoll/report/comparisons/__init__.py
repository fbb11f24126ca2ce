"""Comparisons for other programs, one format per file: each has `render(Comparison) -> str`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from types import ModuleType

from plimsoll import plugins
from plimsoll.report.changed import CHANGED
from plimsoll.report.marks import marked
from plimsoll.report.suite import Suite
from plimsoll.stats.paired import Cell, ScoreRow, valid_scores
from plimsoll.stats.verdict import Answer


@dataclass(frozen=True)
class Comparison:
    """The verdicts of one comparison, and which answers close a gate."""

    title: str
    cells: Sequence[Cell]
    rows: Sequence[ScoreRow]
    failing: frozenset[Answer]
    suites: Sequence[Suite] = ()
    """Several cases of one target put together."""
    alone: str = ""
    """Which cases only one target ran."""
    nothing: str = ""
    """Why not a single ratio could be formed; a gate (where `failing` names answers) must not pass then."""
    ordered: bool = True
    """Whether it is known in which order the sessions ran."""

    @cached_property
    def values(self) -> Mapping[tuple[str, str, str], Sequence[float]]:
        """The valid scores of each (case, metric, target)."""
        return valid_scores(self.rows)

    @property
    def changed(self) -> list[str]:
        """Which runs were changed after they were stored, each once: for formats that have no room for other notes."""
        noted = [note.text for cell in self.cells for note in cell.notes if note.kind == CHANGED]
        return list(dict.fromkeys(noted))


def tally(cells: Sequence[Cell]) -> str:
    """How many comparisons have each answer: `1 better, 3 worse (2 not significant after correction)`."""
    names = (
        (Answer.BETTER, "better"),
        (Answer.WORSE, "worse"),
        (Answer.SAME, "the same"),
        (Answer.UNKNOWN, "undecided"),
    )
    told = []
    for answer, word in names:
        these = [cell for cell in cells if cell.verdict.answer is answer]
        weak = sum(cell.corrected > 0 for cell in these)
        which = "" if len(these) == 1 else "none " if weak == len(these) else f"{weak} not "
        mark = f" ({which if which else 'not '}significant after correction)" if weak else ""
        told += [f"{len(these)} {word}{mark}"] if these else []
    return ", ".join(told)


@cache
def formats() -> dict[str, ModuleType]:
    """The formats by name."""
    return {module.__name__.rsplit(".", 1)[-1]: module for module in plugins.modules(__name__)}


def claim(cell: Cell) -> str:
    """What is compared: `read_p99 of gp3 against nvme`."""
    return f"{marked(cell.metric, cell)} of {cell.target} against {cell.baseline}"
