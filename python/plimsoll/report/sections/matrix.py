"""All tests against all targets in one table: each score, how it compares with the baseline, and the verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from plimsoll import metrics
from plimsoll.report.directed import directed, factor
from plimsoll.report.document import Block, Cell, Column, Judged, Phrase, Table, Tone, phrase
from plimsoll.report.evidence import Evidence, ScoreLine
from plimsoll.report.labels import ratio_text, score_text
from plimsoll.report.levels import WORDS, split_text
from plimsoll.report.marks import mark
from plimsoll.report.sections.verdicts import TONES
from plimsoll.stats.paired import Cell as Compared
from plimsoll.stats.ratio_text import levels_told
from plimsoll.stats.verdict import Answer

ORDER = 6
TITLE = "Tests and targets"
SHORT = True
LEAD = True

MOST_ROWS = 16
"""With more, the metrics that decide come first, and the others in a table of their own."""

Place = tuple[str, str, str]
"""Case, metric and target."""


def build(evidence: Evidence) -> list[Block]:
    """One row per judged metric and one column per target, or turned where that is taller than wide."""
    if evidence.only_searched or evidence.alone:
        return []
    lines = {(line.case, line.metric, line.target): line for line in evidence.lines if line.judged}
    compared = {(cell.case, cell.metric, cell.target): cell for cell in evidence.cells}
    rows = list(dict.fromkeys((case, metric) for case, metric, _ in lines))
    if not rows:
        return []
    if len(evidence.targets) > len(rows) + 1:
        return [_turned(evidence, rows, lines, compared)]
    if len(rows) <= MOST_ROWS:
        return [_table(evidence, rows, lines, compared)]
    deciding = [(case, metric) for case, metric in rows if metric == evidence.judged[case][0]]
    further = [row for row in rows if row not in deciding]
    tables: list[Block] = [_table(evidence, deciding, lines, compared)]
    if further:
        tables.append(replace(_table(evidence, further, lines, compared, "Further metrics"), short=False))
    return tables


def _table(
    evidence: Evidence,
    rows: list[tuple[str, str]],
    lines: Mapping[Place, ScoreLine],
    compared: Mapping[Place, Compared],
    what: str = "Scores",
) -> Table:
    labels = [_metric(evidence, *row) for row in rows]
    common = labels[0] if len(set(labels)) == 1 else ""
    heads = [Column("test", "Test"), *([] if common else [Column("metric", "Metric")])]
    table = tuple(
        (
            phrase(case),
            *([] if common else [Phrase(label, brief=metrics.short_title(metric))]),
            *(_cell((case, metric, target), lines, compared) for target in evidence.targets),
        )
        for (case, metric), label in zip(rows, labels, strict=True)
    )
    return Table(_caption(evidence, common or what), (*heads, *_targets(evidence)), table)


def _turned(
    evidence: Evidence,
    rows: list[tuple[str, str]],
    lines: Mapping[Place, ScoreLine],
    compared: Mapping[Place, Compared],
) -> Table:
    """Many targets and few tests: a row per target."""
    columns = (
        Column("target", "Target"),
        *(Column(f"{case} {metric}", f"{case}, {_metric(evidence, case, metric)}") for case, metric in rows),
    )
    table = tuple(
        (phrase(target), *(_cell((case, metric, target), lines, compared) for case, metric in rows))
        for target in evidence.targets
    )
    return Table(_caption(evidence, "Scores"), columns, table)


def _targets(evidence: Evidence) -> list[Column]:
    return [Column(name, name) for name in evidence.targets]


def _caption(evidence: Evidence, what: str) -> str:
    what = what[:1].upper() + what[1:]
    return f"{what}, compared with {evidence.reference}" if evidence.cells else what


def _metric(evidence: Evidence, case: str, metric: str) -> str:
    return evidence.metric_label(case, metric, *evidence.targets)


def _cell(place: Place, lines: Mapping[Place, ScoreLine], compared: Mapping[Place, Compared]) -> Cell:
    """Nothing where the test did not run; the score alone where nothing is compared."""
    line, cell = lines.get(place), compared.get(place)
    if line is None or (line.summary is None and line.split is None):
        return Phrase("no score", Tone.NOTE) if line is not None else None
    score, value = _score(line)
    if cell is None:
        return Judged(value, line.unit, score) if line.split is None else Phrase(score, Tone.UNKNOWN, _kind(line))
    tone, ratio = TONES[cell.verdict.answer], cell.verdict.ratio
    if levels_told(cell) or ratio is None:
        kind = WORDS[cell.split.kind] if cell.split is not None else _kind(line)
        told = f"no single ratio{f' ({kind} of blocks)' if cell.split else ''}" if levels_told(cell) else "no ratio"
        return Judged(value, line.unit, score, None, told, kind, tone)
    marked = f" ({mark(cell)})" if mark(cell) else ""
    if cell.verdict.answer is Answer.SAME:
        return Judged(value, line.unit, score, ratio, f"same{marked}", "same", tone)
    return Judged(value, line.unit, score, ratio, directed(cell, ratio) + marked, _brief(cell, ratio), tone)


def _score(line: ScoreLine) -> tuple[str, float | None]:
    if line.split is not None:
        return split_text(line.split, line.unit), None
    assert line.summary is not None
    found = line.summary
    return score_text(found.value, line.unit, found.low, found.high), found.value


def _kind(line: ScoreLine) -> str:
    return WORDS[line.split.kind] if line.split is not None else ""


def _brief(cell: Compared, ratio: float) -> str:
    """Nothing for an undecided ratio: its shape does not say its direction."""
    return ratio_text(factor(ratio)) if cell.verdict.decided else ""
