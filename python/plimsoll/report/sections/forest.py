"""All comparisons at a glance: how much better or worse each target is, with its interval, against the band."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from functools import partial

from plimsoll import metrics
from plimsoll.report.charts.forest import LONGEST, Point, spec, step
from plimsoll.report.charts.vega import Vega
from plimsoll.report.document import Block, Chart, Phrase, Table, columns, number, phrase, span, text
from plimsoll.report.evidence import Evidence
from plimsoll.report.labels import count_text, percent_text, ratio_in_words
from plimsoll.report.marks import mark, marked
from plimsoll.report.memory import MEMORY
from plimsoll.report.sections.verdicts import TONES, WORDS
from plimsoll.stats.digits import wide_open
from plimsoll.stats.direction import levels_in_words
from plimsoll.stats.paired import Cell
from plimsoll.stats.ratio_text import drawn
from plimsoll.stats.sentences import answer_word
from plimsoll.stats.verdict import Answer

ORDER = 15
TITLE = "Comparison at a glance"

LONGEST_LABEL = 28
"""Letters that a telephone shows beside a chart."""
_ANSWERS = (Answer.BETTER, Answer.SAME, Answer.WORSE, Answer.UNKNOWN)
"""In the order of their shapes."""


def build(evidence: Evidence) -> list[Block]:
    """One chart for all targets that are compared with the reference, split where it would become too long."""
    shown = [cell for cell in evidence.cells if cell.verdict.estimate is not None or drawn(cell)]
    domain = _domain(shown, evidence.band)
    targets = [name for name in evidence.others if any(cell.target == name for cell in shown)]
    if not targets:
        return []
    rows = list(dict.fromkeys((cell.case, cell.metric) for cell in shown))
    most = max(1, LONGEST // step(len(targets)))
    parts = [set(rows[start : start + most]) for start in range(0, len(rows), most)]
    found = [
        _chart(f"forest-{i}", evidence, targets, [cell for cell in shown if (cell.case, cell.metric) in part], domain)
        for i, part in enumerate(parts)
    ]
    words = (
        f"To the right of 1 is better than {evidence.reference}: more per second, or less latency (latency ratios are "
        f"inverted). The shaded band is “the same”: ±{percent_text(evidence.band)}. Lines are the intervals that "
        "hold at every look together; a point without a line has too few blocks for one."
    )
    if any(map(_places, shown)):
        words += " Two points of a row are two levels, or both ends of a range: these have no common ratio."
    if any(_wide_open(cell) for cell in shown):
        words += " A line that runs into the edge of the chart goes on beyond it: that interval is wide open."
    return [text(words), *found]


def _chart(name: str, evidence: Evidence, targets: list[str], cells: list[Cell], domain: tuple[float, float]) -> Chart:
    counts = Counter(answer_word(cell) for cell in cells)
    told = ", ".join(f"{count} {word}" for word, count in counts.items())
    who = targets[0] if len(targets) == 1 else count_text(len(targets), "target")
    return Chart(
        id=name,
        title=_title(who, evidence, cells),
        description=f"{count_text(len(cells), 'comparison')} of {who} with {evidence.reference}: {told}.",
        data=_table(who, evidence, cells),
        draw=partial(draw, evidence, targets, cells, domain),
        series=tuple(targets),
    )


def _title(who: str, evidence: Evidence, cells: list[Cell]) -> str:
    said = _common(cells)
    return f"{who} against {evidence.reference}" + (f" ({said})" if said else "")


def _good(cell: Cell) -> tuple[float, float | None, float | None]:
    """Times as good as the reference, with interval; above 1 is better for every metric."""
    verdict = cell.verdict
    if places := _places(cell):
        return math.exp(sum(map(math.log, places)) / len(places)), None, None
    low, high = (None if end is None else math.exp(end) for end in (verdict.low, verdict.high))
    return math.exp(verdict.estimate or 0.0), low, high


def _places(cell: Cell) -> list[float]:
    """Where a comparison without a common ratio is drawn: each of its levels, or both ends of its range."""
    return [ratio if cell.direction == "higher" else 1 / ratio for ratio in drawn(cell)]


def _wide_open(cell: Cell) -> bool:
    middle, low, high = _good(cell)
    return low is not None and high is not None and wide_open(low, middle, high)


def _domain(cells: list[Cell], band: float) -> tuple[float, float]:
    """One axis for all charts, so that they can be compared; always wider than the band.

    Of intervals that are wide open only the middle counts: they would press all others into a dot.
    """
    shown = [_good(cell)[:1] if _wide_open(cell) else _good(cell) for cell in cells]
    ends = [end for each in shown for end in each if end is not None]
    ends += [place for cell in cells for place in _places(cell)]
    edge = 1.25 * (1 + band)
    return min(*ends, 1 / edge, 1.0) / 1.05, max(*ends, edge, 1.0) * 1.05


def _table(who: str, evidence: Evidence, cells: list[Cell]) -> Table:
    said = _common(cells)
    rows = []
    for cell in cells:
        found, (told, ends) = cell.verdict, _told(cell)
        rows.append(
            (
                phrase(_label(cell, said)),
                phrase(cell.target),
                phrase(told) if _places(cell) else number(found.ratio, "x", told),
                span(found.ratio_low, found.ratio_high, "x", ends) if ends else None,
                Phrase(answer_word(cell), TONES[cell.verdict.answer]),
            )
        )
    heads = columns("Case and metric", "Target", ">Ratio", ">Interval", "Verdict")
    return Table(_title(who, evidence, cells), heads, tuple(rows))


def _told(cell: Cell) -> tuple[str, str]:
    """The ratio with its direction, and its interval; none where there is no common ratio or one block only."""
    told, ends = ratio_in_words(cell)
    return (levels_in_words(cell), "") if _places(cell) else (told, ends if cell.verdict.low is not None else "")


def _label(cell: Cell, said: str) -> str:
    return f"{cell.case}, {marked(metrics.short_title(cell.metric), cell, MEMORY, said=said)}"


def _common(cells: list[Cell]) -> str:
    """What all of them are marked with, such as a burst: it is said once."""
    found = {mark(cell) for cell in cells}
    return found.pop() if len(found) == 1 else ""


def _row_labels(cells: list[Cell]) -> list[str]:
    """The labels; where one is too long, without the words that all cases have, so that what differs can be read."""
    said = _common(cells)
    whole = [_label(cell, said) for cell in cells]
    if all(len(each) <= LONGEST_LABEL for each in whole):
        return whole
    common = set.intersection(*(set(cell.case.split()) for cell in cells))
    own = [" ".join(word for word in cell.case.split() if word not in common) for cell in cells]
    return [_label(replace(cell, case=case), said).removeprefix(", ") for cell, case in zip(cells, own, strict=True)]


def draw(evidence: Evidence, targets: list[str], cells: list[Cell], domain: tuple[float, float]) -> Vega:
    """Rows in the order of the comparisons; a target keeps its colour in all charts."""
    labels = dict(zip(((cell.case, cell.metric) for cell in cells), _row_labels(cells), strict=True))
    rows = list(labels)
    points = []
    for cell in cells:
        middle, low, high = _good(cell)
        told, interval = _told(cell)
        points += [
            Point(
                row=rows.index((cell.case, cell.metric)),
                target=targets.index(cell.target),
                at=place,
                low=None if low is None else max(low, domain[0]),
                high=None if high is None else min(high, domain[1]),
                verdict=_ANSWERS.index(cell.verdict.answer),
                told=told,
                interval=interval,
            )
            for place in _places(cell) or [middle]
        ]
    looks = [(name, evidence.targets.index(name)) for name in targets]
    # One shape for all that is open, whether data are missing or the runs have no common score.
    words = ["undecided" if answer is Answer.UNKNOWN else WORDS[answer] for answer in _ANSWERS]
    return Vega(spec(points, list(labels.values()), looks, words, evidence.band, domain), still=True)
