"""JUnit XML, which every build server shows: a test case per comparison.

Worse is a failure; not enough data is skipped, or a failure where the gate says so. The reader must take any text, so
what XML 1.0 cannot hold is replaced.
"""

from __future__ import annotations

from xml.sax.saxutils import quoteattr

from plimsoll.report.comparisons import Comparison, claim
from plimsoll.report.printable import clean
from plimsoll.stats.paired import Cell
from plimsoll.stats.sentences import sentence
from plimsoll.stats.verdict import Answer


def render(comparison: Comparison) -> str:
    """The document, ending in a newline."""
    failing = comparison.failing | {Answer.WORSE}
    if comparison.failing and comparison.nothing:
        failing |= {Answer.UNKNOWN}
    failures = sum(cell.verdict.answer in failing for cell in comparison.cells)
    skipped = sum(cell.verdict.answer is Answer.UNKNOWN for cell in comparison.cells if Answer.UNKNOWN not in failing)
    nothing = [comparison.nothing] if comparison.nothing and not comparison.cells else []
    # A gate without a comparison has not passed; where nobody asked for one, nothing was tested.
    errors = len(nothing) if comparison.failing else 0
    skipped += len(nothing) - errors
    total = len(comparison.cells) + len(nothing)
    counts = f'tests="{total}" failures="{failures}" errors="{errors}" skipped="{skipped}"'
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<testsuites name={_attribute('plimsoll')} {counts}>",
        f"  <testsuite name={_attribute(comparison.title)} {counts}>",
    ]
    for told in nothing:
        kind = "error" if errors else "skipped"
        lines += ['    <testcase name="comparison">', f"      <{kind} message={_attribute(told)}/>", "    </testcase>"]
    for cell in comparison.cells:
        lines += _case(cell, cell.verdict.answer in failing)
    told = "\n".join(suite.sentence for suite in comparison.suites)
    lines += [f"    <system-out>{_text(told)}</system-out>"] if told else []
    return "\n".join([*lines, "  </testsuite>", "</testsuites>", ""])


def _case(cell: Cell, failed: bool) -> list[str]:
    told = sentence(cell)
    if failed:
        inner = f"<failure type={_attribute(cell.verdict.answer.value)} message={_attribute(told)}/>"
    elif cell.verdict.answer is Answer.UNKNOWN:
        inner = f"<skipped message={_attribute(told)}/>"
    else:
        inner = ""
    notes = "\n".join([told, *(note.text for note in cell.notes if not note.in_sentence)])
    return [
        f"    <testcase classname={_attribute(cell.case)} name={_attribute(claim(cell))}>",
        *([f"      {inner}"] if inner else []),
        f"      <system-out>{_text(notes)}</system-out>",
        "    </testcase>",
    ]


def _attribute(words: str) -> str:
    return quoteattr(_plain(words))


def _text(words: str) -> str:
    return _plain(words).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _plain(words: str) -> str:
    """U+FFFE and U+FFFF are the only characters that XML refuses and `clean` leaves."""
    return clean(words).replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd")
