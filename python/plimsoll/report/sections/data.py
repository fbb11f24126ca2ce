"""Every run with its scores: one table per case on the page, one flat table for spreadsheets and programs."""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll import metrics
from plimsoll.model import Finding, Level, Run, RunStatus, Score
from plimsoll.report.document import Block, Cell, Column, Table, columns, number, phrase
from plimsoll.report.evidence import Evidence
from plimsoll.report.levels import WORDS, level_rows
from plimsoll.report.sections.environment import time_text

ORDER = 100
TITLE = "Data of every run"

FLAT_COLUMNS = (
    *("session", "run", "case", "test", "plan", "target", "block", "order", "attempt", "status", "reason", "started"),
    *("metric", "value", "unit", "direction", "findings", "level", "pattern"),
)
"""`level` is what the score stands on (burst, sustained, mixed, unknown); empty where nothing is known to end.
`pattern` is empty where the runs of its case and target have a common score."""


def build(evidence: Evidence) -> list[Block]:
    """A table per case: a row per run, a column per metric."""
    blocks: list[Block] = []
    for case in evidence.cases:
        found = {metric: kind for (of, metric), kind in evidence.metrics.items() if of == case}
        heads = columns(">Block", ">Place", "Target", "Status") + tuple(
            Column(metric, metrics.title(metric), "right") for metric in found
        )
        runs = [run for run in evidence.runs if run.plan.case == case]
        blocks.append(Table(case, heads, tuple(_wide(run, list(found)) for run in runs)))
    return blocks


def _wide(run: Run, names: list[str]) -> tuple[Cell, ...]:
    scores = {score.metric: score for score in run.scores}
    status = f"{run.status.value}, repetition" if run.attempt else run.status.value
    return (
        number(run.block + 1, "1"),
        number(run.order + 1, "1"),
        phrase(run.target.name),
        phrase(status),
        *(number(scores[name].value, scores[name].unit) if name in scores else None for name in names),
    )


def _findings(run: Run, more: Sequence[Finding]) -> Cell:
    """What was objected to, in one cell: `warn: 8 % of the time was stolen; invalid: …`."""
    objected = [each for each in (*run.findings, *more) if each.level is not Level.OK]
    told = "; ".join(f"{each.level.value}: {each.message}" for each in objected)
    return phrase(told) if told else None


def _level(evidence: Evidence, run: Run, score: Score) -> Cell:
    found = evidence.standings.get((run.plan.case, run.target.name)) if run.status is RunStatus.OK else None
    return None if found is None else phrase(found.of(score.metric, score.unit).value)


def _patterns(evidence: Evidence) -> dict[tuple[str, str], Cell]:
    """By run and metric: of which level of a step it is, or what leaves its set without a common score."""
    found: dict[tuple[str, str], Cell] = {}
    for line in evidence.lines:
        if line.split is not None:
            runs = evidence.repeated(line.case, line.target, line.metric).runs
            word = WORDS[line.split.kind]
            found |= {(run.id, line.metric): phrase(word) for run in runs}
            for level, _, brief in level_rows(line):
                told = phrase(f"{word}: {brief}")
                found |= {(run.id, line.metric): told for run in runs[level.first : level.last + 1]}
    return found


def flat(evidence: Evidence) -> Table:
    """A row for every score of every run; a run without scores has one row without metric, so that it is not lost."""
    rows: list[tuple[Cell, ...]] = []
    patterns = _patterns(evidence)
    further = {run.id: finding for run, finding in evidence.unlasting}
    for run in evidence.runs:
        head: tuple[Cell, ...] = (
            phrase(run.session_id),
            phrase(run.id),
            phrase(run.plan.case),
            phrase(run.plan.test),
            phrase(run.plan.hash),
            phrase(run.target.name),
            number(run.block, "1"),
            number(run.order, "1"),
            number(run.attempt, "1"),
            phrase(run.status.value),
            phrase(run.reason),
            phrase(time_text(run.started_ns)),
        )
        findings = _findings(run, [further[run.id]] if run.id in further else [])
        for score in run.scores:
            value = number(score.value, score.unit)
            kind = (phrase(score.unit), phrase(score.direction))
            level = _level(evidence, run, score)
            seen = patterns.get((run.id, score.metric))
            rows.append((*head, phrase(score.metric), value, *kind, findings, level, seen))
        if not run.scores:
            rows.append((*head, None, None, None, None, findings, None, None))
    heads = tuple(Column(name, name) for name in FLAT_COLUMNS)
    return Table("Every score of every run", heads, tuple(rows))
