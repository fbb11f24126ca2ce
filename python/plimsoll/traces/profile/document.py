"""The load of a trace as a report of one page."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from plimsoll.report.charts.lines import Line, over_time
from plimsoll.report.charts.vega import Vega
from plimsoll.report.document import (
    Block,
    Cell,
    Chart,
    Document,
    Section,
    Sentence,
    Table,
    Text,
    Tone,
    columns,
    number,
    phrase,
    text,
)
from plimsoll.traces.profile.load import Load
from plimsoll.traces.profile.sentences import answer
from plimsoll.units import SECOND, format_duration, format_size

POINTS = 400
MOST_ROWS = 8


def profile_document(load: Load) -> Document:
    """The whole page."""
    sentences = answer(load)
    tone = Tone.PLAIN if load.hidden is None else Tone.WORSE
    lead = Text((Sentence(sentences[0], tone), *(Sentence(each) for each in sentences[1:])))
    sections = [
        Section("answer", "The load", (lead,), short=True, lead=True),
        Section("bursts", "How evenly it comes", tuple(_bursts(load)), short=True, lead=True),
        Section("each", "Each I/O", (_each(load), _sizes(load)), short=True),
        Section("reuse", "What more cache would absorb", tuple(_reuse(load)), short=True),
        Section("processes", "By process", (_processes(load),), short=True),
    ]
    subtitle = f"{load.series.source} · {load.series.span}"
    return Document(f"The load of {load.series.name}", subtitle, tuple(sections), make_scores=partial(_each, load))


def _bursts(load: Load) -> Iterator[Block]:
    rows = tuple(
        (
            phrase(format_duration(each.window_s * SECOND)),
            number(each.per_s, "1/s"),
            number(each.times, "x"),
            number(each.bytes_per_s, "B/s"),
            phrase(load.series.when(each.start_s) if load.series.dated else _after(each.start_s)),
        )
        for each in load.bursts()
    )
    notes = tuple(f"{note[0].upper()}{note[1:]}." for note in load.series.notes if note)
    if not rows:
        yield text("The trace is shorter than a second, so there are no stretches to compare.", *notes)
        return
    heads = columns("Busiest", ">IOPS", ">Over the mean", ">Most bytes", "Busiest from")
    table = Table("Busiest stretches", heads, rows, notes)
    yield table
    yield Chart(
        "profile-load",
        "IOPS",
        "IOPS over time, with the highest second.",
        table,
        partial(_chart, load),
        ("mean", "highest"),
    )
    hours = sorted(load.hours(), key=lambda each: -each[1])
    if len(hours) > 1:
        hot = tuple((phrase(f"{hour:02d}:00"), number(rate, "1/s")) for hour, rate in hours[:MOST_ROWS])
        yield Table("Hottest hours of the day (UTC)", columns("Hour", ">IOPS"), hot)


def _after(seconds: int) -> str:
    return f"{format_duration(seconds * SECOND)} after its start"


def _each(load: Load) -> Table:
    found = load.found
    reads, writes = found["latency_ns"] if load.timed else (None, None)
    rows = tuple(
        (phrase(name), *_quantiles(values, unit))
        for name, values, unit in (
            ("Read latency", reads, "ns"),
            ("Write latency", writes, "ns"),
            ("In flight", found["depth"] if load.timed else None, "1"),
            ("Think time", found["think_ns"] if load.timed else None, "ns"),
            ("Seek distance", found["seek_bytes"], "B"),
        )
    )
    notes = [
        f"{100 * found['sequential']:.0f} % of the I/Os are sequential: they begin where one of 16 streams ended.",
        "Think time: from when nothing is in flight to the next I/O. Percentiles are within 6 %.",
    ]
    if found["too_deep"]:
        notes.append("More I/Os were in flight than are followed (65,536): the depth is a lower bound.")
    if found["trims"] or found["flushes"]:
        notes.append(f"Beside reads and writes: {found['trims']:,} trims and {found['flushes']:,} flushes.")
    return Table("Each I/O", columns("What", ">Mean", ">Median", ">p99", ">Highest"), rows, tuple(notes))


def _quantiles(values: list[float] | None, unit: str) -> tuple[Cell, ...]:
    return (None,) * 4 if values is None else tuple(number(value, unit) for value in values)


def _sizes(load: Load) -> Table:
    reads, writes = (dict(map(tuple, each)) for each in load.found["sizes"])
    both = {size: reads.get(size, 0) + writes.get(size, 0) for size in {*reads, *writes}}
    rows = tuple(
        (
            number(size, "B"),
            number(reads.get(size, 0), "1"),
            number(writes.get(size, 0), "1"),
            number(100 * count / load.operations, "1", f"{100 * count / load.operations:.1f} %"),
        )
        for size, count in sorted(both.items(), key=lambda each: -each[1])[:MOST_ROWS]
    )
    rest = len(both) - len(rows)
    notes = (f"{rest:,} more sizes.",) if rest else ()
    return Table("Most frequent sizes", columns(">Size", ">Reads", ">Writes", ">Share"), rows, notes)


def _reuse(load: Load) -> Iterator[Block]:
    sizes: list[dict[str, Any]] = load.found["absorbed"]
    if not sizes:
        yield text("Nothing is read, so no cache of reads would absorb anything.")
        return
    rows = tuple(
        (
            number(each["bytes"], "B"),
            number(100 * each["share"], "1", f"{100 * each['share']:.1f} %"),
            number(100 * each["error"], "1", f"± {100 * each['error']:.1f} %" if each["error"] else "exact"),
        )
        for each in sizes
    )
    touched, error = load.found["touched_bytes"], load.found["touched_error"]
    sure = f", ± {100 * error:.1f} %, from a sample of its blocks" if error else ""
    notes = (
        f"Working set: {format_size(touched)} in blocks of 4 KiB{sure}.",
        "Of the bytes read, by a cache that keeps what was used last, beside the caches that this load has passed.",
    )
    yield Table("Additional cache", columns(">Cache", ">Absorbs", ">Error"), rows, notes)


def _processes(load: Load) -> Table:
    ranked = sorted(load.found["processes"], key=lambda each: -each[1])
    rows = tuple(
        (
            phrase(load.processes[place] or "not known"),
            number(count, "1"),
            number(100 * count / load.operations, "1", f"{100 * count / load.operations:.1f} %"),
            number(size, "B"),
        )
        for place, count, size in ranked[:MOST_ROWS]
    )
    rest = len(ranked) - len(rows)
    notes = (f"{rest:,} more.",) if rest else ()
    return Table("Processes", columns("Process", ">I/Os", ">Share", ">Bytes"), rows, notes)


def _chart(load: Load) -> Vega:
    rates = load.series.operations
    every = max(1, -(-len(rates) // POINTS))
    parts = [(float(i), rates[i : i + every]) for i in range(0, len(rates), every)]
    means = Line(0, "", [(time, float(part.mean())) for time, part in parts])
    if every == 1:
        return Vega(over_time([means], ("mean",), "1/s", what="IOPS"))
    tops = Line(1, "", [(time, float(part.max())) for time, part in parts])
    return Vega(over_time([means, tops], ("mean", "highest"), "1/s", what="IOPS"))
