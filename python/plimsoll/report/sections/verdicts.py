"""The answers: plain sentences first, then every comparison with its numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from statistics import median

from plimsoll.model import RENTED, RunStatus, SessionState
from plimsoll.report.document import Block, Phrase, Sentence, Table, Text, Tone, columns, number, phrase, span, text
from plimsoll.report.document import Cell as CellOf
from plimsoll.report.evidence import Evidence
from plimsoll.report.gate import nothing_compared
from plimsoll.report.labels import ratio_in_words
from plimsoll.report.subject import subject
from plimsoll.stats.direction import levels_in_words
from plimsoll.stats.multiplicity import footer
from plimsoll.stats.paired import Cell
from plimsoll.stats.policy import LAST
from plimsoll.stats.ratio_text import levels_told
from plimsoll.stats.sentences import answer_word, further_blocks, sentence
from plimsoll.stats.sentences import band as band_text
from plimsoll.stats.stated import ASSUMPTION
from plimsoll.stats.unpaired import GUARANTEE
from plimsoll.stats.verdict import Answer
from plimsoll.units import format_estimate

ORDER = 10
TITLE = "Verdicts"
SHORT = True

MANY_SENTENCES = 40
"""With more comparisons, only the deciding metric of each case gets a sentence; the table has all."""

MANY_DIFFERENCES = 12
"""Differences that short forms have a sentence for."""

FEW_COMPARISONS = 4
"""Of so few, short forms have every sentence: one without a verdict says what would give it one."""

MANY_PLACES = 3
"""Comparisons that a note names; of more it gives the number."""
OF_ALLOCATIONS = "Each allocation by itself; what all of them say of the products stands under “Answer” and “Products”."
_NAME = "\ue000"
"""Stands for the target in sentences that may be said of several."""
TONES = {
    Answer.BETTER: Tone.BETTER,
    Answer.WORSE: Tone.WORSE,
    Answer.SAME: Tone.SAME,
    Answer.UNKNOWN: Tone.UNKNOWN,
}
WORDS = {Answer.BETTER: "better", Answer.WORSE: "worse", Answer.SAME: "same", Answer.UNKNOWN: "not enough data"}


def build(evidence: Evidence) -> list[Block]:
    """Sentences, a table, and what the answers do and do not cover."""
    if not evidence.valid:
        return [_nothing_valid(evidence)]
    if evidence.only_searched or evidence.alone:
        return []
    if not evidence.cells:
        told = nothing_compared((), evidence.named.names)
        return [text(f"No verdict: {told}.", tone=Tone.UNKNOWN)]
    sentences = _told(evidence)
    blocks: list[Block] = list(_sentences(evidence, sentences))
    if len(sentences) < len(evidence.cells):
        words = "One sentence per case and target; the table has the other metrics."
        blocks.append(text(words, tone=Tone.NOTE, short=False))
    blocks += [*_suites(evidence), *_notes(evidence), _table(evidence), _scope(evidence)]
    if subject(evidence) is evidence:
        return blocks
    return [text(OF_ALLOCATIONS, tone=Tone.NOTE, short=False), *map(_folded, blocks)]


def _folded(block: Block) -> Block:
    """Left out of short forms: the answer is about products, and this is what it rests on."""
    return replace(block, short=False) if isinstance(block, Text | Table) else block


def _suites(evidence: Evidence) -> list[Text]:
    """One number for all cases of a target, never without the worst of them."""
    told = [suite.sentence for suite in evidence.suites]
    return [text(*told, tone=Tone.PLAIN, short=len(told) == 1)] if told else []


def _nothing_valid(evidence: Evidence) -> Text:
    counts = Counter(run.status for run in evidence.runs)
    if not counts:
        return text("Nothing was measured: no run has ended.", tone=Tone.UNKNOWN)
    parts = ", ".join(f"{counts[status]} {status.value}" for status in RunStatus if counts[status])
    advice = "The reasons are under “Cautions”."
    return text(f"Nothing valid was measured, so there is no answer: {parts}. {advice}", tone=Tone.UNKNOWN)


def _sentences(evidence: Evidence, cells: list[Cell]) -> Iterator[Text]:
    """One sentence each; short forms have those that differ, if they are few: the table above has every verdict."""
    differ = (Answer.BETTER, Answer.WORSE) if len(cells) > FEW_COMPARISONS else tuple(Answer)
    few = sum(cell.verdict.answer in differ for cell in cells) <= MANY_DIFFERENCES
    for short, group in groupby(cells, lambda cell: few and cell.verdict.answer in differ):
        yield Text(tuple(_gathered(_sentence(evidence, cell) for cell in group)), short)


def _gathered(told: Iterable[tuple[Sentence, str]]) -> Iterator[Sentence]:
    """Each wording once, with all the targets of which it is said."""
    found: dict[Sentence, list[str]] = {}
    for sentence_, target in told:
        found.setdefault(sentence_, []).append(target)
    for each, targets in found.items():
        more = f" and {len(targets) - MANY_PLACES} more" if len(targets) > MANY_PLACES else ""
        yield Sentence(each.text.replace(_NAME, f"{', '.join(targets[:MANY_PLACES])}{more}"), each.tone)


def _told(evidence: Evidence) -> list[Cell]:
    if len(evidence.cells) <= MANY_SENTENCES:
        return list(evidence.cells)
    return [cell for cell in evidence.cells if cell.metric == evidence.judged[cell.case][0]]


def _sentence(evidence: Evidence, cell: Cell) -> tuple[Sentence, str]:
    """The sentence; of what has no common ratio with a mark in the place of the target, which is the second."""
    label = evidence.metric_label(cell.case, cell.metric, cell.target, cell.baseline)
    target = _NAME if levels_told(cell) == levels_told(replace(cell, target=_NAME)) != "" else cell.target
    told = sentence(replace(cell, target=target), _time_of(evidence, cell))
    return Sentence(f"{cell.case}, {label}: {told}.", TONES[cell.verdict.answer]), cell.target


def _notes(evidence: Evidence) -> list[Text]:
    """What to know beside the sentences, each once with the comparisons that it is about."""
    about: dict[str, dict[tuple[str, str], list[str]]] = {}
    metrics = Counter((cell.case, cell.target) for cell in evidence.cells)
    for cell in evidence.cells:
        label = evidence.metric_label(cell.case, cell.metric, cell.target, cell.baseline)
        for note in cell.notes:
            if note.kind != "apart" and not note.in_sentence:
                about.setdefault(note.text, {}).setdefault((cell.case, cell.target), []).append(label)
    told = []
    for words, found in about.items():
        places = [
            f"{case} on {target}"
            if len(labels) == metrics[case, target]
            else f"{case} ({', '.join(labels)}) on {target}"
            for (case, target), labels in found.items()
        ]
        more = f" and {len(places) - MANY_PLACES} more" if len(places) > MANY_PLACES else ""
        (case, target), *others = found
        if not others and places == [f"{case} on {target}"] and words.startswith(f"{target}: "):
            told.append(f"{case} on {words}.")
            continue
        told.append(f"{', '.join(places[:MANY_PLACES])}{more}: {words}.")
    return [text(*told, tone=Tone.NOTE)] if told else []


def _time_of(evidence: Evidence, cell: Cell) -> str:
    """How long the missing blocks of an undecided cell take, from the blocks that were run."""
    further = further_blocks(cell.verdict)
    if further is None:
        return ""
    lengths = [
        median(run.spent_ns for run in runs)
        for target in evidence.targets
        if (runs := evidence.runs_of(cell.case, target))
    ]
    return f"about {format_estimate(further * sum(lengths))}" if lengths and sum(lengths) > 0 else ""


def _table(evidence: Evidence) -> Table:
    rows = tuple(
        (
            phrase(cell.case),
            phrase(evidence.metric_label(cell.case, cell.metric, cell.target, cell.baseline)),
            Phrase(answer_word(cell), TONES[cell.verdict.answer]),
            phrase(cell.target),
            *_ratio(cell),
            phrase(cell.baseline),
            number(cell.verdict.blocks_used, "1"),
            phrase("; ".join(note.text for note in cell.notes if note.kind != "apart")),  # said once, below
        )
        for cell in evidence.cells
    )
    # The answer stands early enough to be seen on a telephone without moving the table.
    names = ("Case", "Metric", "Verdict", "Target", ">Ratio", ">Interval", "Against", ">Blocks", "Notes")
    return Table("Every comparison", columns(*names), rows, short=False)


def _ratio(cell: Cell) -> tuple[CellOf, CellOf]:
    """The ratio and its interval; where blocks or runs have no common one, both levels or the range, and none."""
    if told := levels_in_words(cell):
        return phrase(told), None
    found = cell.verdict
    told, interval = ratio_in_words(cell)
    return number(found.ratio, "x", told), span(found.ratio_low, found.ratio_high, "x", interval)


def _apart(evidence: Evidence) -> list[str]:
    """The weaker guarantee, wherever runs were not interleaved."""
    apart = sum(cell.apart is not None for cell in evidence.cells)
    if not apart:
        return []
    which = "The runs" if apart == len(evidence.cells) else f"In {apart} of {len(evidence.cells)} comparisons, the runs"
    assumed = any(cell.apart is not None and cell.apart.stated not in ("", "known") for cell in evidence.cells)
    return [f"{which} were {GUARANTEE}.", *([f"{ASSUMPTION[0].upper()}{ASSUMPTION[1:]}."] if assumed else [])]


def _scope(evidence: Evidence) -> Text:
    places = "These two places" if len(evidence.targets) == 2 else f"These {len(evidence.targets)} places"
    sessions = "this session" if len(evidence.sessions) == 1 else f"these {len(evidence.sessions)} sessions"
    lines = [
        footer([cell.verdict for cell in evidence.cells]),
        *_apart(evidence),
        f"Scope: {places.lower()}, {sessions}. “Same” means within {band_text(evidence.band)}.",
        _about_products(evidence),
        *_extension(evidence),
    ]
    return text(*lines, tone=Tone.NOTE)


def _about_products(evidence: Evidence) -> str:
    if any(each.is_enough for each in evidence.products):
        return "What they say of the products, whose unit is the allocation, stands under “Products”."
    needs = "A statement about a product needs 3 or more sessions, each on a fresh instance and volume"
    return f"{needs}: --allocations rents them." if _is_rented(evidence) else f"{needs}."


def _is_rented(evidence: Evidence) -> bool:
    """Whether the places were rented for it, and are gone."""
    return any(run.target.kind == RENTED for run in evidence.runs)


def _extension(evidence: Evidence) -> list[str]:
    """What adds blocks to the one session that is shown, where the plan of looks goes as far as they would have to."""
    session = evidence.sessions[0]
    own = session.interleaved and "tests" in session.study and "load_line" not in session.study
    own = own and not _is_rented(evidence)
    open_ = [
        cell
        for cell in evidence.cells
        if cell.apart is None and cell.verdict.blocks_needed is not None and cell.verdict.blocks_needed <= LAST
    ]
    if len(evidence.sessions) > 1 or not own or session.state is not SessionState.DONE or not open_:
        return []
    return [
        f"On the machine that measured this, `plimsoll extend {session.id[-8:]}` adds blocks until there is a verdict; "
        "false verdicts stay as rare."
    ]
