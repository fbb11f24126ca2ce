"""The rate of one run over time: from its own intervals, or from the series that an imported file held."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter
from typing import Any, TypeGuard

from plimsoll.metrics import DATA_KINDS
from plimsoll.model import Interval, Run, Unit
from plimsoll.stats.steady import Regime, classify, of_slices
from plimsoll.units import SECOND

MOSTLY = 0.9
"""Share of points with a value without which the shape of an imported series is not judged."""
LARGEST = 1e18


@dataclass(frozen=True)
class Series:
    """The rates of one run (`1/s` or `B/s`), the start of each interval in s, and the shape found in them."""

    run: Run
    times_s: tuple[float, ...]
    rates: tuple[float, ...]
    regime: Regime


def series_of(run: Run, unit: Unit) -> Series | None:
    """The rates of a run, from its intervals or from what an imported file told; None without any."""
    if not run.intervals:
        return _told(run, unit)
    measured = [interval for interval in run.intervals if interval.duration_ns > 0]
    if len(measured) < 2:
        return None
    counts = _counts(measured, unit)
    rates = tuple(count * SECOND / duration_ns for duration_ns, count in counts)
    times = tuple(interval.start_ns / SECOND for interval in measured)
    found = whole_rates(counts)
    regime = of_slices(rates, found.interval_s) if run.in_slices else found.regime(unit)
    return Series(run, times, rates, regime)


@dataclass(frozen=True)
class Rates:
    """The rates per second of the whole intervals of a run: what is looked at wherever levels are looked for.

    The last interval is as short as the run left it, or longer by the end of what was in flight: it is none of them.
    """

    values: tuple[float, ...]
    interval_s: float
    measured_s: float
    """Of all intervals."""

    @property
    def mean(self) -> float:
        """0 without any."""
        return sum(self.values) / max(1, len(self.values))

    def regime(self, unit: Unit = "1/s") -> Regime:
        """What the one detector of levels says of them; there must be some."""
        return classify(self.values, self.interval_s, unit, self.measured_s)


def whole_intervals(intervals: Sequence[Interval]) -> list[Interval]:
    """Without those that are shorter or longer than the first, as the last one mostly is."""
    measured = [each for each in intervals if each.duration_ns > 0]
    return [each for each in measured if _is_whole(each.duration_ns, measured[0].duration_ns)]


def _is_whole(duration_ns: int, usual_ns: int) -> bool:
    return 0.9 * usual_ns < duration_ns < 1.1 * usual_ns


def rates_of(intervals: Sequence[Interval], unit: Unit) -> Rates:
    """Of the data operations or bytes of a run's intervals."""
    return whole_rates(_counts(intervals, unit))


def _counts(intervals: Sequence[Interval], unit: Unit) -> list[tuple[int, int]]:
    """Duration in ns, and data operations or bytes, of each interval."""
    of = attrgetter("bytes" if unit == "B/s" else "operations")
    return [
        (each.duration_ns, sum([of(done) for kind, done in each.operations.items() if kind in DATA_KINDS]))
        for each in intervals
    ]


def whole_rates(counts: Sequence[tuple[int, int]]) -> Rates:
    """From the duration in ns and what was counted in each interval."""
    measured = [(duration_ns, count) for duration_ns, count in counts if duration_ns > 0]
    usual_ns = measured[0][0] if measured else 0
    values = (count * SECOND / duration_ns for duration_ns, count in measured if _is_whole(duration_ns, usual_ns))
    total_ns = sum(duration_ns for duration_ns, _ in measured)
    # Intervals vary by microseconds; a run of less than a millisecond has one that rounds to nothing.
    return Rates(tuple(values), round(usual_ns / SECOND, 3) or usual_ns / SECOND, total_ns / SECOND)


def _told(run: Run, unit: Unit) -> Series | None:
    """The series that a file held. Points without a value are left out; with many of them no shape is looked for."""
    times, columns = imported_series(run.facts)
    rates = [column for name, (of, column) in columns.items() if of == unit]
    kinds = [column for name, (of, column) in columns.items() if of == unit and name.split("_")[0] in DATA_KINDS]
    if not rates:
        return None
    # Rates of reads and writes add up; of other columns the first is the rate of the whole.
    sums = [_sum(row) for row in zip(*(kinds or rates[:1]), strict=True)]
    points = [(time / SECOND, rate) for time, rate in zip(times, sums, strict=True) if rate is not None]
    if len(points) < 2:
        return None
    steps = sorted(later - earlier for (earlier, _), (later, _) in pairwise(points))
    length = steps[len(steps) // 2]
    if steps[0] < 0 or length <= 0:
        return None
    values = tuple(rate for _, rate in points)
    even = steps[-1] <= 2 * length and len(points) >= len(sums) * MOSTLY
    regime = classify(values if even else values[:1], length, unit)
    return Series(run, tuple(time for time, _ in points), values, regime)


def imported_series(facts: Mapping[str, Any]) -> tuple[list[float], dict[str, tuple[str, list[float | None]]]]:
    """Times (ns) and columns (unit and values) of an imported time series; empty where it is not what it should be."""
    series = facts.get("series")
    times = series.get("time_ns") if isinstance(series, Mapping) else None
    columns = series.get("columns") if isinstance(series, Mapping) else None
    if not _numbers(times) or not isinstance(columns, Mapping):
        return [], {}
    found: dict[str, tuple[str, list[float | None]]] = {}
    for name, column in columns.items():
        values = column.get("values") if isinstance(column, Mapping) else None
        if isinstance(column, Mapping) and _numbers(values, gaps=True) and len(values) == len(times):
            found[str(name)] = (str(column.get("unit")), list(values))
    return list(times), found


def _numbers(values: Any, *, gaps: bool = False) -> TypeGuard[list[float]]:
    return isinstance(values, list) and all(
        (gaps and value is None)
        or (isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < LARGEST)
        for value in values
    )


def _sum(row: Sequence[float | None]) -> float | None:
    known = [value for value in row if value is not None]
    return sum(known) if known else None
