"""File-system tests phase by phase, in the units in which the originals print them; and throughput over capacity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from statistics import mean, median

from plimsoll.model import Run
from plimsoll.phases import PhaseScore, phase_scores, phases
from plimsoll.report.charts import bars
from plimsoll.report.charts.lines import Line, over_capacity
from plimsoll.report.charts.vega import Vega
from plimsoll.report.document import Block, Cell, Chart, Table, columns, number, phrase
from plimsoll.report.evidence import Evidence
from plimsoll.report.labels import count_text
from plimsoll.units import SECOND, format_number, format_value, significant

ORDER = 22
TITLE = "Phases of the file-system tests"
SHORT = True

SHORT_ROWS = 40
"""A terminal shows no longer table."""
_BRIEF = ("case", "phase", "target", "as_the_original_prints_it", "in_base_units")
_RATES = {"B/s": "bytes", "1/s": "operations"}
"""Units of which more is better, so that a longer bar is a better one."""
_CACHES = {"no": "kept", "files": "files dropped", "system": "all dropped"}
_NOTES = (
    "Median over the valid runs. MB/s are 10⁶ bytes per second, KiB/s and MiB/s 2¹⁰ and 2²⁰, whatever the original "
    "calls them. Caches: what was dropped from the page cache before the phase.",
)


def build(evidence: Evidence) -> list[Block]:
    """The table of all phases, bars of them, and a chart for each test that reads over the capacity."""
    scores = [each for case in evidence.cases for name in evidence.targets for each in _scores(evidence, case, name)]
    if not scores:
        return []
    own = [row for original, row in scores if original]
    further = [row for original, row in scores if not original]
    tables = [_table("Phases, as the originals count them", own, short=len(own) <= SHORT_ROWS)]
    if further:
        tables.append(_table("Further numbers of the phases", further, short=False))
    drawn = [*_bars(evidence), *(chart for case in evidence.cases for chart in _capacity(evidence, case))]
    return [*tables, *drawn]


def _table(caption: str, rows: Sequence[tuple[Cell, ...]], *, short: bool) -> Table:
    names = ("Case", "Phase", "Target", ">As the original prints it", ">In base units", ">Time", "Caches")
    return Table(caption, columns(*names), tuple(rows), _NOTES, _BRIEF, short)


def _scores(evidence: Evidence, case: str, target: str) -> list[tuple[bool, tuple[Cell, ...]]]:
    """Whether it is the original's own number of its phase, and its row."""
    found: dict[tuple[str, str], list[PhaseScore]] = {}
    for run in evidence.runs_of(case, target):
        for each in phase_scores(phases(run.facts)):
            found.setdefault((each.phase.name, each.number.name), []).append(each)
    return [
        (each[0].number.name == each[0].phase.scores[0].name, _row(evidence, case, target, each))
        for each in found.values()
    ]


def _row(evidence: Evidence, case: str, target: str, scores: Sequence[PhaseScore]) -> tuple[Cell, ...]:
    first = scores[0]
    unit, base = first.number.unit, first.score.unit
    memory = " (memory)" if (case, first.score.metric, target) in evidence.from_memory else ""
    value = median(each.number.value for each in scores)
    return (
        phrase(case),
        phrase(f"{first.phase.name}, {first.number.name}".replace("_", " ") + memory),
        phrase(target),
        number(value, unit, f"{_plain(value)} {unit}".removesuffix(" 1")),
        number(median(each.score.value for each in scores), base),
        number(median(each.phase.elapsed_ns for each in scores), "ns"),
        phrase(_CACHES.get(first.phase.cold, "")),
    )


def _plain(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else significant(value) if value < 100 else format_number(round(value, 1))


def _bars(evidence: Evidence) -> Iterator[Chart]:
    """For each test of several phases, and each unit of theirs, a chart of the originals' own numbers."""
    for place, case in enumerate(evidence.cases):
        found: dict[str, dict[str, dict[str, float]]] = {}
        for target in evidence.targets:
            for run_scores in _own(evidence, case, target):
                unit = run_scores[0].score.unit
                middle = median(each.score.value for each in run_scores)
                found.setdefault(unit, {}).setdefault(run_scores[0].phase.name, {})[target] = middle
        for base, parts in found.items():
            if base in _RATES and len(parts) > 1:
                yield _bar_chart(f"phases-{place}-{_RATES[base]}", evidence, case, base, parts)


def _own(evidence: Evidence, case: str, target: str) -> list[list[PhaseScore]]:
    """The scores of all runs of the first number of each phase."""
    found: dict[str, list[PhaseScore]] = {}
    for run in evidence.runs_of(case, target):
        for each in phase_scores(phases(run.facts)):
            if each.number.name == each.phase.scores[0].name:
                found.setdefault(each.phase.name, []).append(each)
    return list(found.values())


def _bar_chart(name: str, evidence: Evidence, case: str, unit: str, found: dict[str, dict[str, float]]) -> Chart:
    title = f"{case}: {'throughput' if unit == 'B/s' else 'operations per second'} of the phases"
    rows = tuple(
        (phrase(_words(part)), phrase(target), number(value, unit))
        for part, scores in found.items()
        for target, value in scores.items()
    )
    return Chart(
        id=name,
        title=title,
        description=f"{count_text(len(found), 'phase')} of {count_text(len(evidence.targets), 'target')}, from zero.",
        data=Table(title, columns("Phase", "Target", ">Median"), rows),
        draw=partial(draw_bars, evidence.targets, unit, found),
        series=evidence.targets,
    )


def _words(name: str) -> str:
    return name.replace("_", " ")


def draw_bars(targets: tuple[str, ...], unit: str, found: dict[str, dict[str, float]]) -> Vega:
    """A row per phase, in it a bar per target."""
    known = [
        bars.Bar(row, targets.index(target), value, format_value(value, unit))
        for row, scores in enumerate(found.values())
        for target, value in scores.items()
    ]
    return Vega(bars.spec(known, [_words(part) for part in found], targets, unit, ""))


def _capacity(evidence: Evidence, case: str) -> list[Chart]:
    """Bytes per second over the position, mean of the runs of each target; nothing for tests without positions."""
    lines = {target: points for target in evidence.targets if (points := _points(evidence.runs_of(case, target)))}
    if not lines:
        return []
    title = f"{case}: throughput over the capacity"
    slowest, fastest = ([pick(rate for _, rate in points) for points in lines.values()] for pick in (min, max))
    names = list(lines)
    rows = tuple(
        (phrase(name), number(len(lines[name]), "1"), number(low, "B/s"), number(high, "B/s"), number(low / high, "x"))
        for name, low, high in zip(names, slowest, fastest, strict=True)
    )
    heads = columns("Target", ">Blocks", ">Slowest block", ">Fastest block", ">Slowest / fastest")
    return [
        Chart(
            id=f"capacity-{evidence.cases.index(case)}",
            title=title,
            description=f"Bytes per second over the position, {count_text(len(lines), 'target')}.",
            data=Table(title, heads, rows),
            draw=partial(draw, evidence.targets, lines),
            series=evidence.targets,
        )
    ]


def _points(runs: Sequence[Run]) -> list[tuple[float, float]]:
    """Position in bytes and mean rate in bytes/s."""
    found: dict[int, list[float]] = {}
    parts = (
        point for run in runs if run.plan.workload == "zcav" for phase in phases(run.facts) for point in phase.points
    )
    for point in parts:
        found.setdefault(point.position, []).append(point.bytes * SECOND / max(1, point.elapsed_ns))
    return [(float(position), mean(rates)) for position, rates in sorted(found.items())]


def draw(targets: tuple[str, ...], lines: dict[str, list[tuple[float, float]]]) -> Vega:
    """A line per target, from the first byte and from zero on: a slow end has to look like one."""
    found = [Line(targets.index(name), "", points) for name, points in lines.items()]
    return Vega(over_capacity(found, targets, "B/s"))
