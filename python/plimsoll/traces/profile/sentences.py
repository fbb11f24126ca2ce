"""What the load is like, in sentences: the first is the one that changes how all others are read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from plimsoll.traces.profile.load import Load
from plimsoll.units import SECOND, format_duration, format_number, format_share, format_size, format_value

LITTLE = 0.05
"""No cache is worth a word that absorbs less of the bytes read."""
NEARLY_ALL = 0.9
"""The cache to name absorbs so much of what the largest would."""
SHORTEST_S = 1.0
"""A shorter trace has no rate that says anything."""
EVEN = 1.2
"""Up to this peak over mean, what is bought for the mean with a usual headroom of a fifth carries every second."""
BURSTY = 3.0
"""From this peak over mean on, what is bought for the mean makes I/Os wait for seconds: a volume stores one."""


def answer(load: Load) -> list[str]:
    """From what matters most."""
    return [*_hidden(load), _rate(load), *_peak(load), *_depth(load), *_cache(load)]


def _hidden(load: Load) -> Iterator[str]:
    if load.hidden is not None:
        yield (
            f"Demand is hidden: in {format_share(load.hidden.share)} of the time the device was saturated "
            f"({load.hidden.by}); all rates are what it did, a lower bound of what was asked of it."
        )


def _rate(load: Load) -> str:
    kinds = f"{format_share(load.read_share)} reads, {format_size(load.mean_bytes)} on average"
    span = format_duration(round(load.span_s * SECOND))
    if load.per_s is None or load.span_s < SHORTEST_S:
        return f"{load.series.name}: {load.operations:,} I/Os within {span} ({kinds}); too short a time to tell a rate."
    moved = float(load.series.bytes.sum()) / load.span_s
    return (
        f"{load.series.name} did {format_number(load.per_s)} I/Os and {format_value(moved, 'B/s')} on average "
        f"over {span} ({kinds})."
    )


def _peak(load: Load) -> Iterator[str]:
    bursts = load.bursts()
    if not bursts:
        return
    worst = bursts[0]
    busiest = f"{format_number(worst.per_s)} I/Os in the busiest second, {format_number(worst.times)} times the mean"
    if worst.times >= BURSTY:
        yield f"It comes in bursts: {busiest}."
    elif worst.times > EVEN:
        yield f"It varies from second to second: {busiest}."
    else:
        yield f"It is even from second to second: {busiest}."


def _depth(load: Load) -> Iterator[str]:
    if not load.timed:
        yield "The trace lacks latencies, so depth, think times and whether the device was saturated are unknown."
        return
    mean, _, _, highest = load.found["depth"]
    yield f"An I/O found {format_number(mean)} in flight on average, itself included, and {highest:,} at most."
    if load.hidden is None:
        yield "No stretch shows a saturated device: a rate held at a raised latency."


def _cache(load: Load) -> Iterator[str]:
    sizes: list[dict[str, Any]] = load.found["absorbed"]
    if not sizes:
        return
    most = sizes[-1]["share"]
    if most < LITTLE:
        yield f"Additional cache would absorb hardly anything: {format_share(most)} of the bytes read, at any size."
        return
    best = next(each for each in sizes if each["share"] >= NEARLY_ALL * most)
    error = f" (± {format_share(best['error'])})" if best["error"] else ""
    yield (
        f"{format_size(best['bytes'])} of additional cache would absorb {format_share(best['share'])}{error} of the "
        "bytes read; what the page cache answered is not in a trace."
    )
