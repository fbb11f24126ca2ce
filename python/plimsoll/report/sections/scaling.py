"""How much more of what targets differ in would help, and how much would match the baseline, test by test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from plimsoll.model import Run
from plimsoll.report.document import Block, Cell, Phrase, Sentence, Table, Tone, columns, number, phrase, span, text
from plimsoll.report.evidence import Evidence
from plimsoll.report.labels import count_text, percent_text, rounded
from plimsoll.report.properties import Property, properties
from plimsoll.stats.scaling import (
    MISFIT_MAX,
    Match,
    Sample,
    Scaling,
    fit,
    match,
    noise_apart,
    noise_of_blocks,
    sample_of,
    with_interval,
)
from plimsoll.stats.stated import ASSUMED_RUNS, Stated, stated_in

ORDER = 17
TITLE = "How much it would take"

MANY_NAMES = 3
"""Cases that the answer names."""

_NOTES = (
    "Fit: score = min(a · x, b), x being what the targets differ in; times are taken as rates. Capped: more than "
    "“enough” buys nothing in this test. To match: the x at which the line reaches the baseline's score; its 95 % "
    "interval counts the runs' noise, how far the targets are from the line, and how far the line goes on beyond them. "
    f"A model of these targets, not a promise. Misfit: how far the scores are from the fit; above "
    f"{percent_text(MISFIT_MAX)} nothing is concluded from it.",
    "Extrapolated: beyond all that was measured, where another limit may stand; no answer is given further beyond than "
    "the targets that grow span themselves.",
)


def build(evidence: Evidence) -> list[Block]:
    """A table for each property with a row for each case; nothing where fewer than three targets differ in one."""
    tables: list[Block] = []
    for each in properties(evidence):
        # What holds for all tables stands below the first.
        if (table := _table(evidence, each, () if tables else _NOTES)) is not None:
            tables.append(table)
    return [*tables, *_published(evidence)] if tables else []


def _published(evidence: Evidence) -> Iterator[Block]:
    """What the author of a published study found by hand, as that."""
    told = dict.fromkeys(str(session.study.get("published", "")) for session in evidence.sessions)
    for words in told:
        if words:
            yield text(f"For comparison, what was published: {words}", tone=Tone.NOTE, short=False)


def told(evidence: Evidence) -> Iterator[Sentence]:
    """For the answer: how much would match the baseline in the first tests; nothing where none is told to."""
    of = next(iter(properties(evidence)), None)
    rows = [each for each in (_rows_of(evidence, of) if of is not None else ()) if each.shown is not None]
    if of is None or not rows:
        return
    named = [f"{_about(each, of)} in {each.case}" for each in rows[:MANY_NAMES]]
    more = f"; {count_text(len(rows) - MANY_NAMES, 'more case')} under “{TITLE}”" if len(rows) > MANY_NAMES else ""
    yield Sentence(f"To match {evidence.reference} it would take {', '.join(named)}{more}.")


def _about(each: Row, of: Property) -> str:
    """`10,700 IOPS (7,800…14,600; extrapolated 5.3×)`."""
    found = each.shown
    assert found is not None
    notes = []
    if found.low is not None and found.high is not None:
        notes.append(f"{_bare(of, _three(found.low))}…{_bare(of, _three(found.high))}")
    notes += [f"extrapolated {found.beyond:.2g}×"] if found.extrapolated else []
    return of.text(_rounded(found)) + (f" ({'; '.join(notes)})" if notes else "")


@dataclass(frozen=True)
class Row:
    """One case with its fit."""

    case: str
    metric: str
    scaling: Scaling
    reference: str
    """The target that is to be matched; empty where it has the property itself, or no score."""
    matching: Match | None

    @property
    def shown(self) -> Match | None:
        """The match, unless it is refused."""
        return None if self.matching is None or self.matching.refused else self.matching


def _rows_of(evidence: Evidence, of: Property) -> Iterator[Row]:
    """Every case in which enough targets with the property have a score."""
    for case in [of.case] if of.case else evidence.cases:
        metric = next((name for name in evidence.judged[case] if (case, name) in evidence.metrics), None)
        if metric is None:
            continue
        rates = _rates(evidence, case, metric)
        found = fit({name: rate for name, rate in rates.items() if rate > 0}, of.values)
        if found is not None:
            named = evidence.reference if evidence.reference in rates and evidence.reference not in of.values else None
            matching = _matching(evidence, (case, metric), found, rates, of) if named and found.fits else None
            yield Row(case, metric, found, named or "", matching)


def _table(evidence: Evidence, of: Property, notes: tuple[str, ...]) -> Table | None:
    rows = tuple(_cells(evidence, each, of) for each in _rows_of(evidence, of))
    if not rows:
        return None
    names = ("Case", "Metric", "Capped targets", f">Enough {of.heading}", f">To match {evidence.reference}")
    heads = columns(*names, ">Interval", ">Misfit", "In words")
    caption = "Scaling, test by test" if of.name == "IOPS" else f"Scaling with {of.name}"
    return Table(caption, heads, rows, notes)


def _rates(evidence: Evidence, case: str, metric: str) -> dict[str, float]:
    """The score of each target as a rate: of a duration, its inverse."""
    return {
        line.target: _as_rate(line.summary.value, line.direction == "higher")
        for line in evidence.lines
        if (line.case, line.metric) == (case, metric) and line.summary is not None
    }


def _as_rate(value: float, higher: bool) -> float:
    return value if higher else 1 / value


def _cells(evidence: Evidence, each: Row, of: Property) -> tuple[Cell, ...]:
    found, shown = each.scaling, each.shown
    head = phrase(each.case), phrase(evidence.metric_label(each.case, each.metric, *of.values))
    misfit = number(found.misfit, "1", percent_text(round(found.misfit, 2)))
    if not found.fits:
        return (*head, None, None, None, None, misfit, Phrase(_refused(found), Tone.UNKNOWN))
    low, high = (None, None) if shown is None else (shown.low, shown.high)
    said = "" if low is None or high is None else f"{_bare(of, _three(low))}…{_bare(of, _three(high))}"
    return (
        *head,
        phrase(", ".join(found.capped) or "none"),
        number(found.enough, of.unit, _bare(of, _three(found.enough)) if found.enough else ""),
        number(shown.value, of.unit, _bare(of, _rounded(shown))) if shown else None,
        span(low, high, of.unit, said),
        misfit,
        _words(found, each.matching, of, each.reference),
    )


def _rounded(found: Match) -> float:
    """As many digits as its interval supports."""
    if found.low is None or found.high is None:
        return _three(found.value)
    return rounded(found.value, (found.high - found.low) / 2)


def _three(value: float) -> float:
    return float(f"{value:.3g}")


def _bare(of: Property, value: float) -> str:
    """A number below a heading that names it."""
    return of.text(value).removesuffix(" IOPS").removesuffix(" a month").removeprefix(f"{of.name}=")


def _matching(
    evidence: Evidence, place: tuple[str, str], found: Scaling, rates: Mapping[str, float], of: Property
) -> Match | None:
    """How much would match the reference, with its interval from blocks that both ran in, else from all runs."""
    reference = evidence.reference or ""
    scores = {name: rates[name] for name in of.values if name in rates}
    plain = match(found, rates[reference], of.values, scores)
    if plain is None:
        return None
    pairs = [(each[reference], each) for each in _blocks(evidence, *place, of.values)]
    if len(pairs) > 1:
        noise = noise_of_blocks(found, pairs, of.values)
    else:
        growing = [name for name in scores if name not in found.capped]
        noise = noise_apart(_sample(evidence, *place, reference), [_sample(evidence, *place, name) for name in growing])
    return with_interval(plain, noise, found, of.values, scores)


def _sample(evidence: Evidence, case: str, metric: str, target: str) -> Sample:
    """The runs of a target, or the one mean that a table gives with its spread."""
    runs = evidence.runs_of(case, target)
    values = [rate for run in runs if (rate := _score(run, metric)) is not None]
    if len(values) == 1:
        told = next((each for run in runs if (each := _stated(run, metric)) is not None), None)
        if told is not None:
            count = told.runs or ASSUMED_RUNS
            error = told.deviation / told.mean / count**0.5
            return Sample(sample_of(values).mean, error, count - 1.0)
    return sample_of(values)


def _stated(run: Run, metric: str) -> Stated | None:
    value = next((score.value for score in run.scores if score.metric == metric), None)
    return stated_in(run.facts, metric, value)


def _blocks(evidence: Evidence, case: str, metric: str, values: Mapping[str, float]) -> Sequence[dict[str, float]]:
    """Rates by target of each block that the reference and some target with the property ran in."""
    found: dict[tuple[str, int], dict[str, float]] = {}
    for target in evidence.targets:
        for run in evidence.runs_of(case, target):
            if "imported" not in run.facts and (rate := _score(run, metric)) is not None:
                found.setdefault((run.session_id, run.block), {})[target] = rate
    return [each for each in found.values() if evidence.reference in each and each.keys() & values.keys()]


def _score(run: Run, metric: str) -> float | None:
    score = next((each for each in run.scores if each.metric == metric and each.value > 0), None)
    return None if score is None else _as_rate(score.value, score.direction == "higher")


def _words(found: Scaling, matching: Match | None, of: Property, reference: str) -> Phrase:
    """The row as a sentence."""
    if found.per_unit is None:
        return Phrase(f"does not grow with {of.name} at all: something else is the limit", Tone.UNKNOWN)
    parts = [_growth(found, of)]
    if reference and matching is None:
        parts.append(f"no {'number of IOPS' if of.unit == '1/s' else of.name} reaches {reference}")
    elif matching is not None and matching.refused:
        parts.append(_too_far(matching, of, reference))
        return Phrase("; ".join(parts), Tone.UNKNOWN)
    elif matching is not None:
        parts.append(f"{of.text(_rounded(matching))} would match {reference}{_beyond(matching, of)}")
    return Phrase("; ".join(parts))


def _beyond(found: Match, of: Property) -> str:
    """How far it is extrapolated."""
    if not found.extrapolated:
        return ""
    edge = of.text(found.edge)
    if found.value > found.edge:
        return f": extrapolated, {found.beyond:.2g} times the largest that was measured, {edge}"
    return f": extrapolated, {1 / found.beyond:.2g} of the smallest that was measured, {edge}"


def _too_far(found: Match, of: Property, reference: str) -> str:
    how = f"{found.beyond:.2g} times beyond {of.text(found.edge)}"
    spans = f"the targets that grow span {found.span:.2g} times" if found.span > 1 else "one target alone grows"
    return f"what would match {reference} is too far to say: {how}, and {spans}"


def _refused(found: Scaling) -> str:
    far, most = percent_text(round(found.misfit, 2)), percent_text(MISFIT_MAX)
    return f"no answer: the scores are {far} away from any line with a cap (at most {most})"


def _growth(found: Scaling, of: Property) -> str:
    if found.enough is None:
        return f"grows up to the largest, {of.text(max(of.values.values()))}"
    is_many = of.unit == "1/s"
    return f"{of.text(_three(found.enough))} {'are' if is_many else 'is'} enough"
