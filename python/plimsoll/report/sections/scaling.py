"""Which targets more provisioned IOPS would help, and how many would match the baseline, test by test."""

from __future__ import annotations

from collections.abc import Mapping

from plimsoll.catalog.targets import shape_of
from plimsoll.errors import UsageError
from plimsoll.model import Run, Target
from plimsoll.report.document import Block, Cell, Phrase, Table, Tone, columns, number, phrase, span
from plimsoll.report.evidence import Evidence
from plimsoll.report.labels import percent_text
from plimsoll.stats.scaling import FEWEST, MISFIT_MAX, Scaling, fit, match
from plimsoll.units import format_number, parse_count

ORDER = 17
TITLE = "Scaling with provisioned IOPS"

_NOTES = (
    "Fit: score = min(a · IOPS, b) over the targets whose IOPS were provisioned (or said with cap_iops=); times are "
    "taken as rates. Capped: more IOPS than “enough” buy nothing in this test. To match: the IOPS at which the line "
    "reaches the baseline's score, with a 95 % interval over the blocks; a model of these targets, not a promise. "
    f"Misfit: how far the scores are from the fit; above {percent_text(MISFIT_MAX)} nothing is concluded from it.",
)


def build(evidence: Evidence) -> list[Block]:
    """One row per case; nothing where fewer than three targets differ in provisioned IOPS."""
    provisioned = _provisioned(evidence)
    if len(set(provisioned.values())) < FEWEST:
        return []
    rows = []
    for case in evidence.cases:
        metric = next((name for name in evidence.judged[case] if (case, name) in evidence.metrics), None)
        if metric is not None:
            rates = _rates(evidence, case, metric)
            found = fit({name: rate for name, rate in rates.items() if rate > 0}, provisioned)
            if found is not None:
                rows.append(_row(evidence, case, metric, found, rates, provisioned))
    if not rows:
        return []
    names = ("Case", "Metric", "Capped targets", ">Enough IOPS", f">To match {evidence.reference}", ">Interval")
    return [Table("Scaling, test by test", columns(*names, ">Misfit", "In words"), tuple(rows), _NOTES)]


def _provisioned(evidence: Evidence) -> dict[str, float]:
    """IOPS of the targets of which they are known."""
    targets = {run.target.name: run.target for run in evidence.runs}
    return {name: iops for name, target in targets.items() if (iops := provisioned_iops(target)) is not None}


def provisioned_iops(target: Target) -> float | None:
    """IOPS of all members of the volume that a target is, or what the user said with `cap_iops`."""
    shape = shape_of(target)
    if shape is not None and shape.provisioned_iops is not None:
        return float(shape.provisioned_iops * shape.members)
    try:
        return float(parse_count(target.options["cap_iops"])) if "cap_iops" in target.options else None
    except UsageError:
        return None


def _rates(evidence: Evidence, case: str, metric: str) -> dict[str, float]:
    """The score of each target as a rate: of a duration, its inverse."""
    return {
        line.target: _as_rate(line.summary.value, line.direction == "higher")
        for line in evidence.lines
        if (line.case, line.metric) == (case, metric) and line.summary is not None
    }


def _as_rate(value: float, higher: bool) -> float:
    return value if higher else 1 / value


def _row(
    evidence: Evidence,
    case: str,
    metric: str,
    found: Scaling,
    rates: Mapping[str, float],
    provisioned: Mapping[str, float],
) -> tuple[Cell, ...]:
    head = phrase(case), phrase(evidence.metric_label(case, metric, *provisioned))
    misfit = number(found.misfit, "1", percent_text(round(found.misfit, 2)))
    if not found.fits:
        return (*head, None, None, None, None, misfit, Phrase(_refused(found), Tone.UNKNOWN))
    reference = evidence.reference or ""
    matching = found.matching(rates[reference]) if reference in rates and reference not in provisioned else None
    interval = None
    if matching is not None:
        blocks = _blocks(evidence, case, metric, provisioned)
        interval = match(found, [each[reference] for each in blocks], [_others(each, provisioned) for each in blocks],
                         provisioned)  # fmt: skip
    low, high = (None, None) if interval is None else (interval.low, interval.high)
    said = "" if low is None or high is None else f"{low:,.0f}…{high:,.0f}"
    return (
        *head,
        phrase(", ".join(found.capped) or "none"),
        number(found.enough, "1/s", f"{found.enough:,.0f}" if found.enough else ""),
        number(matching, "1/s", f"{matching:,.0f}" if matching else ""),
        span(low, high, "1/s", said),
        misfit,
        _words(found, matching, rates, provisioned, reference),
    )


def _blocks(evidence: Evidence, case: str, metric: str, provisioned: Mapping[str, float]) -> list[dict[str, float]]:
    """Rates by target of each block that the reference and some target with known IOPS ran in."""
    found: dict[tuple[str, int], dict[str, float]] = {}
    for target in evidence.targets:
        for run in evidence.runs_of(case, target):
            if (rate := _score(run, metric)) is not None:
                found.setdefault((run.session_id, run.block), {})[target] = rate
    return [each for each in found.values() if evidence.reference in each and each.keys() & provisioned.keys()]


def _score(run: Run, metric: str) -> float | None:
    score = next((each for each in run.scores if each.metric == metric and each.value > 0), None)
    return None if score is None else _as_rate(score.value, score.direction == "higher")


def _others(block: Mapping[str, float], provisioned: Mapping[str, float]) -> dict[str, float]:
    return {name: rate for name, rate in block.items() if name in provisioned}


def _words(
    found: Scaling,
    matching: float | None,
    rates: Mapping[str, float],
    provisioned: Mapping[str, float],
    reference: str,
) -> Phrase:
    """The row as a sentence."""
    if found.per_unit is None:
        return Phrase("does not grow with IOPS at all: something else is the limit", Tone.UNKNOWN)
    parts = [_growth(found, provisioned)]
    if reference in rates and reference not in provisioned:
        if matching is None:
            parts.append(f"no number of IOPS reaches {reference}")
        else:
            parts.append(f"{format_number(round(matching))} IOPS would match {reference}")
    return Phrase("; ".join(parts))


def _refused(found: Scaling) -> str:
    far, most = percent_text(round(found.misfit, 2)), percent_text(MISFIT_MAX)
    return f"no answer: the scores are {far} away from any line with a cap (at most {most})"


def _growth(found: Scaling, provisioned: Mapping[str, float]) -> str:
    if found.enough is None:
        return f"grows up to the largest, {format_number(max(provisioned.values()))} IOPS"
    return f"{format_number(round(found.enough))} IOPS are enough"
