"""All tests against all targets in one table: each score, how it compares with the baseline, and the verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from plimsoll import metrics
from plimsoll.report.document import KIND, Block, Cell, Column, Judged, Phrase, Table, Tone, phrase
from plimsoll.report.evidence import Evidence, ScoreLine
from plimsoll.report.labels import common_start, score_text
from plimsoll.report.levels import WORDS, got_worse, split_text, step_word, uneven_text
from plimsoll.report.marks import mark
from plimsoll.report.sections.verdicts import TONES
from plimsoll.stats.digits import three_digits
from plimsoll.stats.direction import decided, factor, said, words
from plimsoll.stats.paired import Cell as Compared
from plimsoll.stats.ratio_text import drawn, levels_told, ratio_text
from plimsoll.stats.repeats import PatternKind
from plimsoll.stats.verdict import Answer

ORDER = 6
TITLE = "Tests and targets"
SHORT = True
LEAD = True
OF_PRODUCTS = True

MOST_ROWS = 16
"""With more, the metrics that decide come first, and the others in a table of their own."""

UNDECIDED, SAME = "undecided", "same"
PAIRED = "Ratios are of runs that were next to each other in time, so they can differ from the quotient of two scores."

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
    kinds = evidence.kinds
    heads = [Column("test", "Case"), *([] if common else [Column("metric", "Metric")])]
    if kinds:
        heads.insert(0, Column(KIND, "Kind"))
    table = tuple(
        (
            *([phrase(kinds[case])] if kinds else []),
            phrase(case),
            *([] if common else [Phrase(label, brief=metrics.short_title(metric))]),
            *(_cell((case, metric, target), lines, compared) for target in evidence.targets),
        )
        for (case, metric), label in zip(rows, labels, strict=True)
    )
    return Table(_caption(evidence, common or what), (*heads, *_targets(evidence)), table, _notes(evidence, table))


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
    start = common_start(evidence.targets)
    table = tuple(
        (phrase(target.removeprefix(start)), *(_cell((case, metric, target), lines, compared) for case, metric in rows))
        for target in evidence.targets
    )
    return Table(_caption(evidence, "Scores"), columns, table, _notes(evidence, table))


def _notes(evidence: Evidence, rows: Sequence[Sequence[Cell]]) -> tuple[str, ...]:
    """Where a ratio is shown that need not be the quotient of the scores beside it."""
    judged = [cell for row in rows for cell in row if isinstance(cell, Judged) and cell.ratio is not None]
    shown = any(cell.tone in (Tone.BETTER, Tone.WORSE) for cell in judged)
    paired = (PAIRED,) if shown and any(cell.apart is None for cell in evidence.cells) else ()
    weak = [cell.told for cell in judged if cell.tone is Tone.UNKNOWN and not cell.told.startswith(UNDECIDED)]
    kinds = {told.startswith(SAME) for told in weak}
    if kinds == {True} and not any(cell.tone is Tone.SAME for cell in judged):
        # The answer says that none is significant; here is none to be told apart from.
        return paired
    if not kinds:
        return paired
    what = "A ratio or “same”" if len(kinds) == 2 else "“Same”" if True in kinds else "A ratio"
    # One line: the first screen has to hold the cautions too.
    return (" ".join((f"{what} after “?”: not significant after correction.", *paired)),)


def _targets(evidence: Evidence) -> list[Column]:
    start = common_start(evidence.targets)
    return [Column(name, name.removeprefix(start)) for name in evidence.targets]


def _caption(evidence: Evidence, what: str) -> str:
    what = what[:1].upper() + what[1:]
    start = common_start(evidence.targets)
    if start:
        what += f" of {start.strip(' /:_-,')}"
    baselines = list(dict.fromkeys(cell.baseline for cell in evidence.cells))
    if evidence.saved is not None and len(baselines) > 1:
        return f"{what}, each target compared with its own in the baseline {evidence.saved.name}"
    if not baselines:
        return what
    first = evidence.reference if len(baselines) > 1 and evidence.reference else baselines[0]
    return f"{what}, compared with {first.removeprefix(start)}"


def _metric(evidence: Evidence, case: str, metric: str) -> str:
    return evidence.metric_label(case, metric, *evidence.targets)


def _cell(place: Place, lines: Mapping[Place, ScoreLine], compared: Mapping[Place, Compared]) -> Cell:
    """Nothing where the test did not run; the score alone where nothing is compared."""
    line, cell = lines.get(place), compared.get(place)
    if line is None or (line.summary is None and line.split is None):
        return Phrase(uneven_text(line) or "no score", Tone.NOTE) if line is not None else None
    score, value = _score(line)
    if cell is None and (step := step_word(line)):
        return Judged(value, line.unit, score, None, step, step, Tone.WORSE if got_worse(line) else Tone.UNKNOWN)
    if cell is None and line.split is not None:
        return Phrase(score, Tone.UNKNOWN, _kind(line))
    if cell is not None and line.split is None and (told := _beside(lines.get((*place[:2], cell.baseline)), cell)):
        return Judged(value, line.unit, score, None, told)
    return Judged(value, line.unit, score, *(_judgement(line, cell) if cell is not None else ()))


def _beside(baseline: ScoreLine | None, cell: Compared) -> str:
    """`did not fall`, of a target whose baseline did; empty where that kept its level."""
    if baseline is None or not got_worse(baseline) or not levels_told(cell):
        return ""
    return f"did not {'fall' if step_word(baseline) == 'fell' else 'rise'}"


def _judgement(line: ScoreLine, cell: Compared) -> tuple[float | None, str, str, Tone]:
    """Ratio, what is said of it where there is room and where there is little, and its tone."""
    tone, ratio = TONES[cell.verdict.answer], cell.verdict.ratio
    marked = f" ({mark(cell)})" if mark(cell) else ""
    if (step := step_word(line)) and not cell.verdict.decided:
        return None, step, step, Tone.WORSE if got_worse(line) else tone
    if levels_told(cell) or ratio is None:
        kind = WORDS[cell.split.kind] if cell.split is not None else _kind(line)
        told = _levels(cell) if levels_told(cell) else "no ratio"
        return None, told, kind, tone
    if cell.verdict.answer is Answer.SAME:
        return ratio, f"{SAME}{marked}", SAME, Tone.UNKNOWN if cell.corrected else tone
    if not cell.verdict.decided:
        # Its ratio has a direction, and the next block may turn it round.
        return ratio, f"{UNDECIDED}{marked}", "", tone
    if cell.corrected:
        return ratio, f"{' '.join(_alike(cell, ratio))}{marked}", "", Tone.UNKNOWN
    told, word = _alike(cell, ratio)
    return ratio, f"{told} {word}{marked}", told, tone


def _alike(cell: Compared, ratio: float) -> tuple[str, str]:
    """The ratio in words, with no more digits than its neighbours have: columns are compared by eye."""
    told, word = decided(cell)
    return min(told, three_digits(factor(ratio)), key=len), word


def _levels(cell: Compared) -> str:
    """`1.00×, then 20× as fast`, `0.50…0.90× as fast (trend)`: what stands in the place of one ratio."""
    ends = [said(cell, ratio) for ratio in drawn(cell)]
    if len(ends) != 2:
        return "no single ratio"
    found = cell.split or next(filter(None, cell.apart.splits if cell.apart is not None else ()))
    manner = words(cell).manner
    if found.levels:
        return f"{ratio_text(ends[0])}, then {ratio_text(ends[1])} {manner}"
    low, high = sorted(ends)
    return f"{ratio_text(low).removesuffix('×')}…{ratio_text(high)} {manner} ({WORDS[found.kind]})"


def _score(line: ScoreLine) -> tuple[str, float | None]:
    if line.split is not None:
        return split_text(line.split, line.unit).removesuffix(f" ({WORDS[PatternKind.STEP]})"), None
    assert line.summary is not None
    found = line.summary
    return score_text(found.value, line.unit, found.low, found.high), found.value


def _kind(line: ScoreLine) -> str:
    return step_word(line) or (WORDS[line.split.kind] if line.split is not None else "")
