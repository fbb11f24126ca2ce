"""What each target reached in each case, with the interval that the blocks support."""

from __future__ import annotations

from plimsoll.report.document import Block, Cell, Phrase, Table, Tone, columns, number, phrase, span, text
from plimsoll.report.evidence import Evidence, ScoreLine
from plimsoll.report.labels import count_text, interval_text, percent_text, range_text, score_text, short_label
from plimsoll.stats.summary import Summary

ORDER = 20
TITLE = "Scores"
SHORT = True

_BRIEF = ("case", "metric", "target", "score", "95_interval", "runs", "stability")
WIDE_SPREAD = 0.10
"""Runs that differ this much are not called stable, even where none is far behind the others."""

_NOTES = (
    "Score: typical block (20 % trimmed mean of the logs from 6 runs on, mean below), one run per block; "
    "the interval holds the true typical block in 95 of 100 such sessions.",
    "Spread: run-to-run standard deviation, called wide from 10 % on. Unstable: the worst run is below 0.8 of the "
    "median (its share is shown), or over 10 % of runs are far from the others.",
)


def build(evidence: Evidence) -> list[Block]:
    """The judged metrics, then all others."""
    if evidence.only_searched:
        return []
    judged = [line for line in evidence.lines if line.judged]
    further = [line for line in evidence.lines if not line.judged]
    if not any(line.summary for line in evidence.lines):
        return [text("No valid run has a score.", tone=Tone.UNKNOWN)]
    blocks: list[Block] = (
        [_table(evidence, "Scores of the judged metrics", judged, _NOTES, short=True)] if judged else []
    )
    if further:
        blocks.append(_table(evidence, "Scores of all other metrics", further, (), short=not judged))
    return blocks


def _table(evidence: Evidence, caption: str, lines: list[ScoreLine], notes: tuple[str, ...], *, short: bool) -> Table:
    names = ("Case", "Metric", "Target", ">Score", ">95 % interval", ">Runs", ">Lowest…highest", ">Spread", "Stability")
    return Table(caption, columns(*names), tuple(_row(evidence, line) for line in lines), notes, _BRIEF, short)


def _row(evidence: Evidence, line: ScoreLine) -> tuple[Cell, ...]:
    memory = " (memory)" if (line.case, line.metric, line.target) in evidence.from_memory else ""
    label = evidence.metric_label(line.case, line.metric, line.target)
    metric = Phrase(label, brief=short_label(line.metric) + memory)
    head = (phrase(line.case), metric, phrase(line.target))
    found = line.summary
    if found is None:
        why = "only zeros" if line.values else "no valid run"
        return (*head, None, None, number(len(line.values), "1"), None, None, Phrase(why, Tone.UNKNOWN))
    unit = line.unit
    return (
        *head,
        number(found.value, unit, score_text(found.value, unit, found.low, found.high)),
        span(found.low, found.high, unit, interval_text(found.low, found.high, unit, found.value)),
        number(found.runs, "1"),
        span(found.minimum, found.maximum, unit, range_text(found.minimum, found.maximum, unit, found.value)),
        None if found.variation is None else number(found.variation, "1", percent_text(round(found.variation, 3))),
        _stability(found, len(line.values) - found.runs),
    )


def _stability(found: Summary, zeros: int) -> Phrase:
    if zeros:
        return Phrase(f"{count_text(zeros, 'run')} scored zero, left out", Tone.WORSE)
    if found.runs == 1:
        return Phrase("one run", Tone.UNKNOWN)
    if found.unstable:
        return Phrase(f"unstable, worst {found.worst_share:.2f}×", Tone.WORSE, f"worst {found.worst_share:.2f}×")
    if found.variation is not None and found.variation >= WIDE_SPREAD:
        return Phrase("wide spread", Tone.UNKNOWN)
    return Phrase("stable")
