"""Text in the manner of Go's benchstat: a table per metric, ± the half-width of the 95 % interval, p and n.

`~` is the same within the band, `?` not enough data: in benchstat one sign means both. p pays for the looks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from plimsoll.model import Unit
from plimsoll.report.comparisons import Comparison
from plimsoll.report.marks import marked
from plimsoll.report.memory import MEMORY
from plimsoll.report.printable import clean
from plimsoll.stats.direction import levels_in_words
from plimsoll.stats.multiplicity import p_value
from plimsoll.stats.paired import Cell
from plimsoll.stats.sentences import band
from plimsoll.stats.summary import split, summarise
from plimsoll.stats.verdict import Answer

_PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))
_UNITS: dict[Unit, tuple[float, str]] = {
    "ns": (1e9, "sec/op"), "1/s": (1.0, "op/s"), "B/s": (1.0, "B/s"), "B": (1.0, "B"), "1": (1.0, ""),
}  # fmt: skip
_SMALL = ((1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"))


def render(comparison: Comparison) -> str:
    """The tables, then what the signs mean."""
    tables: dict[tuple[str, str, Unit], list[Cell]] = {}
    for cell in comparison.cells:
        tables.setdefault((cell.metric, cell.baseline, cell.unit), []).append(cell)
    parts = [_table(comparison, metric, baseline, unit, cells) for (metric, baseline, unit), cells in tables.items()]
    if not parts:
        return f"{clean(comparison.nothing)}\n" if comparison.nothing else ""
    widths = {cell.verdict.band for cell in comparison.cells}
    within = ", ".join(map(band, sorted(widths)))
    legend = f"~ the same within {within}   ? not enough data   p adjusted for sequential testing"
    means = [f"geomean: {clean(suite.sentence)}" for suite in comparison.suites]
    return "\n".join([*parts, *means, *map(clean, comparison.changed), legend, ""])


def _table(comparison: Comparison, metric: str, baseline: str, unit: Unit, cells: Sequence[Cell]) -> str:
    targets = list(dict.fromkeys(cell.target for cell in cells))
    cases = list(dict.fromkeys(cell.case for cell in cells))
    by_place: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells:
        by_place.setdefault((cell.case, cell.target), []).append(cell)
    label = clean(f"{metric} {_UNITS[unit][1]}").strip()
    rows = [["", clean(baseline), *(clean(target) for target in targets)]]
    rows.append(["", label, *(f"{label}   vs base" for _ in targets)])
    for case in cases:
        # A case has more than one cell for a target if its parameters changed between sessions.
        for index in range(max(len(by_place.get((case, target), [])) for target in targets)):
            in_row = [by_place.get((case, target), [])[index : index + 1] for target in targets]
            marks = dict.fromkeys(marked("", cell, MEMORY) for found in in_row for cell in found)
            row = [clean(case) + "".join(marks), _score(comparison, case, metric, baseline, unit)]
            for target, found in zip(targets, in_row, strict=True):
                row.append(f"{_score(comparison, case, metric, target, unit)}   {_change(found[0])}" if found else "")
            rows.append(row)
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    head = [" │ ".join(text.center(width) for text, width in zip(row, widths, strict=True)) + " │" for row in rows[:2]]
    body = ["   ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows[2:]]
    return "\n".join([*head, *body, ""])


def _score(comparison: Comparison, case: str, metric: str, target: str, unit: Unit) -> str:
    values = [value for value in comparison.values.get((case, metric, target), ()) if 0 < value < math.inf]
    if not values:
        return "n/a"
    untold = split(values, ordered=comparison.ordered, unit=unit)
    if untold is not None:
        ends = [level.value for level in untold.levels] or [untold.minimum, untold.maximum]
        sign = "→" if untold.levels else "…"
        return f"{sign.join(_scaled(end, unit) for end in ends)} ({untold.kind.value})"
    found = summarise(values, "higher")
    if found.low is None or found.high is None:
        return f"{_scaled(found.value, unit)} ± ∞"
    return f"{_scaled(found.value, unit)} ± {_percent(math.expm1(found.half_width))}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%" if share < 10 else "∞"


def _scaled(value: float, unit: Unit) -> str:
    value /= _UNITS[unit][0]
    steps = _SMALL if unit == "ns" and value < 1 else _PREFIXES
    factor, prefix = next((each for each in steps if value >= each[0]), steps[-1])
    return f"{value / factor:.4g}{prefix}"


def _change(cell: Cell) -> str:
    verdict = cell.verdict
    runs = (
        f"n={verdict.blocks_used}" if cell.apart is None else f"n={cell.apart.baseline_runs}+{cell.apart.target_runs}"
    )
    if told := levels_in_words(cell):
        return f"{told} ({runs})"
    if verdict.ratio is None or verdict.preview:
        return f"? (no verdict, {runs})"
    p = f"p={p_value(verdict):.3f} {runs}{', not after correction' if cell.corrected else ''}"
    if verdict.answer is Answer.SAME:
        return f"~ ({p})"
    sign = "? " if verdict.answer is Answer.UNKNOWN else ""
    return f"{sign}{100 * (verdict.ratio - 1):+.2f}% ({p})"
