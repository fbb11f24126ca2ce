"""What YCSB prints at the end: `[READ], 99thPercentileLatency(us), 812`, or the same as JSON."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from plimsoll.errors import UnknownName, UsageError
from plimsoll.frontends.ycsb.properties import Properties
from plimsoll.run.outcome import DbOutcome
from plimsoll.stats.histogram import Histogram, add, decode
from plimsoll.units import MICROSECOND, MILLISECOND

NAMES = {
    "READ": ("read", "rmw_read"),
    "UPDATE": ("update", "rmw_update"),
    "INSERT": ("insert",),
    "SCAN": ("scan",),
    "READ-MODIFY-WRITE": ("read_modify_write",),
}
"""Our kinds in YCSB's operations: the halves of a read-modify-write are counted as READ and UPDATE too."""
MEASURED_WHOLE = "READ-MODIFY-WRITE"
"""Has latencies, but no return codes of its own."""

_EXPORTERS = ("TextMeasurementsExporter", "JSONMeasurementsExporter", "JSONArrayMeasurementsExporter")

Row = tuple[str, str, int | float]


@dataclass(frozen=True)
class Settings:
    """How results are printed, from the properties."""

    percentiles: tuple[float, ...]
    intervals: str
    """`op`: from the start of an operation; `intended`: from when it should have started; `both`."""
    exporter: str
    file: str | None
    label: str
    status: bool
    status_s: int
    force: bool = False
    """The file may be written over, whatever it holds."""


def settings(properties: Properties, status: bool) -> Settings:
    """Read what YCSB has for measuring and printing. Raises UsageError."""
    properties.choice("measurementtype", "hdrhistogram", ("hdrhistogram", "histogram"))
    if properties.text("measurementtype", "") == "histogram":
        properties.note("measurementtype=histogram is printed as hdrhistogram, which is finer")
    for name in ("histogram.buckets", "histogram.percentiles", "timeseries.granularity"):
        properties.ignored(name, "latencies are kept in HdrHistograms; hdrhistogram.percentiles names those printed")
    kept = "the whole histograms are in the store: plimsoll report, plimsoll export"
    for name in ("hdrhistogram.fileoutput", "hdrhistogram.output.path", "measurement.histogram.verbose"):
        properties.ignored(name, kept)
    properties.ignored("measurement.trackjvm", "there is no Java virtual machine")
    for name in ("reportlatencyforeacherror", "latencytrackederrors"):
        properties.ignored(name, "errors are counted by kind, their latencies are not kept")
    # As YCSB's `both`: a schedule that nobody checks hides how late the operations were.
    told = "both" if properties.given("target") else "op"
    return Settings(
        percentiles=_percentiles(properties.text("hdrhistogram.percentiles", "50,95,99")),
        intervals=properties.choice("measurement.interval", told, ("op", "intended", "both")),
        exporter=_exporter(properties.text("exporter", _EXPORTERS[0])),
        file=properties.given("exportfile"),
        label=properties.text("label", ""),
        status=properties.flag("status", default=False) or status,
        status_s=properties.whole("status.interval", 10, 1),
    )


def _percentiles(text: str) -> tuple[float, ...]:
    try:
        found = tuple(float(word) for word in text.split(","))
    except ValueError:
        found = ()
    if not found or any(not 0 <= each <= 100 for each in found):
        raise UsageError(f"hdrhistogram.percentiles={text}: write numbers from 0 to 100 like 50,95,99.9")
    return found


def _exporter(text: str) -> str:
    name = text.rpartition(".")[2]
    if name not in _EXPORTERS:
        raise UnknownName("exporter", name, _EXPORTERS)
    return name


def rows(outcome: DbOutcome, chosen: Settings) -> Iterator[Row]:
    """All lines of a summary, in YCSB's order and with its keys."""
    run_ms = max(1, round(outcome["elapsed_ns"] / MILLISECOND))
    yield "OVERALL", "RunTime(ms)", run_ms
    yield "OVERALL", "Throughput(ops/sec)", 1000.0 * tried(outcome) / run_ms
    for name, kinds in NAMES.items():
        present = [kind for kind in kinds if kind in outcome["operations"]]
        if present:
            yield from _operation(name, present, outcome, chosen)


def tried(outcome: DbOutcome) -> int:
    """Operations that ended, well or not: what YCSB counts as done."""
    return int(outcome["completed"]) + sum(_failed(outcome, kind) for kind in outcome["whole"])


def _failed(outcome: DbOutcome, kind: str) -> int:
    return sum(outcome["errors"].get(kind, {}).values())


def _operation(name: str, kinds: Sequence[str], outcome: DbOutcome, chosen: Settings) -> Iterator[Row]:
    scheduled = is_scheduled(kinds, outcome["histograms"])
    done = sum(outcome["operations"][kind]["operations"] for kind in kinds)
    failed = sum(_failed(outcome, kind) for kind in kinds)
    missing = sum(outcome["not_found"].get(kind, 0) for kind in kinds)
    if chosen.intervals != "intended" or not scheduled:
        suffix = "_service" if scheduled else ""
        mean_ns = None if scheduled else sum(outcome["operations"][kind]["latency_sum_ns"] for kind in kinds)
        yield from _latencies(name, done, added(kinds, suffix, [outcome["histograms"]]), mean_ns, chosen)
        if name != MEASURED_WHOLE:
            codes = {"OK": done - missing, "NOT_FOUND": missing, "ERROR": failed}
            yield from ((name, f"Return={code}", count) for code, count in codes.items() if count)
    if scheduled and chosen.intervals != "op":
        total_ns = sum(outcome["operations"][kind]["latency_sum_ns"] for kind in kinds)
        yield from _latencies(f"Intended-{name}", done, added(kinds, "", [outcome["histograms"]]), total_ns, chosen)
    if failed and name != MEASURED_WHOLE:
        yield f"{name}-FAILED", "Operations", failed


def is_scheduled(kinds: Sequence[str], histograms: Mapping[str, str]) -> bool:
    """There was a target: the plain histograms begin when an operation should have, `…_service` when it did."""
    return any(f"{kind}_service" in histograms for kind in kinds)


def added(kinds: Sequence[str], suffix: str, histograms: Sequence[Mapping[str, str]]) -> Histogram:
    """The sum of what was recorded of some kinds in several maps of encoded histograms."""
    encoded = [each.get(f"{kind}{suffix}") for each in histograms for kind in kinds]
    return add([decode(base64.b64decode(text)) for text in encoded if text])


def value_us(histogram: Histogram, percent: float) -> int:
    """A percentile; unlike our own scores, YCSB names one however few the operations are."""
    rank = max(1, int(np.ceil(histogram.count * percent / 100 - 1e-9)))
    return int(histogram.high[np.searchsorted(np.cumsum(histogram.counts), rank)]) // MICROSECOND


def _latencies(name: str, count: int, histogram: Histogram, total_ns: int | None, chosen: Settings) -> Iterator[Row]:
    yield name, "Operations", count
    if not histogram.count:
        return
    mean_ns = histogram.mean if total_ns is None else total_ns / count
    yield name, "AverageLatency(us)", (mean_ns or 0.0) / MICROSECOND
    yield name, "MinLatency(us)", int(histogram.low[0]) // MICROSECOND
    yield name, "MaxLatency(us)", int(histogram.high[-1]) // MICROSECOND
    for percent in chosen.percentiles:
        yield name, f"{ordinal(percent)}PercentileLatency(us)", value_us(histogram, percent)


def ordinal(percent: float) -> str:
    """`1st`, `95th`; but `99.9` without an ending, as YCSB has it."""
    if percent % 1:
        return str(percent)
    whole = int(percent)
    if 11 <= whole % 100 <= 13:
        return f"{whole}th"
    return f"{whole}{('th', 'st', 'nd', 'rd', 'th', 'th', 'th', 'th', 'th', 'th')[whole % 10]}"


def text(found: Sequence[Row], exporter: str) -> str:
    """The rows as the exporter of that name writes them."""
    if exporter == "TextMeasurementsExporter":
        return "".join(f"[{metric}], {what}, {value}\n" for metric, what, value in found)
    objects = [{"metric": metric, "measurement": what, "value": value} for metric, what, value in found]
    if exporter == "JSONArrayMeasurementsExporter":
        return json.dumps(objects, indent=2) + "\n"
    return "".join(json.dumps(each, indent=2) + "\n" for each in objects)
