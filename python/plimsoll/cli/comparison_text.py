"""What `plimsoll compare` writes for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from plimsoll.report import Evidence
    from plimsoll.report.comparisons import Comparison
    from plimsoll.report.document import Sentence
    from plimsoll.stats.paired import Cell

FEW_COMPARISONS = 4
"""Of so few every one is told: one without a verdict says what would give it one."""
MANY_DIFFERENCES = 12
"""More are told by the table above alone: on a screen it is read as a whole, a list of as many sentences is not."""
MANY_NOTES = 12
"""More of them are counted."""


def print_comparison(evidence: Evidence, comparison: Comparison, screen: Console, *, every: bool) -> None:
    """The answer, the table of tests and targets, the cautions, then a sentence on each of few that differ."""
    from plimsoll.report import build_document
    from plimsoll.report.document import Section
    from plimsoll.report.labels import count_text
    from plimsoll.report.renderers.terminal import print_document, print_heading, print_sentence
    from plimsoll.report.subject import subject

    # Rich ends the process when nobody reads any more; a gate still has its exit code to give.
    with suppress(BrokenPipeError, SystemExit):
        print_document(build_document(evidence, lead=True), screen, every=every, more="with `--all`")
        if not every and subject(evidence) is not evidence:
            # The answer was about products, and these are about each pair of places.
            print_sentence(
                _plain(
                    f"{count_text(len(evidence.cells), 'comparison')} of single allocations: `--all` shows these too."
                ),
                screen,
            )
            return
        told = [*_notes(comparison.cells, every=every), *_sentences(comparison.cells, every=every)]
        if every or len(comparison.suites) == 1:
            told += [_plain(suite.sentence) for suite in comparison.suites]
        if told:
            print_heading(Section("comparisons", "Comparisons", ()), screen)
        for each in told:
            print_sentence(each, screen)


def _sentences(cells: Sequence[Cell], *, every: bool) -> Iterator[Sentence]:
    """One for each comparison that differs if these are few, and how many do not."""
    from plimsoll.metrics import short_title
    from plimsoll.report.document import Sentence
    from plimsoll.report.memory import NOT_THE_DISK, is_memory
    from plimsoll.report.sections.verdicts import TONES
    from plimsoll.stats.sentences import sentence
    from plimsoll.stats.verdict import Answer

    differ = [cell for cell in cells if cell.verdict.answer in (Answer.BETTER, Answer.WORSE)]
    few = differ if len(differ) <= MANY_DIFFERENCES else []
    shown = cells if every or len(cells) <= FEW_COMPARISONS else few
    for cell in shown:
        memory = f" ({NOT_THE_DISK})" if is_memory(cell) else ""
        words = f"{cell.case}, {short_title(cell.metric)}{memory}: {sentence(cell)}"
        yield Sentence(words, TONES[cell.verdict.answer])
    if len(shown) < len(cells):
        same = sum(cell.verdict.answer is Answer.SAME for cell in cells)
        counts = ((same, "the same"), (len(cells) - len(differ) - same, "undecided"))
        rest = ", ".join(f"{count:,} {word}" for count, word in counts if count)
        others = "shows these too" if shown or not differ else "shows each with its interval"
        yield _plain(
            f"{len(differ):,} of {len(cells):,} comparisons differ{f'; {rest}' if rest else ''}: `--all` {others}."
        )


def _notes(cells: Sequence[Cell], *, every: bool) -> Iterator[Sentence]:
    """What to know beside the sentences; what many comparisons share is said once."""
    from plimsoll.metrics import short_title
    from plimsoll.report.document import Sentence, Tone

    about: dict[str, list[str]] = {}
    for cell in cells:
        for note in cell.notes:
            if not note.in_sentence:
                about.setdefault(note.text, []).append(f"{cell.case}, {short_title(cell.metric)}")
    # What concerns most comes first.
    ordered = sorted(about.items(), key=lambda each: -len(each[1]))
    for words, where in ordered if every else ordered[:MANY_NOTES]:
        what = where[0] if len(where) == 1 else f"{len(where)} of {len(cells)} comparisons"
        yield Sentence(f"{what}: {words}", Tone.NOTE)
    if len(ordered) > MANY_NOTES and not every:
        yield Sentence(f"{len(ordered) - MANY_NOTES:,} more notes: `--all` shows these too.", Tone.NOTE)


def _plain(words: str) -> Sentence:
    from plimsoll.report.document import Sentence

    return Sentence(words)
