"""Throughput over time inside the runs, with the levels where it changed: bursts are shown, never averaged over."""

from __future__ import annotations

from collections import Counter
from functools import partial

from plimsoll.model import Finding, Level, Run, Unit
from plimsoll.report.charts.lines import Line, Step, over_time
from plimsoll.report.charts.vega import Vega
from plimsoll.report.charts.zoom import MOST_POINTS, is_condensed
from plimsoll.report.document import Block, Chart, Phrase, Table, Text, Tone, columns, number, phrase, text
from plimsoll.report.evidence import Evidence
from plimsoll.report.labels import count_text, percent_text
from plimsoll.stats.course import Series, series_of
from plimsoll.stats.steady import SHORTEST_S, UNCHANGED, Regime, Segment, Shape
from plimsoll.units import SECOND, format_duration, format_value

ORDER = 70
TITLE = "Over time"

MOST_CHARTS = 40
_NAMES = {
    Shape.FLAT: "steady",
    Shape.WARMUP: "warm-up, then steady",
    Shape.DECAY: "falling, then steady",
    Shape.STEP_DOWN: "burst, then sustained",
    Shape.EPISODE: "away once, then as before",
    Shape.CYCLIC: "up and down",
    Shape.DRIFT: "drifting",
    Shape.SHORT: "too short to tell",
    Shape.SLICES: "not looked at",
}


def build(evidence: Evidence) -> list[Block]:
    """A chart per case, and a table of every run whose rate was not steady."""
    shown: list[Block] = []
    changed: list[tuple[str, Series]] = []
    shapes: Counter[Shape] = Counter()
    condensed = False
    for place, case in enumerate(evidence.cases):
        unit, found = _of_case(evidence, case)
        changed += [(unit, series) for series in found if series.regime.shape not in UNCHANGED]
        shapes.update(series.regime.shape for series in found)
        if found and len(shown) < MOST_CHARTS:
            condensed = condensed or is_condensed(sum(len(series.rates) for series in found))
            shown.append(_chart(f"series-{place}", evidence, case, unit, found))
    if not shown:
        return []
    words = ["One line per valid run. A thick line is a level where the rate of a run changed; the table names them."]
    if condensed:
        words.append(
            f"A chart of more than {MOST_POINTS} points shows each target's median over short spans of time instead, "
            "and a band from its slowest to its fastest interval; choose a part of the time to see every run. Levels "
            "and scores come from every interval."
        )
    if len(shown) == MOST_CHARTS:
        words.append(f"Pictures for the first {MOST_CHARTS} cases.")
    return [
        text(*words),
        *shown,
        *([_table(changed)] if changed else []),
        *_unchanged(shapes),
    ]


def _unchanged(shapes: Counter[Shape]) -> list[Text]:
    """What of the other runs is known: nothing of those that are too short to be judged, or were made in slices."""
    sliced = shapes[Shape.SLICES]
    others = shapes - Counter({Shape.SLICES: sliced})
    told = _judged(others, "" if not sliced else " of those that did not take turns") if others else []
    if sliced:
        its = "its rate" if sliced == 1 else "their rates"
        words = (
            f"{count_text(sliced, 'run')} took turns with other targets, so nobody looked whether {its} changed "
            f"inside; `--interleave blocks` with runtime={SHORTEST_S:.0f}s tells."
        )
        told.append(text(words, tone=Tone.UNKNOWN))
    return told


def _judged(shapes: Counter[Shape], which: str) -> list[Text]:
    short, judged = shapes[Shape.SHORT], sum(shapes.values()) - shapes[Shape.SHORT]
    unclear = (
        f"{count_text(short, 'run')}{which or ' of this report'} {'is' if short == 1 else 'are'} too short to tell"
    )
    needed = f"that takes {SHORTEST_S:.0f} s of even points (runtime={SHORTEST_S:.0f}s)."
    if not judged:
        return [text(f"{unclear} whether the rate changed inside: {needed}", tone=Tone.UNKNOWN)]
    told = [] if judged > shapes[Shape.FLAT] else [f"No run{which} changed its level while it was measured."]
    if short and told:
        told = [f"No run{which} that is long enough to be judged changed its level; {unclear}: {needed}"]
    elif short:
        told = [f"{unclear}: {needed}"]
    return [text(*told)] if told else []


def _of_case(evidence: Evidence, case: str) -> tuple[Unit, list[Series]]:
    """The series of all valid runs of a case, in the unit of its deciding metric, or in the other one."""
    judged = evidence.judged[case]
    units: tuple[Unit, ...] = ("B/s", "1/s") if judged and "throughput" in judged[0] else ("1/s", "B/s")
    runs = [run for target in evidence.targets for run in evidence.runs_of(case, target)]
    for unit in units:
        if found := [series for run in runs if (series := series_of(run, unit))]:
            return unit, found
    return units[0], []


def changes(evidence: Evidence) -> list[tuple[Run, Finding]]:
    """What the guard of change points would say of imported runs, which no guard has seen."""
    found: list[tuple[Run, Finding]] = []
    if not any("imported" in run.facts for run in evidence.runs):
        return found
    for case in evidence.cases:
        unit, all_series = _of_case(evidence, case)
        for series in all_series:
            regime = series.regime
            if "imported" not in series.run.facts or regime.shape in UNCHANGED:
                continue
            # Such a result brings its score along, and no tool leaves out what was not steady.
            message = f"{regime.course}; the score of the file counts all of it"
            advice = "Look at the chart over time before quoting a single number."
            if regime.burst and regime.sustained:
                advice = "Quote both levels, burst and sustained."
                message = (
                    f"the rate fell by {percent_text(round(1 - regime.sustained / regime.burst, 2))} after "
                    f"{format_duration(regime.window_s[0] * SECOND)}: a burst of {format_value(regime.burst, unit)}, "
                    f"then {format_value(regime.sustained, unit)}; the score of the file is neither"
                )
            found.append((series.run, Finding(guard="change_point", level=Level.WARN, message=message, advice=advice)))
    return found


def _lines(targets: tuple[str, ...], found: list[Series]) -> list[Line]:
    return [
        Line(
            targets.index(series.run.target.name),
            f"block {series.run.block + 1}: {_NAMES[series.regime.shape]}",
            list(zip(series.times_s, series.rates, strict=True)),
        )
        for series in found
    ]


def _chart(name: str, evidence: Evidence, case: str, unit: str, found: list[Series]) -> Chart:
    what = "throughput" if unit == "B/s" else "operations per second"
    odd = sum(series.regime.shape not in UNCHANGED for series in found)
    short = sum(series.regime.shape is Shape.SHORT for series in found)
    sliced = sum(series.regime.shape is Shape.SLICES for series in found)
    counts = f"{odd} with a change of level" + (f", {short} too short to tell" if short else "")
    counts += f", {sliced} not looked at" if sliced else ""
    title = f"{case}: {what}"
    return Chart(
        id=name,
        title=title,
        description=f"{what} over time of {count_text(len(found), 'run')} of {case}; {counts}.",
        data=_run_table(title, unit, found),
        draw=partial(draw, evidence.targets, found, unit),
        series=evidence.targets,
    )


def _run_table(title: str, unit: str, found: list[Series]) -> Table:
    """Slowest, mean and fastest interval of each run: the shape of every line in numbers."""
    rows = tuple(
        (
            phrase(series.run.target.name),
            number(series.run.block + 1, "1"),
            number(len(series.rates), "1"),
            number(min(series.rates), unit),
            number(sum(series.rates) / len(series.rates), unit),
            number(max(series.rates), unit),
            phrase(_NAMES[series.regime.shape]),
        )
        for series in found
    )
    heads = columns("Target", ">Block", ">Intervals", ">Slowest interval", ">Mean", ">Fastest interval", "Shape")
    return Table(title, heads, rows)


def _table(changed: list[tuple[str, Series]]) -> Table:
    rows = []
    for unit, series in changed:
        regime = series.regime
        told = "; ".join(
            f"{name} {format_value(each.mean, unit)} from {_moment(each.start_s)} to {_moment(each.end_s)}".strip()
            for name, each in _levels(regime)
        )
        rows.append(
            (
                phrase(series.run.plan.case),
                phrase(series.run.target.name),
                number(series.run.block + 1, "1"),
                Phrase(_NAMES[regime.shape], Tone.PLAIN if regime.accepted else Tone.WORSE),
                phrase(told),
                phrase("yes" if regime.accepted else "no"),
            )
        )
    heads = columns("Case", "Target", ">Block", "Shape", "Levels", "Last level can be scored")
    return Table("Runs that changed their level", heads, tuple(rows))


def _moment(seconds: float) -> str:
    return format_duration(round(seconds) * SECOND)


def draw(targets: tuple[str, ...], found: list[Series], unit: str) -> Vega:
    """The runs, and thick levels where the rate of one changed."""
    steps = []
    named: set[tuple[str, str]] = set()
    for series in found:
        if series.regime.shape in UNCHANGED:
            continue
        target = series.run.target.name
        for name, level in _levels(series.regime):
            # One label per target and name; more would cover each other.
            word = "" if (target, name) in named else name
            named.add((target, name))
            steps.append(Step(targets.index(target), word, level.start_s, level.end_s, level.mean))
    return Vega(over_time(_lines(targets, found), targets, unit, steps))


def _levels(regime: Regime) -> list[tuple[str, Segment]]:
    """The levels of a run with their names, where they have one."""
    names = ("burst", "sustained") if regime.shape is Shape.STEP_DOWN else ("",) * len(regime.segments)
    return list(zip(names, regime.segments, strict=True))
