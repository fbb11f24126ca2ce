"""Workflow commands of GitHub Actions: worse is an error, not enough data a warning, better a notice."""

from __future__ import annotations

from plimsoll.report.comparisons import Comparison, claim
from plimsoll.report.printable import clean
from plimsoll.stats.sentences import sentence
from plimsoll.stats.verdict import Answer

_LEVELS = {Answer.WORSE: "error", Answer.UNKNOWN: "warning", Answer.BETTER: "notice"}


def render(comparison: Comparison) -> str:
    """One line per comparison that is not the same, the worst first."""
    lines = []
    if comparison.nothing:
        level = "error" if comparison.failing else "warning"
        lines.append(f"::{level} title=nothing compared::{_message(comparison.nothing)}\n")
    lines += [f"::warning title=changed results::{_message(each)}\n" for each in comparison.changed]
    for answer, level in _LEVELS.items():
        level = "error" if answer in comparison.failing else level
        for cell in comparison.cells:
            if cell.verdict.answer is answer:
                title = _property(f"{cell.case}: {claim(cell)}")
                lines.append(f"::{level} title={title}::{_message(sentence(cell))}\n")
    for suite in comparison.suites:
        title = _property(f"{suite.target} against {suite.baseline}, all cases together")
        lines.append(f"::notice title={title}::{_message(suite.sentence)}\n")
    return "".join(lines)


def _message(words: str) -> str:
    """Escaped so that no text can end the line and begin a command of its own."""
    return clean(words).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(words: str) -> str:
    return _message(words).replace(":", "%3A").replace(",", "%2C")
