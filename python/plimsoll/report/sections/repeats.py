"""Are the repeated runs of a target repetitions of one thing, and what does it mean for the verdicts if not?"""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll import metrics
from plimsoll.report.document import Block, Phrase, Table, Tone, columns, number, phrase, text
from plimsoll.report.evidence import Evidence
from plimsoll.report.labels import count_text, percent_text
from plimsoll.report.levels import when
from plimsoll.report.repeated import Repeated
from plimsoll.stats.repeats import FEWEST_FOR_FIRST, FEWEST_FOR_SERIAL, LEVEL, SIZES, Pattern, PatternKind

ORDER = 27
TITLE = "Repeats"
SHORT = True
MANY_PLACES = 3
"""Tests, and targets of each, that a sentence names."""
_KINDS = {
    PatternKind.TREND: "A trend",
    PatternKind.STEP: "A step",
    PatternKind.GROUPS: "Two groups",
    PatternKind.FIRST: "A first run unlike the others",
    PatternKind.SERIAL: "Neighbouring runs alike",
}

_IN_TURNS = {
    PatternKind.TREND: "none where all targets share it: those of a block ran next to each other, so a common drift "
    "cancels; one of this target alone is noted beside the verdict",
    PatternKind.STEP: "none where all targets share it: those of a block ran next to each other, so a common step "
    "cancels; with one of this target alone there is a verdict only if both levels give it",
    PatternKind.GROUPS: "they are about both groups together, and only where neither contradicts them",
    PatternKind.FIRST: "the first block counts like any other; warm up longer",
    PatternKind.SERIAL: "none, as long as the ratios of the blocks do not resemble each other",
}
_APART = {
    PatternKind.TREND: "no verdict with other sets: how sure the mean is cannot be told",
    PatternKind.STEP: "no verdict with other sets: two levels have no common mean",
    PatternKind.GROUPS: "a verdict is about the mixture of both groups",
    PatternKind.FIRST: "a verdict only where the answer is the same without that run",
    PatternKind.SERIAL: "no verdict with other sets: the runs are worth fewer than their number",
}


def build(evidence: Evidence) -> list[Block]:
    """A row for everything that was found, or a sentence about what was looked at."""
    if evidence.only_searched:
        # Its runs are at different loads, and no repetitions of one thing.
        return []
    looked = [each for each in _series(evidence) if len(each[-1].values) >= FEWEST_FOR_FIRST]
    if not looked:
        return []
    found = [(*place, each) for place in looked for each in place[-1].patterns]
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
            phrase(case),
            phrase(metrics.title(metric)),
            phrase(target),
            number(each.runs, "1"),
            Phrase(each.kind.value, Tone.UNKNOWN),
            phrase(_seen(series, each)),
            phrase(_consequence(series, each)),
        )
        for case, metric, target, series, each in found
    )
    heads = columns("Case", "Metric", "Target", ">Runs", "What", "What was seen", "Effect on verdicts")
    by_kind: dict[tuple[PatternKind, str], list[tuple[str, str, str]]] = {}
    for case, metric, target, series, each in found:
        by_kind.setdefault((each.kind, _consequence(series, each)), []).append((case, metric, target))
    return [
        text(*(_summed_up(*about, places) for about, places in by_kind.items()), tone=Tone.UNKNOWN),
        Table("Runs that drift or fall into groups", heads, rows, (scope,), short=False),
    ]


def _seen(series: Repeated, found: Pattern) -> str:
    """What was seen, and of a step when that was: the number of a run says nothing to who has a clock."""
    if found.at is None:
        return found.text
    words = when(series.runs[0].started_ns, series.runs[found.at].started_ns)
    return f"{found.text}, {words}" if words else found.text


def _summed_up(kind: PatternKind, consequence: str, places: list[tuple[str, str, str]]) -> str:
    """`A step in 6 series (randread: volume-3, volume-4): what it does to the verdict`."""
    targets: dict[str, dict[str, None]] = {}
    for case, _, target in places:
        targets.setdefault(case, {})[target] = None
    told = [f"{case}: {_listed(list(names))}" for case, names in targets.items()]
    where = "; ".join(told[:MANY_PLACES]) + (
        f"; {len(told) - MANY_PLACES} more tests" if len(told) > MANY_PLACES else ""
    )
    return f"{_KINDS[kind]} in {count_text(len(places), 'series', 'series')} ({where}): {consequence}."


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - MANY_PLACES} more" if len(names) > MANY_PLACES else ""
    return ", ".join(names[:MANY_PLACES]) + more


def _series(evidence: Evidence) -> Iterator[tuple[str, str, str, Repeated]]:
    """Every judged metric; repetitions of invalid blocks take the place of what they repeat."""
    for case in evidence.cases:
        for target in evidence.targets:
            for metric in evidence.judged[case]:
                yield case, metric, target, evidence.repeated(case, target, metric)


def _consequence(series: Repeated, pattern: Pattern) -> str:
    return (_IN_TURNS if series.in_turns else _APART)[pattern.kind]
