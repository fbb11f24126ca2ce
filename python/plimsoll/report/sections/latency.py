"""Latency by percentile: one curve per target from the added histograms of its valid runs."""

from __future__ import annotations

from functools import partial

from plimsoll.errors import ResultFileError
from plimsoll.model import Run
from plimsoll.report.charts.latency import spec
from plimsoll.report.charts.vega import Vega
from plimsoll.report.document import Block, Chart, Column, Table, columns, number, phrase, text
from plimsoll.report.evidence import Evidence
from plimsoll.report.labels import count_text
from plimsoll.stats.histogram import Histogram, merge
from plimsoll.units import format_duration

ORDER = 60
TITLE = "Latency"

MOST_CHARTS = 32
POINTS_PER_DECADE = 8
_KINDS = ("read", "write", "trim", "sync", "commit")
_TABLE = (50.0, 75.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99, 99.995, 99.999, 99.9999)
"""What the table beside a curve has, as far as its data go."""
_PERCENTILES = ("p50", "p90", "p99", "p99.9", "p99.99", "max")
_KEYS = {name: name.replace(".", "_") for name in _PERCENTILES}


def build(evidence: Evidence) -> list[Block]:
    """Per case and kind of operation a chart; then a table of the percentiles."""
    merged, damaged = _merged(evidence)
    if not merged:
        return []
    groups: dict[tuple[str, str], dict[str, Histogram]] = {}
    for (case, kind, target), histogram in merged.items():
        groups.setdefault((case, kind), {})[target] = histogram
    shown = [_chart(i, evidence, *key, found) for i, (key, found) in enumerate(groups.items())]
    words = [
        "All operations of all valid runs, added. Each mark on the lower axis is ten times as rare as the one before; "
        "both axes are logarithmic. A curve ends where the data end."
    ]
    if len(shown) > MOST_CHARTS:
        words.append(f"Pictures for {MOST_CHARTS} of {len(shown)} kinds of operations; the table has all.")
    if damaged:
        words.append(f"{count_text(damaged, 'histogram')} could not be read and are missing here.")
    return [text(*words), *shown[:MOST_CHARTS], _table(merged)]


def _merged(evidence: Evidence) -> tuple[dict[tuple[str, str, str], Histogram], int]:
    """One histogram per case, kind and target, and how many could not be read."""
    found: dict[tuple[str, str, str], Histogram] = {}
    damaged = 0
    for case in evidence.cases:
        all_kinds = {
            kind for target in evidence.targets for run in evidence.runs_of(case, target) for kind in run.histograms
        }
        for kind in sorted(
            all_kinds, key=lambda kind: (kind not in _KINDS, _KINDS.index(kind) if kind in _KINDS else 0, kind)
        ):
            for target in evidence.targets:
                histogram, bad = _sum(evidence.runs_of(case, target), kind)
                damaged += bad
                if histogram is not None and histogram.count:
                    found[case, kind, target] = histogram
    return found, damaged


def _sum(runs: list[Run], kind: str) -> tuple[Histogram | None, int]:
    encoded = [run.histograms[kind] for run in runs if kind in run.histograms]
    if not encoded:
        return None, 0
    try:
        return merge(encoded), 0
    except ResultFileError:
        return None, len(encoded)


def _chart(place: int, evidence: Evidence, case: str, kind: str, found: dict[str, Histogram]) -> Chart:
    words = kind.replace("_", " ")
    curves = {target: histogram.curve(POINTS_PER_DECADE) for target, histogram in found.items()}
    told = "; ".join(
        f"{target} {format_duration(p50)} at p50"
        for target, histogram in found.items()
        if (p50 := histogram.percentile(50.0)) is not None
    )
    title = f"{case}: {words} latency"
    # Of one target nothing is compared, so this is the picture that paper and pages without scripts have.
    still = evidence.alone and place == 0
    return Chart(
        id=f"latency-{place}",
        title=title,
        description=f"Latency by percentile of {words} in {case}: {told}.",
        data=_curve_table(title, found),
        draw=partial(draw, curves, evidence.targets, still=still),
        series=evidence.targets,
    )


def _curve_table(title: str, found: dict[str, Histogram]) -> Table:
    """A row per percentile, a column per target; n/a where a target's data end before it."""
    heads = (*columns("Percentile"), *(Column(f"target_{i}", target, "right") for i, target in enumerate(found)))
    rows = [(f"p{p:g}", [histogram.percentile(p) for histogram in found.values()]) for p in _TABLE]
    ends = (
        ("lowest", [histogram.min for histogram in found.values()]),
        ("max", [histogram.max for histogram in found.values()]),
    )
    told = [ends[0], *((name, values) for name, values in rows if any(value is not None for value in values)), ends[1]]
    return Table(
        title, heads, tuple((phrase(name), *(number(value, "ns") for value in values)) for name, values in told)
    )


def _table(merged: dict[tuple[str, str, str], Histogram]) -> Table:
    rows = []
    for (case, kind, target), histogram in merged.items():
        values = histogram.percentiles() | {"p99.99": histogram.percentile(99.99)}
        head = (phrase(case), phrase(kind.replace("_", " ")), phrase(target), number(histogram.count, "1"))
        rows.append((*head, *(number(values[name], "ns") for name in _PERCENTILES)))
    heads = columns("Case", "Operation", "Target", ">Operations")
    heads += tuple(Column(_KEYS[name], f"Pooled {name}", "right") for name in _PERCENTILES)
    notes = (
        "Pooled: of all operations of all valid runs together. The percentiles among the scores are geometric "
        "means of those of each run, so they may differ from these.",
        "n/a: fewer than one operation lies beyond that percentile. The maximum depends on how many were made.",
    )
    return Table("Percentiles of the added histograms", heads, tuple(rows), notes)


def draw(curves: dict[str, list[tuple[float, int]]], targets: tuple[str, ...], *, still: bool) -> Vega:
    """A target keeps its colour in all charts, whichever others have such operations."""
    return Vega(spec(curves, targets), still)
