"""The answer of one comparison, as an object and as a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from plimsoll.report.comparisons import Comparison
from plimsoll.report.marks import lasting_words, mark
from plimsoll.report.memory import is_memory
from plimsoll.report.suite import Suite
from plimsoll.stats.paired import Cell
from plimsoll.stats.ratio_text import levels_told
from plimsoll.stats.sentences import sentence
from plimsoll.stats.verdict import Answer


@dataclass(frozen=True, slots=True)
class Verdict:
    """One metric of one case, of a target against the baseline."""

    case: str
    metric: str
    baseline: str
    target: str
    answer: Answer | None
    """better, worse, same or unknown; None for several cases put together, of which no gate hangs."""
    ratio: float | None
    """target / baseline of the metric as measured; None where there is no one number."""
    ratio_low: float | None
    ratio_high: float | None
    """The ends of its interval."""
    ratio_levels: str | None
    """In place of a ratio, where the runs have several levels."""
    blocks: int | None
    """So many were compared; None where allocations of products were."""
    blocks_needed: int | None
    """So many it would take in all, about; None where that is not known."""
    allocations: int | None
    """So many fresh allocations of each product were compared; None where places were."""
    interleaved: bool
    survives_correction: bool | None
    """Whether a decided answer holds for all comparisons of the session together; None where products are judged."""
    memory: bool
    """It is of memory, not of the disk."""
    level: str | None
    """burst or sustained, where that is known."""
    lasts: str | None
    """For how long."""
    sentence: str
    notes: Sequence[str]

    def __str__(self) -> str:
        return self.sentence

    def row(self) -> dict[str, Any]:
        """As `plimsoll compare --json` writes it."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        answer = values.pop("answer")
        head = {"test": values.pop("case")} | {name: values.pop(name) for name in ("metric", "baseline", "target")}
        return {**head, "answer": None if answer is None else str(answer.value), **values}


def verdict_of(cell: Cell) -> Verdict:
    """What is said of one comparison."""
    verdict, told = cell.verdict, levels_told(cell)
    return Verdict(
        case=cell.case,
        metric=cell.metric,
        baseline=cell.baseline,
        target=cell.target,
        answer=verdict.answer,
        ratio=None if told else verdict.ratio,
        ratio_low=None if told else verdict.ratio_low,
        ratio_high=None if told else verdict.ratio_high,
        ratio_levels=told or None,
        blocks=None if cell.allocations else verdict.blocks_used,
        blocks_needed=None if cell.allocations else verdict.blocks_needed,
        allocations=cell.allocations or None,
        interleaved=cell.apart is None,
        survives_correction=not cell.corrected if verdict.decided and not cell.allocations else None,
        memory=is_memory(cell),
        level=mark(cell) or None,
        lasts=lasting_words(cell) or None,
        sentence=sentence(cell),
        notes=[note.text for note in cell.notes if not note.in_sentence],
    )


def suite_verdict(suite: Suite) -> Verdict:
    """Several cases put together, in the columns of a comparison; it has no answer, for no gate hangs on it."""
    return Verdict(
        case=f"geometric mean of {suite.score.tests} cases",
        metric="speedup",
        baseline=suite.baseline,
        target=suite.target,
        answer=None,
        ratio=suite.score.ratio,
        ratio_low=suite.score.low,
        ratio_high=suite.score.high,
        ratio_levels=None,
        blocks=None,
        blocks_needed=None,
        allocations=None,
        interleaved=all(cell.apart is None for cell in suite.cells),
        survives_correction=None,
        memory=False,
        level=None,
        lasts=None,
        sentence=suite.sentence,
        notes=[],
    )


def rows(comparison: Comparison) -> list[dict[str, Any]]:
    """Every comparison, then what several cases give together, in the same columns."""
    found = [*map(verdict_of, comparison.cells), *map(suite_verdict, comparison.suites)]
    return [each.row() for each in found]
