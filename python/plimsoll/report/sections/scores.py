"""What each target reached in each case, with the interval that the blocks support."""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll import metrics
from plimsoll.report.document import Block, Cell, Phrase, Table, Tone, columns, number, phrase, span, text
from plimsoll.report.evidence import Evidence, ScoreLine
from plimsoll.report.labels import count_text, interval_text, percent_text, range_text, score_text
from plimsoll.report.levels import WORDS, level_rows, uneven_text
from plimsoll.report.subject import Products
from plimsoll.stats.digits import three_digits
from plimsoll.stats.repeats import PatternKind
from plimsoll.stats.standing import Basis, ios_text
from plimsoll.stats.stated import stated_in
from plimsoll.stats.summary import Split, Summary
from plimsoll.units import format_spread

ORDER = 20
TITLE = "Scores"
SHORT = True
LEAD_ALONE = True
OF_PRODUCTS = True

_BRIEF = ("case", "metric", "target", "score", "95_interval", "runs", "stability")
_LEVELS = {
    Basis.BURST: "burst",
    Basis.SUSTAINED: "sustained",
    Basis.MIXED: "mixed: a burst and what came after",
    Basis.UNKNOWN: "sustained level not measured",
}
_BRIEF_LEVELS = {Basis.BURST: "burst", Basis.MIXED: "burst+after", Basis.UNKNOWN: "burst?"}
MANY_STEPS = 8
WIDE_SPREAD = 0.10
"""Runs that differ this much are not called stable, even where none is far behind the others."""

_LEVEL = (
    "Level: a burst lasts as long as its credits (the time given is for full ones) and then falls to the rate given; "
    "sustained needs no credits; mixed contains some of both.",
)
_NOTES = (
    "Score: geometric mean of the runs, one per block, trimmed by 20 % at each end from 6 runs on; the interval holds "
    "the true score in 95 of 100 such sessions.",
    "Spread: run-to-run standard deviation, called wide from 10 % on. Unstable: the worst run is 1.25× worse than "
    "the median or more (how much is shown), or over 10 % of runs are far from the others.",
)
_PRODUCT_NOTES = (
    "Score: geometric mean of the allocations, each of which counts once with that of its runs, trimmed by 20 % at "
    "each end from 6 allocations on; the interval holds the score of the product in 95 of 100 such studies. Spread: "
    "standard deviation from allocation to allocation.",
)
_PERCENTILES = (
    "Percentiles: the geometric mean of those of each run; “Latency” has those pooled over all operations.",
)
_SPLIT_NOTE = (
    "Runs with a step, or a first run unlike the others, have a score for each level and none in common; with a trend, "
    "groups or dependence they have a range. Neither has an interval.",
)


def build(evidence: Evidence) -> list[Block]:
    """The judged metrics, then all others."""
    if evidence.only_searched:
        return []
    if isinstance(evidence, Products):
        return _of_products(evidence)
    judged = [line for line in evidence.lines if line.judged]
    further = [line for line in evidence.lines if not line.judged]
    if not any(line.summary or line.split for line in evidence.lines):
        return [text("No valid run has a score.", tone=Tone.UNKNOWN)]
    # Where targets are compared, the table of tests and targets has the same scores in fewer lines.
    blocks: list[Block] = (
        [_table(evidence, "Scores of the judged metrics", judged, _NOTES, short=evidence.alone)] if judged else []
    )
    if further:
        blocks.append(_table(evidence, "Scores of all other metrics", further, (), short=not judged))
    return blocks


def _of_products(evidence: Products) -> list[Block]:
    """The judged metrics of the products, then what each of their allocations reached."""
    judged = [line for line in evidence.lines if line.judged]
    own = [line for line in evidence.allocated.lines if line.judged]
    further = [line for line in evidence.allocated.lines if not line.judged]
    blocks: list[Block] = []
    if judged:
        blocks.append(_table(evidence, "Scores of the products", judged, _PRODUCT_NOTES, short=False))
    if own:
        blocks.append(_table(evidence.allocated, "Scores of each allocation", own, _NOTES, short=False))
    if further:
        blocks.append(_table(evidence.allocated, "All other metrics of each allocation", further, (), short=False))
    return blocks


def _table(evidence: Evidence, caption: str, lines: list[ScoreLine], notes: tuple[str, ...], *, short: bool) -> Table:
    counted = ">Allocations" if isinstance(evidence, Products) else ">Runs"
    names = ["Case", "Metric", "Target", ">Score", ">95 % interval", counted, ">Lowest…highest", ">Spread", "Stability"]
    rows = [(line, row) for line in lines for row in _rows(evidence, line)]
    if notes and any(line.unit == "ns" for line in lines):
        notes += _PERCENTILES
    if any(line.split for line in lines):
        notes += (*_SPLIT_NOTE, *_steps(evidence, lines))
    if any(line.standing for line in lines):
        names.append("Level")
        rows = [(line, (*row, _level(line))) for line, row in rows]
        notes += _LEVEL
    targets = {line.target for line in lines}
    if len(targets) == 1:
        # One target for all of them is said once.
        place = names.index("Target")
        names.pop(place)
        rows = [(line, (*row[:place], *row[place + 1 :])) for line, row in rows]
        caption = f"{caption} ({targets.pop()})"
    return Table(caption, columns(*names), tuple(row for _, row in rows), notes, _BRIEF, short)


def _steps(evidence: Evidence, lines: list[ScoreLine]) -> Iterator[str]:
    """Where and when each step was: the brief form of the table has no room for it."""
    stepped = [line for line in lines if line.split is not None and line.split.kind is PatternKind.STEP]
    for line in stepped[:MANY_STEPS]:
        label = evidence.metric_label(line.case, line.metric, line.target)
        _, (_, told, _) = level_rows(line)
        yield f"{line.case}, {label}, {line.target}: {told}."
    if len(stepped) > MANY_STEPS:
        yield f"And {len(stepped) - MANY_STEPS} more with a step."


def _level(line: ScoreLine) -> Cell:
    """`burst, 34 min; then 300/s`: what the score stands on."""
    found, basis = line.standing, line.basis
    if found is None or basis is None:
        return phrase("")
    if basis is Basis.BURST and found.lasts_s is not None and found.left is not None:
        return Phrase(f"burst, {found.time}; then {ios_text(found.left)}", Tone.WORSE)
    if basis is Basis.UNKNOWN:
        return Phrase("sustained level not measured", Tone.UNKNOWN)
    return Phrase(_LEVELS[basis], Tone.UNKNOWN if basis is Basis.MIXED else Tone.PLAIN)


def _rows(evidence: Evidence, line: ScoreLine) -> list[tuple[Cell, ...]]:
    """One row; one for each level where the runs have no common score."""
    memory = " (memory)" if (line.case, line.metric, line.target) in evidence.from_memory else ""
    label = evidence.metric_label(line.case, line.metric, line.target)
    metric = Phrase(label, brief=metrics.short_title(line.metric) + memory)
    head = (phrase(line.case), metric, phrase(line.target))
    found = line.summary
    if line.split is not None:
        return [(*head, *cells) for cells in _split_cells(line, line.split)]
    if found is None:
        why = uneven_text(line) or ("only zeros" if line.values else "no valid run")
        return [(*head, None, None, number(len(line.values), "1"), None, None, Phrase(why, Tone.UNKNOWN))]
    unit = line.unit
    cells = (
        number(found.value, unit, score_text(found.value, unit, found.low, found.high)),
        span(found.low, found.high, unit, interval_text(found.low, found.high, unit, found.value)),
        number(found.runs, "1"),
        span(found.minimum, found.maximum, unit, range_text(found.minimum, found.maximum, unit, found.value)),
        None if found.variation is None else number(found.variation, "1", percent_text(round(found.variation, 3))),
        _stated(evidence, line) or _stability(line, found, len(line.values) - found.runs, evidence.unit),
    )
    return [(*head, *cells)]


def _split_cells(line: ScoreLine, found: Split) -> Iterator[tuple[Cell, ...]]:
    """Score to stability of each level, or the range and what was seen."""
    unit = line.unit
    for level, told, brief in level_rows(line):
        yield (
            number(level.value, unit, score_text(level.value, unit)),
            None,
            number(level.runs, "1"),
            span(level.minimum, level.maximum, unit, range_text(level.minimum, level.maximum, unit)),
            None,
            Phrase(told, Tone.WORSE, brief),
        )
    if not found.levels:
        ends = span(found.minimum, found.maximum, unit, range_text(found.minimum, found.maximum, unit))
        seen = Phrase(f"{WORDS[found.kind]}: {found.text}", Tone.WORSE, WORDS[found.kind])
        yield (ends, None, number(found.runs, "1"), ends, None, seen)


def _stated(evidence: Evidence, line: ScoreLine) -> Phrase | None:
    """The spread that a table gave for the one mean it holds."""
    if len(line.values) != 1:
        return None
    runs = evidence.runs_of(line.case, line.target)
    only = stated_in(runs[0].facts, line.metric, line.values[0]) if len(runs) == 1 else None
    if only is None:
        return None
    count = f" of {count_text(only.runs, 'run')}" if only.runs else ""
    return Phrase(f"stated {format_spread(line.values[0], only.spread, line.unit)}{count}", Tone.UNKNOWN)


def _stability(line: ScoreLine, found: Summary, zeros: int, unit: str) -> Phrase:
    """How alike the runs are; what is only alike as long as a burst lasts is not called stable."""
    told = _alike(found, zeros, "one run" if unit == "block" else f"one {unit}")
    basis = line.basis
    if basis is None or basis is Basis.SUSTAINED:
        return told
    time = f" {line.standing.time}" if basis is Basis.BURST and line.standing and line.standing.time else ""
    word = f"{_BRIEF_LEVELS[basis]}{time}"
    full = f"{told.text} within the burst" if basis is Basis.BURST else f"{told.text}, {_LEVELS[basis]}"
    if told.tone is Tone.WORSE:
        return Phrase(full, told.tone, f"{_BRIEF_LEVELS[basis]}, {told.brief}")
    return Phrase(full, Tone.UNKNOWN, word)


def _alike(found: Summary, zeros: int, one: str) -> Phrase:
    if zeros:
        return Phrase(f"{count_text(zeros, 'run')} scored zero, left out", Tone.WORSE)
    if found.runs == 1:
        return Phrase(one, Tone.UNKNOWN)
    if found.unstable:
        worst = three_digits(1 / found.worst_share)
        return Phrase(f"unstable, worst run {worst} off the median", Tone.WORSE, f"worst {worst} off median")
    if found.variation is not None and found.variation >= WIDE_SPREAD:
        return Phrase("wide spread", Tone.UNKNOWN)
    return Phrase("stable")
