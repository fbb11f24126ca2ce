"""What is asked of a volume: stretches of time with so many reads and writes, spread evenly over each.

Sums over a period do not say where in it the I/Os came. So a series becomes two loads: one in which they came evenly,
and one in which they came as close together as they can have come. The truth lies between them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plimsoll.catalog.limits import Limits, Rate
from plimsoll.catalog.shape import VolumeShape
from plimsoll.errors import UsageError
from plimsoll.traces.series import Floats, Series, whole
from plimsoll.units import KIB, SECOND, exact_number, format_duration, format_number, format_size

Whole = NDArray[np.int64]

SECTOR = 512
LARGEST = 1024 * KIB
"""What Linux asks of a device at once, at most, with the usual settings; larger means are of several I/Os."""
BURST_S = 1.0
"""A volume stores a second of its rate, so that it matters little where in a second I/Os come."""
FEWEST_OPERATIONS = 1


@dataclass(frozen=True)
class Demand:
    """Stretches one after the other, repeated for ever. Arrays are equally long; sizes are of one I/O."""

    words: str
    """As people say it."""
    durations_ns: Whole
    reads: Whole
    writes: Whole
    read_bytes: Whole
    write_bytes: Whole
    sequential: bool
    depth: int | None
    """The most I/Os that were in flight, as a mean over a period; None where nobody counted that."""

    @property
    def operations(self) -> int:
        """Of one turn."""
        return int(self.reads.sum() + self.writes.sum())

    @property
    def duration_s(self) -> float:
        """Of one turn."""
        return float(self.durations_ns.sum()) / SECOND

    @property
    def rate(self) -> float:
        """Mean IOPS."""
        return self.operations / self.duration_s

    @property
    def largest_bytes(self) -> int:
        """The largest I/O."""
        return int(max(self.read_bytes.max(), self.write_bytes.max()))

    @cached_property
    def seconds(self) -> Floats:
        """Lengths of the stretches."""
        return self.durations_ns / SECOND

    def scaled(self, factor: float) -> Demand:
        """The same with so many times the I/Os."""
        if factor == 1:
            return self
        reads, writes = (np.asarray(each * factor, dtype=np.float64) for each in (self.reads, self.writes))
        return replace(self, reads=whole(reads), writes=whole(writes))

    def columns(self) -> Mapping[str, Any]:
        """The columns of a `Schedule` of the volume crate."""
        names = ("durations_ns", "reads", "writes", "read_bytes", "write_bytes")
        return {name: getattr(self, name).tolist() for name in names}


def even(series: Series, *, sequential: bool = False) -> Demand:
    """The I/Os of each period spread evenly over it. Raises UsageError for a series without any."""
    seen = series.observed
    asked = _asked(series)
    reads, writes = (whole(each[seen]) for each in asked)
    if reads.sum() + writes.sum() < FEWEST_OPERATIONS:
        raise UsageError(f"{series.name}: no I/O in {series.span}; any volume that holds the data would do")
    count = len(reads)
    durations = np.full(count, round(series.period_s * SECOND), dtype=np.int64)
    depth = series.depth
    if depth is not None:
        # One large I/O in flight is several of those that it becomes.
        depth = depth * np.maximum(1.0, sum(asked) / np.maximum(1.0, series.operations))
    return Demand(
        f"{series.name}, {series.span}",
        durations,
        reads,
        writes,
        _sizes(series.read_bytes[seen], reads),
        _sizes(series.write_bytes[seen], writes),
        sequential,
        None if depth is None else max(1, int(np.ceil(depth.max()))),
    )


def _asked(series: Series) -> tuple[Floats, Floats]:
    """Reads and writes of each period, as many as it takes to move their bytes."""
    return _enough(series.reads, series.read_bytes), _enough(series.writes, series.write_bytes)


def _enough(counts: Floats, sums: Floats) -> Floats:
    # Half an I/O more than so many of the largest is a whole one: rounded off, its bytes would be lost.
    return np.where(sums > counts * LARGEST, np.ceil(sums / LARGEST), counts)


def cut(series: Series) -> str | None:
    """What is to be said where I/Os are taken as several; None where none is."""
    more = float(sum(each.sum() for each in _asked(series)) - series.operations.sum())
    if round(more) < 1:
        return None
    largest = format_size(LARGEST)
    return (
        f"I/Os larger than {largest} on average are taken as several of {largest}, as a device gets them: "
        f"{format_number(round(more))} more than were counted"
    )


def _sizes(sums: Floats, counts: Whole) -> Whole:
    """The mean size of an I/O of each period, in sectors; the mean of all where a period has none."""
    mean = sums.sum() / max(1, counts.sum())
    each = np.where(counts > 0, sums / np.maximum(counts, 1), mean)
    return np.clip(np.ceil(each / SECTOR).astype(np.int64) * SECTOR, SECTOR, LARGEST)


def bursts(demand: Demand, fastest: VolumeShape | None) -> tuple[Demand, Demand]:
    """The I/Os of each period at its end or its start, in turns, so that two periods' meet; and the other way round.

    They come within a second, or as fast as the device that they were counted on can have done them.
    """
    length = np.minimum(_shortest(demand, fastest), demand.durations_ns)
    return _alternating(demand, length, 0), _alternating(demand, length, 1)


def _shortest(demand: Demand, fastest: VolumeShape | None) -> Whole:
    """Nanoseconds in which the I/Os of each period can have been done."""
    seconds = np.full(len(demand.reads), BURST_S)
    if fastest is not None:
        operations = (demand.reads + demand.writes).astype(float)
        size = (demand.reads * demand.read_bytes + demand.writes * demand.write_bytes).astype(float)
        for limits in (fastest.limits, fastest.instance_limits):
            seconds = np.maximum(seconds, _time(limits, "iops", operations))
            seconds = np.maximum(seconds, _time(limits, "throughput", size))
    return np.asarray(np.ceil(seconds * SECOND), dtype=np.int64)


def _time(limits: Limits, what: str, amount: Floats) -> Floats:
    rate: Rate | None = getattr(limits, what)
    # A second of the rate is stored, and comes on top of it.
    return np.zeros(len(amount)) if rate is None else amount / rate.rate - rate.depth_s


def _alternating(demand: Demand, length: Whole, first: int) -> Demand:
    """Each period as a pause and a burst: burst last, burst first, burst last, …"""
    late = (np.arange(len(length)) + first) % 2 == 0
    rest = demand.durations_ns - length
    durations = np.empty(2 * len(length), dtype=np.int64)
    durations[0::2], durations[1::2] = np.where(late, rest, length), np.where(late, length, rest)
    busy = np.empty(2 * len(length), dtype=bool)
    busy[0::2], busy[1::2] = ~late, late
    made: dict[str, Whole] = {"durations_ns": durations}
    for name in ("reads", "writes", "read_bytes", "write_bytes"):
        made[name] = np.repeat(getattr(demand, name), 2)
        if name in ("reads", "writes"):
            made[name] = np.where(busy, made[name], 0)
    kept = durations > 0
    columns = {name: values[kept] for name, values in made.items()}
    return Demand(demand.words, **columns, sequential=demand.sequential, depth=demand.depth)


def period_words(series: Series) -> str:
    """`5 min`, `10 s`: the length of a period."""
    if series.period_s < 120:
        return f"{exact_number(round(series.period_s, 3))} s"
    return format_duration(round(series.period_s) * SECOND)
