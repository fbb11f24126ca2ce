"""How sure each comparison became from look to look, in the deciding metric of its case."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

from plimsoll import metrics
from plimsoll.report.charts.forest import Point, spec
from plimsoll.report.charts.vega import Vega
from plimsoll.report.document import Block, Chart, Phrase, Table, columns, number, phrase, span, text
from plimsoll.report.evidence import Evidence
from plimsoll.report.labels import count_text, percent_text
from plimsoll.report.sections.verdicts import TONES, WORDS
from plimsoll.stats.digits import in_columns, wide_open
from plimsoll.stats.direction import ends as on_scale
from plimsoll.stats.direction import words
from plimsoll.stats.paired import Cell
from plimsoll.stats.shrinking import at_each_look
from plimsoll.stats.stopping import within
from plimsoll.stats.verdict import Answer, Verdict

ORDER = 26
TITLE = "Look by look"

MOST_CHARTS = 12
FEWEST = 2
"""One look has nothing to be compared with."""
_ANSWERS = (Answer.BETTER, Answer.SAME, Answer.WORSE, Answer.UNKNOWN)
"""In the order of the shapes of `charts/forest.py`."""


def build(evidence: Evidence) -> list[Block]:
    """A chart per comparison of one session that was looked at more than once; nothing where none was."""
    if len(evidence.sessions) > 1:
        # Their blocks were not looked at in one order.
        return []
    found = [
        (cell, looks) for cell in _deciding(evidence) if len(looks := at_each_look(cell, evidence.policy)) >= FEWEST
    ]
    if not found:
        return []
    words = [
        "The interval of the ratio at each look of the rule, from the blocks that there were by then. To the right of "
        f"1 is better than the baseline; the shaded band is “the same”, ±{percent_text(evidence.band)}. Intervals hold "
        "at all looks together, so the rule may stop at any of them.",
    ]
    if len(found) > MOST_CHARTS:
        words.append(f"Shown are {MOST_CHARTS} of {count_text(len(found), 'comparison')}, in the order of the cases.")
    return [text(*words), *(_chart(place, evidence, *each) for place, each in enumerate(found[:MOST_CHARTS]))]


def _deciding(evidence: Evidence) -> list[Cell]:
    first = {case: names[0] for case, names in evidence.judged.items() if names}
    return [cell for cell in evidence.cells if first.get(cell.case) == cell.metric]


def _chart(place: int, evidence: Evidence, cell: Cell, looks: Sequence[Verdict]) -> Chart:
    title = f"{cell.case}, {metrics.short_title(cell.metric)}: {cell.target} against {cell.baseline}"
    first, last = looks[0], looks[-1]
    told = f"{within(first.half_width)} after {first.blocks_used} blocks"
    told += f", {within(last.half_width)} after {last.blocks_used}"
    return Chart(
        id=f"looks-{place}",
        title=title,
        description=f"The interval by look: {told}. {_end(cell, looks)}",
        data=_table(title, cell, looks),
        draw=partial(draw, evidence, cell, looks),
        series=(cell.target,),
    )


def _end(cell: Cell, looks: Sequence[Verdict]) -> str:
    """What the looks came to."""
    if not cell.verdict.decided:
        return "No answer yet."
    answers = [_answer(cell, each, looks) for each in looks]
    # One that a later look took back is no answer.
    since = max((place + 1 for place, each in enumerate(answers) if each is not answers[-1]), default=0)
    return f"Answered since {looks[since].blocks_used} blocks: {WORDS[answers[-1]]}."


def _table(title: str, cell: Cell, looks: Sequence[Verdict]) -> Table:
    rows = []
    for each in looks:
        told, interval = _told(cell, each)
        answer = _answer(cell, each, looks)
        rows.append(
            (
                number(each.blocks_used, "1"),
                number(each.ratio, "x", told),
                span(each.ratio_low, each.ratio_high, "x", interval),
                phrase(within(each.half_width)),
                Phrase(WORDS[answer], TONES[answer]),
            )
        )
    return Table(title, columns(">Blocks", ">Ratio", ">Interval", ">Known to", "Answer"), tuple(rows))


def _told(cell: Cell, at: Verdict) -> tuple[str, str]:
    """`1.02× as fast` and its interval: a look ends nothing, so the ratio may lie on either side of 1."""
    told, interval = in_columns(*on_scale(cell, at))
    return f"{told} {words(cell).manner}", interval


def _answer(cell: Cell, at: Verdict, looks: Sequence[Verdict]) -> Answer:
    """That of the look; of the last, what the report says, which more than the interval may withhold."""
    return cell.verdict.answer if at is looks[-1] else at.answer


def draw(evidence: Evidence, cell: Cell, looks: Sequence[Verdict]) -> Vega:
    """A row per look, the first one on top."""
    ends = [(math.exp(each.low or 0.0), math.exp(each.estimate or 0.0), math.exp(each.high or 0.0)) for each in looks]
    edge = 1.25 * (1 + evidence.band)
    tame = [end for low, middle, high in ends for end in ((middle,) if wide_open(low, middle, high) else (low, high))]
    domain = min(*tame, 1 / edge) / 1.05, max(*tame, edge) * 1.05
    points = [
        Point(
            row=row,
            target=0,
            at=middle,
            low=max(low, domain[0]),
            high=min(high, domain[1]),
            verdict=_ANSWERS.index(_answer(cell, each, looks)),
            told=_told(cell, each)[0],
            interval=_told(cell, each)[1],
        )
        for row, (each, (low, middle, high)) in enumerate(zip(looks, ends, strict=True))
    ]
    rows = [f"after {each.blocks_used} blocks" for each in looks]
    targets = [(cell.target, evidence.targets.index(cell.target))]
    return Vega(spec(points, rows, targets, [WORDS[answer] for answer in _ANSWERS], evidence.band, domain))
