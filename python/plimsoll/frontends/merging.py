"""Outcomes of clones that ran side by side, as the outcome of one run."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar, cast

from hdrh.histogram import HdrHistogram

from plimsoll.run.outcome import CpuUse, KindInInterval, OneInterval, Outcome, Totals
from plimsoll.run.workers.execution import Execution

Counts = TypeVar("Counts", Totals, KindInInterval, CpuUse, dict[str, int])

LONGEST_NS = 60_000_000_000
DIGITS = 3
"""Bounds of the core's histograms (`crates/core/src/histogram.rs`)."""


def together(executions: Sequence[Execution]) -> Execution:
    """Counts added, histograms added, the longest time; percentiles of intervals come from added histograms.

    The outcomes must hold their `interval_histograms` where there are several.
    """
    if len(executions) == 1:
        return executions[0]
    outcomes = [each.outcome for each in executions]
    failed = next((each for each in outcomes if each["status"] == "failed"), None)
    stopped = next((each for each in outcomes if each["status"] == "stopped"), None)
    first = failed or stopped or outcomes[0]
    cpu = _sum([each["cpu"] for each in outcomes])
    cpu["busiest_thread"] = max(each["cpu"]["busiest_thread"] for each in outcomes)
    cpu["all_processors"] = min(1.0, cpu["all_processors"])
    merged: Outcome = {
        **first,
        "started_ns": min(each["started_ns"] for each in outcomes),
        "elapsed_ns": max(each["elapsed_ns"] for each in outcomes),
        "operations": _added([each["operations"] for each in outcomes]),
        "histograms": _histograms([each["histograms"] for each in outcomes]),
        "latency_sums_ns": _sum([each.get("latency_sums_ns", {}) for each in outcomes]),
        "intervals": _intervals(outcomes),
        "interval_histograms": [],
        "cpu": cpu,
        "mean_in_flight": sum(each["mean_in_flight"] for each in outcomes),
        "offered_operations": _total(each["offered_operations"] for each in outcomes),
    }
    samples = sorted((sample for each in executions for sample in each.samples), key=lambda each: each.monotonic_ns)
    return Execution(
        merged,
        min((each.before for each in executions), key=lambda each: each.monotonic_ns),
        max((each.after for each in executions), key=lambda each: each.monotonic_ns),
        tuple(samples),
    )


def one_after_the_other(executions: Sequence[Execution]) -> Execution:
    """Counts and histograms added, times put behind each other; the rest is that of the last one."""
    if len(executions) == 1:
        return executions[0]
    outcomes = [each.outcome for each in executions]
    cpu, last = _sum([each["cpu"] for each in outcomes]), outcomes[-1]["cpu"]
    # Shares of processors are those of the last one.
    cpu["busiest_thread"], cpu["all_processors"] = last["busiest_thread"], last["all_processors"]
    intervals, elapsed_ns = list[OneInterval](), 0
    for outcome in outcomes:
        intervals += [{**each, "start_ns": each["start_ns"] + elapsed_ns} for each in outcome["intervals"]]
        elapsed_ns += outcome["elapsed_ns"]
    merged: Outcome = {
        **outcomes[-1],
        "started_ns": outcomes[0]["started_ns"],
        "elapsed_ns": elapsed_ns,
        "operations": _added([each["operations"] for each in outcomes]),
        "histograms": _histograms([each["histograms"] for each in outcomes]),
        "latency_sums_ns": _sum([each.get("latency_sums_ns", {}) for each in outcomes]),
        "intervals": intervals,
        "interval_histograms": [row for each in outcomes for row in each.get("interval_histograms", [])],
        "cpu": cpu,
        "mean_in_flight": sum(each["mean_in_flight"] * each["elapsed_ns"] for each in outcomes) / max(elapsed_ns, 1),
    }
    samples = tuple(sample for each in executions for sample in each.samples)
    return Execution(merged, executions[0].before, executions[-1].after, samples)


def _total(values: Iterable[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _sum(records: Sequence[Counts]) -> Counts:
    """Each of their numbers added."""
    total = Counter[str]()
    for record in records:
        total.update(cast(Mapping[str, int], record))
    return cast(Counts, dict(total))


def _added(maps: Sequence[Mapping[str, Counts]]) -> dict[str, Counts]:
    kinds = {kind for each in maps for kind in each}
    return {kind: _sum([each[kind] for each in maps if kind in each]) for kind in sorted(kinds)}


def _histograms(maps: Sequence[Mapping[str, str]]) -> dict[str, str]:
    kinds = sorted({kind for each in maps for kind in each})
    return {kind: _join([each[kind] for each in maps if kind in each]) for kind in kinds}


def _join(encoded: Sequence[str]) -> str:
    if len(encoded) == 1:
        return encoded[0]
    total = HdrHistogram(1, LONGEST_NS, DIGITS)
    for each in encoded:
        total.decode_and_add(each)
    return total.encode().decode() if isinstance(total.encode(), bytes) else str(total.encode())


def _intervals(outcomes: Sequence[Outcome]) -> list[OneInterval]:
    longest = max(outcomes, key=lambda each: len(each["intervals"]))["intervals"]
    merged = list[OneInterval]()
    for index, interval in enumerate(longest):
        having = [each for each in outcomes if index < len(each["intervals"])]
        rows = [each["intervals"][index] for each in having]
        kept = _histograms([each["interval_histograms"][index] for each in having if each.get("interval_histograms")])
        operations = _added([row["operations"] for row in rows])
        for kind, counts in operations.items():
            counts["max_ns"] = max(row["operations"][kind]["max_ns"] for row in rows if kind in row["operations"])
            counts["p50_ns"], counts["p99_ns"] = _quantiles(kept.get(kind))
        merged.append({**interval, "errors": sum(row["errors"] for row in rows), "operations": operations})
    return merged


def _quantiles(encoded: str | None) -> tuple[int, int]:
    if encoded is None:
        return 0, 0
    histogram = HdrHistogram.decode(encoded)
    return int(histogram.get_value_at_percentile(50)), int(histogram.get_value_at_percentile(99))


def latencies(encoded: str) -> bytes:
    """The bytes of a histogram as runs hold them."""
    return base64.b64decode(encoded)
