"""A run while its file is being read: what is known of it so far."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from plimsoll.importers.latencies import LONGEST_NS, PERCENTILES, encode, recorded
from plimsoll.importers.numbers import number, plain
from plimsoll.importers.tracing import Read
from plimsoll.model import Direction, Finding, Level, RunStatus, Score, Unit
from plimsoll.stats.histogram import counts_of, release
from plimsoll.units import format_duration

PARTIAL_ERROR_SHARE = 0.001
"""With more failed operations than this a run is partial: its numbers are about another load than the one asked for."""

_MAX_POINTS = 3600
_SHORT = 200
_NO_WORD = re.compile(r"[^a-z0-9]+")

Floats = npt.NDArray[np.float64]
Values = Sequence[float | None] | Floats


@dataclass
class Draft:
    """One run. Every method that takes a number ignores None, so that what a file does not hold stays absent."""

    test: str
    case: str
    parameters: dict[str, Any] = field(default_factory=dict)
    target: str = ""
    """Name that the file itself gives to the place, if any."""
    where: str = "unknown"
    target_facts: dict[str, Any] = field(default_factory=dict)
    target_options: dict[str, str] = field(default_factory=dict)
    """What the file says of the place as options of a target, such as `as` and `cap_iops`."""
    started_ns: int | None = None
    duration_ns: float | None = None
    storage: bool = False
    """Its throughput is that of a disk, so a link limits it."""
    summary: bool = False
    """Its scores are means over several runs that the file does not hold."""
    in_flight: float | None = None
    """Operations that can be outstanding at once, if the file says it."""
    within: set[str] = field(default_factory=set)
    """Kinds of operation whose time is that of other kinds as well."""
    status: RunStatus = RunStatus.OK
    reason: str = ""
    scores: dict[str, Score] = field(default_factory=dict)
    histograms: dict[str, bytes] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    origins: dict[str, Read] = field(default_factory=dict)
    """Where the number of a metric stands, while somebody asks for it."""

    def number(self, metric: str, value: float | None, unit: Unit, direction: Direction) -> None:
        """A score in base units."""
        origin, value = value, number(value, signed=True)
        if value is None:
            return
        metric = slug(metric)
        if isinstance(origin, Read):
            self.origins[metric] = origin
        if isinstance(value, Read):
            value = float(value)
        if value < 0 and unit != "1":
            self.warn("plausible", f"{metric} is below zero in the file ({value:g}); it was left out")
            return
        if unit == "ns":
            # 129.8 µs are 129,800 ns and not 129,800.00000000001: no tool measures less than a ps.
            value = round(value, 3)
        self.scores[metric] = Score(metric=metric, value=value, unit=unit, direction=direction)

    def rate(self, metric: str, per_second: float | None) -> None:
        """Operations per second."""
        self.number(metric, per_second, "1/s", "higher")

    def bandwidth(self, metric: str, bytes_per_second: float | None) -> None:
        """Bytes per second."""
        self.number(metric, bytes_per_second, "B/s", "higher")

    def latency(self, metric: str, latency_ns: float | None) -> None:
        """A latency or another time, ns."""
        self.number(metric, latency_ns, "ns", "lower")

    def value(self, metric: str) -> float | None:
        """A score that was given before."""
        return self.scores[metric].value if metric in self.scores else None

    def histogram(self, kind: str, buckets: Iterable[tuple[float, float]]) -> None:
        """Keep (latency ns, count) of one kind; percentiles that the tool did not give come from it."""
        buckets = list(buckets)
        histogram = recorded(buckets)
        if histogram is None:
            if any(count >= 1 for _, count in buckets):
                self.warn("counts", f"{kind}: that many operations are impossible; its histogram was left out")
            return
        if longer := sum(count for value, count in buckets if value > LONGEST_NS):
            what = f"{longer:,.0f} {kind} operation{' counts' if longer == 1 else 's count'}"
            self.warn("plausible", f"{what} as {format_duration(LONGEST_NS)} in the histogram, which took longer")
        self.histograms[kind] = encode(histogram)
        counts = counts_of(histogram)
        release(histogram)
        for percent, name in PERCENTILES:
            if f"{kind}_{name}" not in self.scores:
                self.latency(f"{kind}_{name}", counts.percentile(percent))

    def series(self, times_ns: Sequence[float] | Floats, columns: Mapping[str, tuple[Unit, Values]]) -> None:
        """Keep a time series: `times_ns` from the start, one column per metric in base units.

        None is unknown, and so is NaN in an array.

        A long series is thinned: neighbours are averaged, of latencies the worst is kept.
        """
        step = -(-len(times_ns) // _MAX_POINTS) or 1
        self.facts["series"] = {
            "time_ns": [float(time) for time in times_ns[::step]],
            "columns": {
                slug(name): {"unit": unit, "values": [_one(values[i : i + step], unit) for i in _starts(values, step)]}
                for name, (unit, values) in columns.items()
                if _known(values)
            },
        }

    def known(self, **facts: Any) -> None:
        """Keep facts; None and empty ones are left out, tables are joined with what is there."""
        for name, fact in facts.items():
            if isinstance(fact, dict) and fact:
                self.facts.setdefault(name, {}).update(fact)
            elif fact not in (None, "", [], {}):
                self.facts[name] = fact

    def warn(self, guard: str, message: str, advice: str = "") -> None:
        """Something in the file that does not fit."""
        if all(finding.message != message for finding in self.findings):
            self.findings.append(Finding(guard=guard, level=Level.WARN, message=message, advice=advice))

    def fail(self, reason: str) -> None:
        """Nothing valid was measured."""
        self.status, self.reason = RunStatus.FAILED, reason

    def partial(self, reason: str) -> None:
        """Only a part was measured, or with errors in it."""
        if self.status is RunStatus.OK:
            self.status, self.reason = RunStatus.PARTIAL, reason

    def errors(self, failed: float | None, total: float | None, what: str) -> None:
        """Failed operations: none done → failed, a share that changes the load → partial, any → a warning."""
        if not failed or failed <= 0:
            return
        told = f"{failed:,.0f} of {total:,.0f} {what} failed" if total else f"{failed:,.0f} {what} failed"
        if total is not None and failed >= total:
            self.fail(told)
        elif total is None or failed / total > PARTIAL_ERROR_SHARE:
            self.partial(told)
        else:
            self.warn("errors", told)


def slug(text: str) -> str:
    """A metric's name from text: lower case, words joined by underscores."""
    return _slug(text) if len(text) < _SHORT else _slug.__wrapped__(text)


@lru_cache(maxsize=4096)
def _slug(text: str) -> str:
    """A long log names the same few things on every line."""
    return _NO_WORD.sub("_", text.lower())[:80].strip("_") or "value"


def _starts(values: Values, step: int) -> range:
    return range(0, len(values), step)


def _known(values: Values) -> bool:
    """Whether anything is known in a column."""
    if isinstance(values, np.ndarray):
        return bool(np.isfinite(values).any())
    return any(value is not None for value in values)


def _one(values: Values, unit: Unit) -> float | None:
    if isinstance(values, np.ndarray):
        values = values[np.isfinite(values)].tolist()
    known = [read for value in values if (read := plain(value)) is not None]
    if not known:
        return None
    return max(known) if unit == "ns" else sum(known) / len(known)
