"""All tests against all targets in one table: score, spread, and a bar that is longer where the score is better."""

from __future__ import annotations

from plimsoll.report.document import Block, Cell, Phrase, Table, Tone, columns, number, phrase
from plimsoll.report.evidence import Evidence, ScoreLine
from plimsoll.report.labels import percent_text, score_text
from plimsoll.report.levels import split_text

ORDER = 14
TITLE = "Tests and targets"

FEWEST_CASES, FEWEST_TARGETS = 2, 3
"""Below, verdicts and scores say the same in fewer words."""
BAR_CELLS = 8
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_NOTES = (
    "Score ± run-to-run standard deviation; one run has none. Bars: share of the best target of the row, so that the "
    "longest is the best whether more or less is better.",
)


def build(evidence: Evidence) -> list[Block]:
    """One row per judged metric; nothing for few cases or targets."""
    if evidence.only_searched or len(evidence.cases) < FEWEST_CASES or len(evidence.targets) < FEWEST_TARGETS:
        return []
    rows = []
    for case in evidence.cases:
        for metric in evidence.judged[case]:
            lines = {line.target: line for line in evidence.lines if (line.case, line.metric) == (case, metric)}
            if any(line.summary or line.split for line in lines.values()):
                shown = evidence.metric_label(case, metric, *lines)
                cells = tuple(_cell(lines.get(name), lines) for name in evidence.targets)
                rows.append((phrase(case), phrase(shown), *cells))
    table = Table("Scores of all targets", columns("Case", "Metric", *evidence.targets), tuple(rows), _NOTES)
    return [table] if rows else []


def _cell(line: ScoreLine | None, lines: dict[str, ScoreLine]) -> Cell:
    if line is not None and line.split is not None:
        return Phrase(split_text(line.split, line.unit), Tone.UNKNOWN)
    if line is None or line.summary is None:
        return None
    found = line.summary
    spread = "" if found.variation is None else f" ± {percent_text(round(found.variation, 2))}"
    known = [each.summary.value for each in lines.values() if each.summary is not None]
    share = found.value / max(known) if line.direction == "higher" else min(known) / found.value
    text = f"{score_text(found.value, line.unit, found.low, found.high)}{spread} {bar(share)}"
    return number(found.value, line.unit, text)


def bar(share: float) -> str:
    """A bar of BAR_CELLS cells for a share of 1; never empty."""
    eighths = max(1, round(share * BAR_CELLS * 8))
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()
