"""Where the model of a volume is wrong, by the same tests on a real one of its kind."""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.report.document import Block, Phrase, Sentence, Table, Text, Tone, columns, number, phrase, span, text
from plimsoll.report.evidence import Evidence
from plimsoll.report.models import ModelCheck, model_checks
from plimsoll.report.sections.verdicts import TONES
from plimsoll.stats.digits import in_columns
from plimsoll.stats.sentences import sentence
from plimsoll.stats.verdict import Answer

ORDER = 5
TITLE = "Model and volume"
SHORT = True
LEAD = True

MANY_SENTENCES = 12
"""More of them are in the table only."""
_WORDS = {Answer.BETTER: "wrong", Answer.WORSE: "wrong", Answer.SAME: "holds", Answer.UNKNOWN: "open"}
_TONES = {"wrong": Tone.WORSE, "holds": TONES[Answer.SAME], "open": TONES[Answer.UNKNOWN]}


def build(evidence: Evidence) -> list[Block]:
    """Nothing where no real volume stands beside a model of it."""
    found = model_checks(evidence)
    if not found:
        return []
    ordered = sorted(found, key=lambda each: _answer(each) != "wrong")
    told = tuple(_told(evidence, each) for each in ordered[:MANY_SENTENCES])
    notes = [
        "An emulated volume answers on the machine that serves it, and a real one on its instance: what their "
        "processors and kernels add is in these ratios."
    ]
    if any(_answer(each) == "wrong" for each in found):
        notes.append("`plimsoll volume fit SESSION -o FILE.toml` makes a model of what was measured.")
    return [Text(told), _table(evidence, found), text(*notes, tone=Tone.NOTE, short=False)]


def _told(evidence: Evidence, check: ModelCheck) -> Sentence:
    cell = check.cell
    what = f"{cell.case}, {evidence.metric_label(cell.case, cell.metric, cell.target, cell.baseline)}"
    told, holds = sentence(cell), f"the model of {check.volume.one} holds"
    words = {
        "open": f"{what}: whether {holds} is open: {told}.",
        "holds": f"{what}: {holds}: {told}.",
        "wrong": f"{what}: the model of {check.volume.one} is wrong: {told}.",
    }
    return Sentence(words[_answer(check)], _TONES[_answer(check)])


def _answer(check: ModelCheck) -> str:
    """A verdict of which the correction for many comparisons leaves nothing says nothing of a model."""
    cell = check.cell
    return "open" if cell.verdict.preview or cell.corrected else _WORDS[cell.verdict.answer]


def _table(evidence: Evidence, found: Sequence[ModelCheck]) -> Table:
    head = columns("Case", "Metric", "Model", "Volume", "Emulated", "Real", ">Real / emulated", ">Interval")
    rows = []
    for check in found:
        cell, verdict = check.cell, check.cell.verdict
        told, ends = in_columns(verdict.ratio_low, verdict.ratio, verdict.ratio_high)
        rows.append(
            (
                phrase(cell.case),
                phrase(evidence.metric_label(cell.case, cell.metric, cell.target, cell.baseline)),
                Phrase(_answer(check), _TONES[_answer(check)]),
                phrase(check.volume.one),
                phrase(cell.baseline),
                phrase(cell.target),
                number(verdict.ratio, "x", told),
                span(verdict.ratio_low, verdict.ratio_high, "x", ends),
            )
        )
    return Table("Where the model was checked", head, tuple(rows), short=False)
