"""Markdown for pull requests: how many of each answer, a table with what changed first, notes folded away."""

from __future__ import annotations

from plimsoll import metrics
from plimsoll.report.comparisons import Comparison, tally
from plimsoll.report.labels import ratio_in_words
from plimsoll.report.marks import marked
from plimsoll.report.renderers.markdown import inline
from plimsoll.stats.direction import levels_in_words
from plimsoll.stats.multiplicity import footer
from plimsoll.stats.paired import Cell
from plimsoll.stats.sentences import answer_word, band
from plimsoll.stats.verdict import Answer

_MARKS = {
    Answer.WORSE: "🔴",
    Answer.BETTER: "🟢",
    Answer.UNKNOWN: "🟡",
    Answer.SAME: "⚪",
}
_ROWS = 50
"""Longer tables hide what matters; what is the same is folded away."""


def render(comparison: Comparison) -> str:
    """A heading, a sentence, a table, notes."""
    parts = [f"### {inline(comparison.title)}", f"**{tally(comparison.cells) or 'nothing compared'}**"]
    if comparison.nothing:
        parts.append(inline(f"{comparison.nothing[0].upper()}{comparison.nothing[1:]}."))
    ordered = sorted(comparison.cells, key=lambda cell: list(_MARKS).index(cell.verdict.answer))
    changed = [cell for cell in ordered if cell.verdict.answer is not Answer.SAME]
    same = [cell for cell in ordered if cell.verdict.answer is Answer.SAME]
    if len(ordered) <= _ROWS:
        changed, same = ordered, []
    parts += [inline(suite.sentence) for suite in comparison.suites]
    if changed:
        parts.append(_table(changed))
    if same:
        parts.append(_folded(f"{len(same)} the same", _table(same)))
    notes = [
        f"- {inline(f'{cell.case}, {metrics.title(cell.metric)}: {note.text}')}"
        for cell in ordered
        for note in cell.notes
    ]
    if notes:
        parts.append(_folded("Notes", "\n".join(notes)))
    if ordered:
        of_places = not any(cell.allocations for cell in ordered)
        told = footer([cell.verdict for cell in ordered], corrected=of_places)
        parts.append(inline(f"{told} Same: within {_bands(ordered)}."))
    return "\n\n".join(parts) + "\n"


def _bands(cells: list[Cell]) -> str:
    return ", ".join(map(band, sorted({cell.verdict.band for cell in cells})))


def _table(cells: list[Cell]) -> str:
    lines = [
        "| verdict | test | metric | target | against | ratio | interval | blocks |",
        "|---|---|---|---|---|---:|---:|---:|",
    ]
    for cell in cells:
        found = cell.verdict
        count = str(found.blocks_used)
        if cell.apart is not None:
            count = f"{cell.apart.target_runs}+{cell.apart.baseline_runs} runs apart"
        elif cell.allocations:
            count = f"{cell.allocations} allocations"
        ratio, interval = ratio_in_words(cell)
        words = (
            cell.case,
            marked(metrics.title(cell.metric), cell),
            cell.target,
            cell.baseline,
            levels_in_words(cell) or ratio,
            "n/a" if levels_in_words(cell) or found.low is None else interval,
            count,
        )
        mark = f"{_MARKS[found.answer]} {answer_word(cell)}"
        mark += ", not significant after correction" if cell.corrected else ""
        lines.append(f"| {mark} | " + " | ".join(map(inline, words)) + " |")
    return "\n".join(lines)


def _folded(title: str, body: str) -> str:
    return f"<details><summary>{title}</summary>\n\n{body}\n\n</details>"
