"""What counters know of a device: sums of reads, writes and bytes, period by period.

Readers hand over columns as they found them: counters that only grow, rates per second, or sums. Here they become one
grid of periods of one length. What was done to fit them (gaps, counters that began again, clocks that went back) is
kept as sentences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from plimsoll.errors import UsageError
from plimsoll.units import SECOND, format_duration, format_number, format_share

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

NEEDED = ("reads", "writes", "read_bytes", "write_bytes")
"""Without one of these, no limit can be compared with the load."""
KNOWN = (*NEEDED, "waited_s")
"""`waited_s` is the sum of the latencies of all I/Os, in seconds."""
MOST_PERIODS = 4_000_000
"""A year of periods of ten seconds; more are refused, so that a wrong time cannot fill the memory."""
WRAPS = 2.0**32
"""Counters of old kernels begin again here."""
WAITED = 0.99
"""Latencies of a smaller share of the time would be taken for those of all of it."""
ALMOST = 0.9
"""A counter above this share of `WRAPS` that then falls has wrapped; one that falls from less was reset."""


SAME_PERIOD = 0.01
"""Lengths of periods that differ by a smaller share are the same: clocks of monitoring drift."""


@dataclass(frozen=True)
class Column:
    """One metric of one device as it was found. `times` are the ends of periods, in seconds since 1970."""

    kind: Literal["counter", "rate", "sum"]
    times: Sequence[float]
    values: Sequence[float]


@dataclass(frozen=True)
class Found:
    """What a reader found of one device."""

    name: str
    columns: Mapping[str, Column]
    period_s: float | None = None
    """None: the most common distance of its times."""
    zone: str = ""
    """`UTC`, `+0200`; empty where the file does not say it, and its times are taken as they stand."""
    dated: bool = True
    """Whether times count from 1970."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Series:
    """A device, period by period. Arrays have one value per period: sums over it; 0 where it was not observed."""

    name: str
    source: str
    """`Prometheus`, `iostat`: who counted."""
    start_s: float
    """When the first period began."""
    zone: str
    dated: bool
    period_s: float
    reads: Floats
    writes: Floats
    read_bytes: Floats
    write_bytes: Floats
    waited_s: Floats | None
    """Sum of the latencies of its I/Os; None where nobody counted that."""
    observed: Flags
    notes: tuple[str, ...] = ()
    device_bytes: int | None = None
    """How large the device is, where that is known."""
    of_trace: bool = False
    """Whether these are the sums of a trace, which knows more of each I/O."""

    @property
    def periods(self) -> int:
        """Periods from the first to the last, with those that were not observed."""
        return len(self.reads)

    @property
    def observed_s(self) -> float:
        """Time that was observed."""
        return float(self.observed.sum()) * self.period_s

    @property
    def operations(self) -> Floats:
        """Reads and writes."""
        return self.reads + self.writes

    @property
    def bytes(self) -> Floats:
        """Of both."""
        return self.read_bytes + self.write_bytes

    @property
    def depth(self) -> Floats | None:
        """Mean I/Os in flight, by period."""
        return None if self.waited_s is None else self.waited_s / self.period_s

    @property
    def span(self) -> str:
        """`24 h from 2026-11-26 18:00 UTC in periods of 5 min`."""
        length = format_duration(round(self.periods * self.period_s) * SECOND)
        every = format_duration(round(self.period_s * SECOND))
        since = f" from {self.when(0)}" if self.dated else ""
        return f"{length}{since} in periods of {every}"

    def when(self, period: int) -> str:
        """When a period began, in the zone of the file: `2026-11-26 18:00 UTC`."""
        seconds = self.start_s + period * self.period_s
        if not self.dated:
            return f"{format_duration(round(seconds) * SECOND)} after the start"
        zone = f" {self.zone}" if self.zone else ""
        return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M}{zone}"

    @property
    def unobserved_hours(self) -> tuple[int, ...]:
        """Hours of the day of which nothing was observed; empty where times have no date."""
        if not self.dated:
            return ()
        starts = self.start_s + np.flatnonzero(self.observed) * self.period_s
        seen = {int(each) % 24 for each in np.unique(starts // 3600)}
        seen |= {int(each) % 24 for each in np.unique((starts + self.period_s - 1e-6) // 3600)}
        return tuple(hour for hour in range(24) if hour not in seen)


def build(found: Found, source: str, given_s: float | None = None) -> Series:
    """One grid of all columns; raises UsageError for what is missing.

    `given_s` is how long periods are where neither the file nor the distance of its times says it.
    """
    if missing := [name for name in NEEDED if name not in found.columns]:
        raise UsageError(
            f"{found.name}: no {', '.join(missing)} in the file; reads, writes and the bytes of both are needed"
        )
    notes = list(found.notes)
    rows = {name: _sums(name, column, notes) for name, column in found.columns.items() if name in KNOWN}
    period_s = found.period_s or _period([row.steps_s for row in rows.values()], found.name, given_s)
    first = min(float(row.ends[0]) for row in rows.values()) - period_s
    count = round((max(float(row.ends[-1]) for row in rows.values()) - first) / period_s)
    if not 1 <= count <= MOST_PERIODS:
        raise UsageError(
            f"{found.name}: its times span {format_number(count)} periods of "
            f"{format_duration(round(period_s * SECOND))}; at most {MOST_PERIODS:,} can be read: look "
            "for a wrong time, or cut the file"
        )
    grid: dict[str, Floats] = {}
    observed = np.ones(count, dtype=bool)
    seen: dict[str, Flags] = {}
    for name, row in rows.items():
        grid[name], seen[name] = _laid(row, first, period_s, count)
        if name in NEEDED:
            observed &= seen[name]
    if not observed.any():
        raise UsageError(f"{found.name}: no period in which reads, writes and the bytes of both were all observed")
    if "waited_s" in grid and (share := float(seen["waited_s"][observed].mean())) < WAITED:
        del grid["waited_s"]
        notes.append(f"latencies are known of {format_share(share)} of the time only, and were left out")
    _tell_gaps(observed, period_s, notes)
    if found.dated and not found.zone:
        notes.append("its times name no zone: hours of the day are those of the file")
    kept = {name: np.where(observed, values, 0.0) for name, values in grid.items()}
    return Series(
        found.name,
        source,
        first,
        found.zone,
        found.dated,
        period_s,
        kept["reads"],
        kept["writes"],
        kept["read_bytes"],
        kept["write_bytes"],
        kept.get("waited_s"),
        observed,
        tuple(dict.fromkeys(notes)),
    )


@dataclass(frozen=True)
class _Row:
    """A column in order."""

    ends: Floats
    values: Floats
    """Sums up to each end, or rates per second."""
    spans_s: Floats | None
    """Time that each sum is over; None: one period."""
    is_rate: bool
    steps_s: Floats
    """Distances of the times that were found."""


def _sums(name: str, column: Column, notes: list[str]) -> _Row:
    times, values = _in_order(name, column, notes)
    finite = np.isfinite(values) & np.isfinite(times) & (values >= 0)
    if not finite.all():
        notes.append(
            f"{name}: values that are no numbers from 0 on: {format_number(int((~finite).sum()))}; they were left out"
        )
        times, values = times[finite], values[finite]
    least = 2 if column.kind == "counter" else 1
    if len(times) < least:
        what = "two samples of a counter" if least == 2 else "one value"
        raise UsageError(f"{name}: at least {what} are needed; a single scrape says nothing about a rate")
    if column.kind != "counter":
        return _Row(times, values, None, column.kind == "rate", np.diff(times))
    changes = np.diff(values)
    wrapped = (changes < 0) & (values[:-1] < WRAPS) & (values[:-1] > ALMOST * WRAPS)
    changes[wrapped] += WRAPS
    reset = changes < 0
    if wrapped.any():
        notes.append(f"{name}: the counter wrapped at 2^32 {_times(int(wrapped.sum()))}, which was undone")
    if reset.any():
        notes.append(
            f"{name}: the counter began again {_times(int(reset.sum()))} (a reboot?); those periods were left out"
        )
    if reset.all():
        raise UsageError(f"{name}: the counter began again at every sample; is it a rate? Then say so with --rate")
    steps = np.diff(times)
    return _Row(times[1:][~reset], changes[~reset], steps[~reset], is_rate=False, steps_s=steps)


def _in_order(name: str, column: Column, notes: list[str]) -> tuple[Floats, Floats]:
    times, values = np.asarray(column.times, dtype=float), np.asarray(column.values, dtype=float)
    if len(times) > 1 and (np.diff(times) < 0).any():
        order = np.argsort(times, kind="stable")
        times, values = times[order], values[order]
    again = np.zeros(len(times), dtype=bool)
    again[:-1] = np.diff(times) <= 0
    if again.any():
        notes.append(
            f"{name}: moments with several values: {format_number(int(again.sum()))}; the last of each was used"
        )
    return times[~again], values[~again]


def _period(distances: Sequence[Floats], name: str, given_s: float | None) -> float:
    """The most common distance of times."""
    steps = np.concatenate(list(distances))
    if not len(steps) and given_s:
        return given_s
    if not len(steps):
        raise UsageError(f"{name}: a single time says nothing about the length of a period; give --period 60s")
    found = float(np.quantile(np.round(steps, 3), 0.5, method="lower"))
    if found <= 0:
        raise UsageError(f"{name}: its times do not move on; give --period 60s")
    return found


def _laid(row: _Row, first: float, period_s: float, count: int) -> tuple[Floats, Flags]:
    """Sums by period, and which were seen. What spans several periods is spread evenly over them."""
    grid, seen = np.zeros(count), np.zeros(count, dtype=bool)
    places = np.clip(np.round((row.ends - first) / period_s).astype(int) - 1, 0, count - 1)
    sums = row.values * period_s if row.is_rate else row.values
    spans = np.ones(len(sums), dtype=int)
    if row.spans_s is not None:
        spans = np.maximum(1, np.round(row.spans_s / period_s).astype(int))
    for i in np.flatnonzero(spans > 1):
        low = max(0, places[i] - spans[i] + 1)
        grid[low : places[i] + 1] += sums[i] / spans[i]
        seen[low : places[i] + 1] = True
    single = spans == 1
    np.add.at(grid, places[single], sums[single])
    seen[places[single]] = True
    if row.is_rate:
        # Each rate holds for its own part of a period that has several.
        grid /= np.maximum(1, np.bincount(places, minlength=count))
    return grid, seen


def in_periods_of(series: Series, period_s: float) -> Series:
    """The same in longer periods; at least half of each has to be observed, and stands for the whole of it.

    Raises UsageError for periods that are no multiple of the series' own.
    """
    many, own = round(period_s / series.period_s), format_duration(round(series.period_s * SECOND))
    asked = format_duration(round(period_s * SECOND))
    if abs(many * series.period_s - period_s) > SAME_PERIOD * period_s:
        raise UsageError(
            f"--period {asked}: {series.name} has periods of {own}; give a multiple of it, or leave it out"
        )
    if many == 1:
        return series
    seen = _by_groups(series.observed.astype(float), many)
    observed = 2 * seen >= many
    if not observed.any():
        raise UsageError(f"--period {asked}: not half of any such period was observed; leave it out")
    scale = np.where(observed, many / np.maximum(1.0, seen), 0.0)
    left_out = float(seen[~observed].sum()) * series.period_s
    note = f"{format_duration(round(left_out * SECOND))} were left out: less than half of a period of {asked}"
    return replace(
        series,
        period_s=many * series.period_s,
        reads=_by_groups(series.reads, many) * scale,
        writes=_by_groups(series.writes, many) * scale,
        read_bytes=_by_groups(series.read_bytes, many) * scale,
        write_bytes=_by_groups(series.write_bytes, many) * scale,
        waited_s=None if series.waited_s is None else _by_groups(series.waited_s, many) * scale,
        observed=observed,
        notes=(*series.notes, note) if left_out else series.notes,
    )


def _by_groups(values: Floats, many: int) -> Floats:
    """Sums of so many values each; the last group may have fewer."""
    return np.add.reduceat(values, np.arange(0, len(values), many))


def _tell_gaps(observed: Flags, period_s: float, notes: list[str]) -> None:
    missing = int((~observed).sum())
    if not missing:
        return
    starts = int((np.diff(observed.astype(int)) == -1).sum() + (not observed[0]))
    length = format_duration(round(missing * period_s) * SECOND)
    gaps = "a gap" if starts == 1 else f"{starts} gaps"
    notes.append(f"{length} were not observed ({gaps}); the load in them is not known and was left out")


def _times(count: int) -> str:
    return "once" if count == 1 else "twice" if count == 2 else f"{count:,} times"


def whole(values: Floats) -> NDArray[np.int64]:
    """Whole numbers with the same sum up to any point, within one: what is rounded off goes into the next period."""
    running = np.floor(np.cumsum(values) + 0.5)
    return np.diff(running, prepend=0.0).astype(np.int64)
