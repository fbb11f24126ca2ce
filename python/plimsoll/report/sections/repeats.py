"""Are the repeated runs of a target repetitions of one thing, and what does it mean for the verdicts if not?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from plimsoll.model import Unit
from plimsoll.report.document import Block, Phrase, Table, Tone, columns, number, phrase, text
from plimsoll.report.evidence import Evidence
from plimsoll.report.labels import count_text, metric_label, percent_text
from plimsoll.stats.repeats import FEWEST_FOR_FIRST, FEWEST_FOR_SERIAL, LEVEL, SIZES, Kind, Pattern, patterns

ORDER = 27
TITLE = "Repeats"
SHORT = True
_BRIEF = ("case", "metric", "target", "what_was_seen", "what_it_does_to_the_verdict")

_IN_TURNS = {
    Kind.TREND: "none: targets of a block ran next to each other, so a drift of the level cancels",
    Kind.STEP: "none: targets of a block ran next to each other, so a common step cancels; one of this target alone "
    "is noted beside the verdict",
    Kind.GROUPS: "the score is that of a mixture; the verdict is about the typical block",
    Kind.FIRST: "the first block counts like any other; warm up longer",
    Kind.SERIAL: "none, as long as the ratios of the blocks do not resemble each other",
}
_APART = {
    Kind.TREND: "no verdict with other sets: how sure the mean is cannot be told",
    Kind.STEP: "no verdict with other sets: two levels have no common mean",
    Kind.GROUPS: "a verdict is about the mixture of both groups",
    Kind.FIRST: "a verdict only where the answer is the same without that run",
    Kind.SERIAL: "no verdict with other sets: the runs are worth fewer than their number",
}


class _Series(NamedTuple):
    """The scores of one metric of one target in the order in which the runs ran."""

    case: str
    metric: str
    target: str
    unit: Unit
    values: Sequence[float]
    ordered: bool
    in_turns: bool


def build(evidence: Evidence) -> list[Block]:
    """A row for everything that was found, or a sentence about what was looked at."""
    looked = [series for series in _series(evidence) if len(series.values) >= FEWEST_FOR_FIRST]
    if not looked:
        return []
    found = [
        (series, each)
        for series in looked
        for each in patterns(series.values, ordered=series.ordered, unit=series.unit)
    ]
    scope = (
        f"{count_text(len(looked), 'series', 'series')} of {FEWEST_FOR_FIRST} or more repeated runs "
        f"{'was' if len(looked) == 1 else 'were'} examined for a first run unlike the others; from {SIZES[0]} runs on "
        f"for trends, steps and two groups, from {FEWEST_FOR_SERIAL} on for dependence. Each is seen by chance in at "
        f"most {percent_text(LEVEL)} of honest series."
    )
    if not found:
        return [text(f"Nothing stands out. {scope}", tone=Tone.NOTE, short=False)]
    rows = tuple(
        (
            phrase(series.case),
            phrase(metric_label(series.metric)),
            phrase(series.target),
            number(each.runs, "1"),
            Phrase(each.kind.value, Tone.UNKNOWN),
            phrase(each.text),
            phrase(_consequence(series, each)),
        )
        for series, each in found
    )
    heads = columns("Case", "Metric", "Target", ">Runs", "What", "What was seen", "What it does to the verdict")
    return [Table("Repeated runs that are not repetitions of one thing", heads, rows, (scope,), _BRIEF)]


def _series(evidence: Evidence) -> Iterator[_Series]:
    """Every judged metric; repetitions of invalid blocks take the place of what they repeat."""
    turns = {session.id: session.interleaved for session in evidence.sessions}
    times = {session.id: session.started_ns > 0 or session.interleaved for session in evidence.sessions}
    for case in evidence.cases:
        for target in evidence.targets:
            sessions = list(dict.fromkeys(run.session_id for run in evidence.runs_of(case, target)))
            place = {session: index for index, session in enumerate(sessions)}
            # Runs without a time are in no order, but those of one file are numbered as they stood in it.
            runs = sorted(
                evidence.runs_of(case, target), key=lambda run: (place[run.session_id], run.block, run.attempt)
            )
            for metric in evidence.judged[case]:
                yield _Series(
                    case,
                    metric,
                    target,
                    evidence.metrics[case, metric][0] if (case, metric) in evidence.metrics else "1",
                    [score.value for run in runs for score in run.scores if score.metric == metric and score.value > 0],
                    len(sessions) < 2 or all(times[session] for session in sessions),
                    all(turns.get(session, True) for session in sessions),
                )


def _consequence(series: _Series, pattern: Pattern) -> str:
    return (_IN_TURNS if series.in_turns else _APART)[pattern.kind]
