"""The load line: where throughput stops growing, the curve, and the largest load within an objective."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial

from plimsoll.report.charts.load_line import Curve, Level, latency, throughput
from plimsoll.report.charts.vega import Vega
from plimsoll.report.document import (
    Block,
    Cell,
    Chart,
    Phrase,
    Sentence,
    Table,
    Tone,
    columns,
    number,
    phrase,
    span,
    text,
)
from plimsoll.report.doubted import why
from plimsoll.report.evidence import Evidence
from plimsoll.report.labels import count_text, interval_text, percent_text, score_text
from plimsoll.report.load_line_search import LoadLineSearch
from plimsoll.stats.load_line.answer import LevelSummary, Met
from plimsoll.stats.load_line.bend import FEWEST_LEVELS, GRID_STEP, SHAPE_ERROR, Bend
from plimsoll.stats.load_line.request import LOADS
from plimsoll.units import format_duration

ORDER = 31
TITLE = "Load line"
SHORT = True
LEAD = True

NO_MORE = 1.02
"""Throughput up to this many times that of the knee is hardly more."""
GROWS = 0.1
"""What twice the load gives more where throughput has not levelled off yet."""
TURNED = 1.05
"""By so much less than at a lower load, throughput turns back."""
_SLOWEST = "Of imported runs with several kinds of operations a percentile is that of the slowest kind, an upper bound."
_BRIEF = ("target", "load", "throughput", "p50", "p99", "client_cpu", "little_s_law", "note")
_NOTES = (
    "All valid runs at a load. Latencies are means of the logs of the runs' percentiles. Client CPU: the busiest "
    "thread of the client, or all its threads as a share of all processors, whichever is more.",
    "Little's law: throughput times mean latency against the operations in flight, for a database against its clients; "
    "0 % fits, less is time that clients spent outside of operations, or operations that failed. n/a with a rate, "
    "where operations also wait before they start, and for file-system tests, which do more than they time.",
)


def build(evidence: Evidence) -> list[Block]:
    """Two pictures, and every load with its numbers; what was found is the answer, above."""
    measured = [each for each in evidence.searched if _drawn(each)]
    return [_latency(measured), _throughput(measured), _table(measured)] if measured else []


def told(evidence: Evidence) -> list[Sentence]:
    """For the answer: where the knee is, what was reached, and whether an objective held."""
    return [sentence for each in evidence.searched for sentence in about(each)]


def about(each: LoadLineSearch) -> list[Sentence]:
    """All that is said of one load line."""
    told = [_knee(each)]
    if each.line.bracket:
        told.append(_bracket(each))
    knee, peak = _at_knee(each), each.line.peak
    both = knee is not None and peak is not None and knee.load == peak.load
    if knee is not None and each.shows_knee:
        what = "at the knee, with the highest throughput" if both else "at the knee"
        told.append(Sentence(f"{each.label}: {what}, {_measured(each, knee)}{_of_most(each, knee)}."))
    if peak is not None and not (both and each.shows_knee):
        more = knee is None or not each.shows_knee or peak.throughput.value > NO_MORE * knee.throughput.value
        beyond = _at_the_end(each) if more else "; hardly more than at the knee"
        told.append(Sentence(f"{each.label}: highest throughput, {_measured(each, peak)}{each.burst}{beyond}."))
    told += _turned_back(each)
    if each.line.objective:
        told.append(_objective(each))
    if (cut := _discarded(each)) is not None:
        told.append(cut)
    if each.line.invalid:
        lost = count_text(each.line.invalid, "run")
        told.append(Sentence(f"{each.label}: {lost} not valid and left out; see the warnings.", Tone.NOTE))
    return told


def _at_the_end(each: LoadLineSearch) -> str:
    """That the highest throughput is only that of the largest load, unless the sentence on the knee says so."""
    bend = each.line.bend
    told = bend is not None and bend.reached and bend.begun and each.line.doubt is None
    return "; it still grows there" if told and not each.request.open_loop and _growth(each) is not None else ""


def _turned_back(each: LoadLineSearch) -> Iterator[Sentence]:
    """Loads that give plainly less than a lower one did: the highest throughput is then no end of a rise."""
    less: list[LevelSummary] = []
    best: LevelSummary | None = None
    for level in sorted(_drawn(each), key=lambda level: level.load):
        if best is not None and level.throughput.value * TURNED < best.throughput.value:
            less.append(level)
        elif best is None or level.throughput.value > best.throughput.value:
            best = level
    if not less:
        return
    worst = min(less, key=lambda level: level.throughput.value)
    before = max((level for level in _drawn(each) if level.load < worst.load), key=lambda level: level.throughput.value)
    rates = [score_text(level.throughput.value, each.unit) for level in (worst, before)]
    yield Sentence(
        f"{each.label}: throughput turns back at {each.request.texts([level.load for level in less])}: {rates[0]} at "
        f"{each.request.text(worst.load)}, after {rates[1]} at {each.request.text(before.load)}.",
        Tone.UNKNOWN,
    )


def _at_knee(each: LoadLineSearch) -> LevelSummary | None:
    """The measured load at the knee: that of the fresh runs, else one within the interval of the knee."""
    bend = each.line.bend
    if each.line.knee is not None or bend is None:
        return each.line.knee
    near = [level for level in each.line.levels if bend.low <= level.load <= bend.high]
    return min(near, key=lambda level: abs(level.load - bend.knee), default=None)


def _of_most(each: LoadLineSearch, knee: LevelSummary) -> str:
    """`; 82 % of the 12,100/s at depth 64`; empty where hardly more was measured."""
    peak = each.line.peak
    if peak is None or peak.throughput.value <= NO_MORE * knee.throughput.value:
        return ""
    rate = peak.throughput
    share = percent_text(round(knee.throughput.value / rate.value, 2))
    return (
        f"; {share} of the {score_text(rate.value, each.unit, rate.low, rate.high)} at {each.request.text(peak.load)}"
    )


def _knee(each: LoadLineSearch) -> Sentence:
    bend, text = each.line.bend, each.request.text
    if bend is None:
        few = len(each.request.bounds.levels) < FEWEST_LEVELS
        advice = "search a larger range" if few else "let the search go on"
        advice = f"it takes runs at {FEWEST_LEVELS} loads or more" if each.imported else advice
        loads = count_text(len(each.line.levels), "load")
        return Sentence(f"{each.label}: no knee from {loads}; {advice}.", Tone.UNKNOWN)
    if each.line.doubt is not None:
        return Sentence(f"{each.label}: cannot tell where the knee is: {why(each, each.line.doubt)}.", Tone.UNKNOWN)
    if each.line.client_limited:
        return Sentence(
            f"{each.label}: the client was the limit, not the place: from {text(_load(each, bend.knee))} on "
            f"{each.client_use}",
            Tone.UNKNOWN,
        )
    if not bend.reached:
        return Sentence(f"{each.label}: {_not_reached(each, bend)}.", Tone.UNKNOWN)
    if not bend.begun:
        below = f"the knee lies at or below {text(_at_most(each, bend))}{each.burst}"
        return Sentence(
            f"{each.label}: saturated from the start: {below}.",
            Tone.NOTE,
        )
    what = "a higher rate is not kept" if each.request.open_loop else _beyond(each, bend)
    where = f" in {each.test}" if each.test else ""
    return Sentence(
        f"{each.label}: the knee is at {text(_load(each, bend.knee))} ({_loads(bend)}){where}{each.burst}: {what}.",
        Tone.PLAIN,
    )


def _beyond(each: LoadLineSearch, bend: Bend) -> str:
    """What more load than at the knee does, as far as was measured."""
    if (growth := _growth(each)) is not None:
        half, last, gain = growth
        ends = f"from {each.request.text(half)} to {each.request.text(last)}"
        more = percent_text(round(gain, 2))
        return f"from there on more load adds latency and brings ever smaller gains: {more} more throughput {ends}"
    level = score_text(bend.plateau, each.unit, bend.plateau * 0.99, bend.plateau * 1.01)
    return f"from there on more load adds latency, and throughput levels off at {level}{_roundness(bend)}"


def _growth(each: LoadLineSearch) -> tuple[float, float, float] | None:
    """Half of the largest load, that load, and by what share it carries more; None where that is hardly anything."""
    levels, peak = sorted(each.line.levels, key=lambda level: level.load), each.line.peak
    last = levels[-1]
    half = next((level for level in reversed(levels) if 2 * level.load <= last.load), None)
    if half is None or peak is None or peak.load != last.load:
        return None
    gain = last.throughput.value / half.throughput.value - 1
    return (half.load, last.load, gain) if gain > GROWS else None


def _not_reached(each: LoadLineSearch, bend: Bend) -> str:
    """Why the curve has no end: the range, or runs that differ too much from each other."""
    text, last, peak = each.request.text, each.line.levels[-1], each.line.peak
    # The ramp saw it level off within the range, schedules were not kept, or a lower load carried more: the rounds
    # cannot confirm where it ends.
    grows = not last.overloaded and peak is not None and peak.load == last.load
    if round(bend.last) < each.request.bounds.high or not grows:
        return (
            f"the knee is not settled: runs up to {text(bend.last)} scatter too much to say whether throughput still "
            f"grows there; use {each.longer} or ask for {each.more_rounds}"
        )
    return f"no knee up to {text(bend.last)}: throughput still grows there; {each.further}"


def _discarded(each: LoadLineSearch) -> Sentence | None:
    """What was cut off: the warm-up that uses up what was stored, and what of it was still there in the runs."""
    cut = [level for level in each.line.levels if level.discarded]
    if not cut:
        return None
    loads = each.request.texts([level.load for level in cut])
    most = percent_text(round(max(level.discarded for level in cut), 2))
    return Sentence(
        f"{each.label}: some runs began with another rate (something stored, or a warm-up), which does not count: up "
        f"to {most} of a run, at {loads}.",
        Tone.NOTE,
    )


def _at_most(each: LoadLineSearch, bend: Bend) -> float:
    """The largest load at which a knee may lie that the interval cannot tell from the smallest one."""
    # The fit may always be wrong by so much: that alone is no client more.
    high = max(bend.first, bend.high / math.exp(SHAPE_ERROR) - GRID_STEP)
    return math.ceil(high) if each.request.bounds.whole else _load(each, high)


def _roundness(bend: Bend) -> str:
    """A round bend means that throughput still grows a little beyond the knee."""
    return (
        ""
        if bend.sharpness > 0.9
        else f" (the bend is round: {percent_text(round(bend.sharpness, 2))} of it at the knee)"
    )


def _load(each: LoadLineSearch, load: float) -> float:
    return each.request.bounds.rounded(load) if each.request.open_loop else float(f"{load:.2g}")


def _loads(bend: Bend) -> str:
    low, high = (f"{end:,.2g}" if end < 100 else f"{float(f'{end:.3g}'):,.0f}" for end in (bend.low, bend.high))
    return f"{low}…{high}"


def _bracket(each: LoadLineSearch) -> Sentence:
    found, text = each.line.bracket, each.request.text
    if found is None:
        raise ValueError("only for a bracket that was found")
    what = (
        "the schedule was no longer kept"
        if math.isinf(found.latency_ratio)
        else f"mean latency grew {found.latency_ratio:.2f}× while throughput {_grew(found.throughput_ratio)}"
    )
    rounds = count_text(found.rounds, "round")
    return Sentence(f"{each.label}: from {text(found.low)} to {text(found.high)} {what} ({rounds}).")


def _grew(ratio: float) -> str:
    return f"grew {ratio:.2f}×" if ratio >= 1 else f"fell to {ratio:.2f}× of that"


def _measured(each: LoadLineSearch, level: LevelSummary) -> str:
    rate = level.throughput
    parts = [f"{each.request.text(level.load)}: {score_text(rate.value, each.unit, rate.low, rate.high)}"]
    parts += [f"p50 {format_duration(level.p50_ns)}"] if level.p50_ns else []
    parts += [f"p99 {format_duration(level.p99_ns)}"] if level.p99_ns else []
    return ", ".join(parts)


def _objective(each: LoadLineSearch) -> Sentence:
    objective, met = each.line.objective, each.line.met
    if each.imported and objective is not None and met is None:
        return Sentence(f"{each.label}: the files do not say {objective.name} of all operations.", Tone.UNKNOWN)
    if objective is None or met is None:
        return Sentence(f"{each.label}: the largest load within the objective is not found yet.", Tone.UNKNOWN)
    limit = f"{objective.name} below {format_duration(objective.limit_ns)}"
    seen = f"median {objective.name} {format_duration(met.latency.median)}"
    load = each.request.text(met.load)
    if met.against:
        return _contradicted(each, limit, met)
    if not met.met:
        return Sentence(f"{each.label}: {limit} is not met, not even at {load} ({seen}).", Tone.WORSE)
    rate = score_text(met.throughput.value, each.unit, met.throughput.low, met.throughput.high)
    top = ", the largest load of the range" if met.at_top else ""
    fresh = count_text(met.latency.runs, "run" if each.imported else "fresh run")
    return Sentence(
        f"{each.label}: {limit} holds up to {load}{top}: {rate}, {seen} in {fresh}{_while(each, met)}.",
        Tone.BETTER,
    )


def _while(each: LoadLineSearch, met: Met) -> str:
    """That it holds only during a burst, where it needs one."""
    left = each.standing.left if each.standing is not None else None
    return each.burst if left is None or met.throughput.value > left else ""


def _contradicted(each: LoadLineSearch, limit: str, met: Met) -> Sentence:
    """Latency that does not follow the load: a lower one misses what a higher one meets."""
    missed = [load for load in met.against if met.met and load < met.load]
    kept = [load for load in met.against if load not in missed and load != met.load]
    load = each.request.text(met.load)
    if met.load in met.against:
        seen = f"median {format_duration(met.latency.median)}"
        parts = [f"the last runs at {load} miss it ({seen})", "all runs at that load together clearly meet it"]
    else:
        parts = [f"{load} {'meets' if met.met else 'misses'} it"]
    parts += [f"{each.request.texts(missed)} clearly {'misses' if len(missed) == 1 else 'miss'} it"] if missed else []
    parts += [f"{each.request.texts(kept)} clearly {'meets' if len(kept) == 1 else 'meet'} it"] if kept else []
    return Sentence(
        f"{each.label}: cannot tell up to which load {limit} holds: {_contrasted(parts)}. Something other than the "
        f"load causes latency; {each.again} when the host is quieter, or with {each.longer}.",
        Tone.UNKNOWN,
    )


def _contrasted(parts: Sequence[str]) -> str:
    """The first part, and against it all others."""
    return f"{parts[0]}, but {' and '.join(parts[1:])}"


def _table(found: list[LoadLineSearch]) -> Table:
    notes = _NOTES + ((_SLOWEST,) if any(each.imported for each in found) else ())
    heads = columns(
        "Target", ">Load", ">Runs", ">Throughput", ">95 % interval", ">Mean", ">p50", ">p99", ">Client CPU",
        ">Little's law", "Note",
    )  # fmt: skip
    rows = tuple(_row(each, level) for each in found for level in each.line.levels)
    return Table("Every load", heads, rows, notes, _BRIEF)


def _row(each: LoadLineSearch, level: LevelSummary) -> tuple[Cell, ...]:
    rate = level.throughput
    return (
        phrase(each.label),
        number(level.load, "1", each.request.brief(level.load)),
        number(rate.runs, "1"),
        number(rate.value, each.unit, score_text(rate.value, each.unit, rate.low, rate.high)),
        span(rate.low, rate.high, each.unit, interval_text(rate.low, rate.high, each.unit, rate.value)),
        number(level.mean_ns, "ns"),
        number(level.p50_ns, "ns"),
        number(level.p99_ns, "ns"),
        None if each.imported else number(level.client_cpu, "1", percent_text(round(level.client_cpu, 2))),
        None
        if level.littles_law is None
        else number(level.littles_law, "1", percent_text(round(level.littles_law, 3) + 0.0)),
        _note(each, level),
    )


def _note(each: LoadLineSearch, level: LevelSummary) -> Phrase:
    notes = ["schedule not kept"] if level.overloaded else []
    notes += ["client at its limit"] if level.client_limited else []
    knee, peak, met = each.line.knee, each.line.peak, each.line.met
    notes += ["knee"] if knee is not None and knee.load == level.load and each.shows_knee else []
    notes += ["peak"] if peak is not None and peak.load == level.load else []
    notes += ["objective"] if met is not None and met.met and not met.against and met.load == level.load else []
    return Phrase(", ".join(notes), Tone.WORSE if level.overloaded or level.client_limited else Tone.PLAIN)


def _latency(found: list[LoadLineSearch]) -> Block:
    known = any(level.p50_ns or level.p99_ns for each in found for level in _drawn(each))
    return _hockey_stick(found) if known else text("No run has latencies, so only throughput is drawn.", tone=Tone.NOTE)


def _hockey_stick(found: list[LoadLineSearch]) -> Chart:
    title = "Latency against throughput"
    told = "; ".join(
        f"{each.label} reaches {score_text(each.line.peak.throughput.value, each.unit)}"
        for each in found
        if each.line.peak is not None
    )
    heads = columns("Target", ">Load", ">Throughput", ">p50", ">p99")
    rows = tuple(
        (*_place(each, level), number(level.p50_ns, "ns"), number(level.p99_ns, "ns"))
        for each in found
        for level in _drawn(each)
    )
    return Chart(
        id="load-line",
        title=title,
        description=f"p99 (marked) and p50 (thin) against throughput, one point per load. {told}".strip(),
        data=Table(title, heads, rows),
        draw=partial(draw_hockey_stick, found),
        series=tuple(each.label for each in found),
    )


def _drawn(each: LoadLineSearch) -> list[LevelSummary]:
    return [level for level in each.line.levels if level.steady]


def _place(each: LoadLineSearch, level: LevelSummary) -> tuple[Cell, Cell, Cell]:
    rate = level.throughput.value
    return phrase(each.label), number(level.load, "1", each.request.brief(level.load)), number(rate, each.unit)


def draw_hockey_stick(found: list[LoadLineSearch]) -> Vega:
    """Throughput from zero, latency logarithmic; loads in order along each line, so a line that turns back shows it."""
    request = found[0].request
    # A rate that was kept stands on the axis already.
    return Vega(latency(_curves(found), found[0].unit, "" if request.open_loop else request.parameter), still=True)


def _curves(found: list[LoadLineSearch]) -> list[Curve]:
    return [
        Curve(
            name=each.label,
            levels=[_level(each, level) for level in _drawn(each)],
            knee=(bend.low, bend.knee, bend.high) if (bend := each.line.bend) is not None and each.shows_knee else None,
            objective=(f"objective {wanted.name} < {format_duration(wanted.limit_ns)}", wanted.limit_ns)
            if (wanted := each.line.objective)
            else None,
        )
        for each in found
    ]


def _level(each: LoadLineSearch, level: LevelSummary) -> Level:
    rate = level.throughput
    return Level(
        load=level.load,
        rate=rate.value,
        p50_ns=level.p50_ns,
        p99_ns=level.p99_ns,
        said=each.request.text(level.load),
        rate_said=score_text(rate.value, each.unit, rate.low, rate.high),
        note=_note(each, level).text,
    )


def _throughput(found: list[LoadLineSearch]) -> Chart:
    title = "Throughput against load"
    knees = [(each, each.line.bend) for each in found if each.line.bend is not None and each.shows_knee]
    told = "; ".join(f"{each.label} bends at {each.request.text(_load(each, bend.knee))}" for each, bend in knees)
    heads = columns("Target", ">Load", ">Throughput")
    return Chart(
        id="load-throughput",
        title=title,
        description=f"Throughput at every load, the load logarithmic. {told or 'No knee is reported'}.",
        data=Table(title, heads, tuple(_place(each, level) for each in found for level in _drawn(each))),
        draw=partial(draw_throughput, found),
        series=tuple(each.label for each in found),
    )


def draw_throughput(found: list[LoadLineSearch]) -> Vega:
    """Loads are logarithmic, as they were chosen. The knee's interval is shaded."""
    request = found[0].request
    return Vega(
        throughput(_curves(found), found[0].unit, LOADS[request.parameter], offered=request.open_loop), still=True
    )
