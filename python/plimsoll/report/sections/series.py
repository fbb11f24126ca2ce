"""Throughput over time inside the runs, with the levels where it changed: bursts are shown, never averaged over."""

from __future__ import annotations

from collections import Counter
from functools import partial

from plimsoll.model import Finding, Level, Run, Unit
from plimsoll.report import palette, scales
from plimsoll.report.canvas import Canvas
from plimsoll.report.document import Block, Chart, Phrase, Table, Text, Tone, columns, number, phrase, text
from plimsoll.report.evidence import Evidence
from plimsoll.report.labels import count_text, percent_text
from plimsoll.stats.course import Series, series_of
from plimsoll.stats.steady import SHORTEST_S, UNCHANGED, Regime, Segment, Shape
from plimsoll.units import SECOND, format_duration, format_value

ORDER = 70
TITLE = "Over time"

MOST_CHARTS = 40
POINTS_PER_CHART = 6000
"""Longer series are drawn as means of neighbouring intervals."""
FEWEST_POINTS = 20
_NAMES = {
    Shape.FLAT: "steady",
    Shape.WARMUP: "warm-up, then steady",
    Shape.DECAY: "falling, then steady",
    Shape.STEP_DOWN: "burst, then sustained",
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
    averaged = 1
    for place, case in enumerate(evidence.cases):
        unit, found = _of_case(evidence, case)
        changed += [(unit, series) for series in found if series.regime.shape not in UNCHANGED]
        shapes.update(series.regime.shape for series in found)
        if found and len(shown) < MOST_CHARTS:
            bins = _bin_size(found)
            averaged = max(averaged, bins)
            shown.append(_chart(f"series-{place}", evidence, case, unit, found, bins))
    if not shown:
        return []
    words = ["One line per valid run. A thick line is a level where the rate of a run changed; the table names them."]
    if averaged > 1:
        words.append(
            f"Drawn are means of up to {averaged} neighbouring intervals, to keep this file small; levels and scores "
            "come from every interval, and the exported session has them all."
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
    found = []
    for case in evidence.cases:
        unit, all_series = _of_case(evidence, case)
        for series in all_series:
            regime = series.regime
            if "imported" not in series.run.facts or regime.shape in UNCHANGED:
                continue
            message, advice = regime.sentence, "Look at the chart over time before quoting a single number."
            if regime.burst and regime.sustained:
                advice = "Quote both levels, burst and sustained."
                message = (
                    f"the rate fell by {percent_text(round(1 - regime.sustained / regime.burst, 2))} after "
                    f"{format_duration(regime.window_s[0] * SECOND)}: a burst of {format_value(regime.burst, unit)}, "
                    f"then {format_value(regime.sustained, unit)}; the score of the file is neither"
                )
            found.append((series.run, Finding(guard="change_point", level=Level.WARN, message=message, advice=advice)))
    return found


def _bin_size(found: list[Series]) -> int:
    """Intervals that are drawn as one point, so that a chart stays below its number of points."""
    longest = max(len(series.rates) for series in found)
    allowed = max(FEWEST_POINTS, POINTS_PER_CHART // len(found))
    return max(1, -(-longest // allowed))


def _binned(series: Series, bins: int) -> list[tuple[float, float]]:
    starts = range(0, len(series.rates), bins)
    parts = [(series.times_s[start], series.rates[start : start + bins]) for start in starts]
    return [(time, sum(rates) / len(rates)) for time, rates in parts]


def _chart(name: str, evidence: Evidence, case: str, unit: str, found: list[Series], bins: int) -> Chart:
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
        draw=partial(draw, evidence.targets, found, unit, bins),
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


def draw(targets: tuple[str, ...], found: list[Series], unit: str, bins: int) -> Canvas:
    """A thin line per run from zero on; thick levels where the rate of a run changed."""
    lines = [(series, _binned(series, bins)) for series in found]
    last = max(time for _, points in lines for time, _ in points) or 1.0
    # Zero belongs to the axis: a stall has to look like one.
    y = scales.values([0.0, *(rate for _, points in lines for _, rate in points)], unit)
    canvas = Canvas(scales.seconds(last), y)
    faint = 0.9 if len(found) <= 2 * len(targets) else 0.55
    for series, points in lines:
        canvas.line(points, targets.index(series.run.target.name), width=1, opacity=faint)
    named: set[tuple[str, str]] = set()
    for series in found:
        if series.regime.shape in UNCHANGED:
            continue
        colour = palette.colour(targets.index(series.run.target.name))
        for name, level in _levels(series.regime):
            canvas.rules([((level.start_s, level.mean), (min(level.end_s, last), level.mean))], colour, width=2.5)
            # One label per target and name; more would cover each other.
            if name and (series.run.target.name, name) not in named:
                named.add((series.run.target.name, name))
                canvas.words(level.start_s, level.mean, name)
    return canvas


def _levels(regime: Regime) -> list[tuple[str, Segment]]:
    """The levels of a run with their names, where they have one."""
    names = ("burst", "sustained") if regime.shape is Shape.STEP_DOWN else ("",) * len(regime.segments)
    return list(zip(names, regime.segments, strict=True))
