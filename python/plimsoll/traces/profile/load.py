"""What one pass over a trace found of one device, and what follows from its seconds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from plimsoll.errors import UsageError
from plimsoll.importers.streams import Watch
from plimsoll.traces.advice.hidden import Hidden, on_plateau
from plimsoll.traces.seconds import TIMED, of_device, series_of, told
from plimsoll.traces.series import Floats, Series
from plimsoll.units import GIB

WINDOWS_S = (1, 10, 60, 3600)


@dataclass(frozen=True)
class Burst:
    """The busiest stretch of a length."""

    window_s: int
    per_s: float
    bytes_per_s: float
    start_s: int
    times: float
    """Its I/Os over those of a mean stretch."""


@dataclass(frozen=True)
class Load:
    """The load of one device."""

    series: Series
    """By second."""
    span_s: float
    """From the trace's start to its end."""
    found: dict[str, Any]
    """As `crates/logs/src/trace/profile/device.rs` sums it up."""
    processes: tuple[str, ...]
    hidden: Hidden | None

    @property
    def operations(self) -> int:
        """Reads and writes."""
        return int(self.series.operations.sum())

    @property
    def read_share(self) -> float:
        """Of the operations."""
        return float(self.series.reads.sum()) / self.operations

    @property
    def mean_bytes(self) -> float:
        """Of an operation."""
        return float(self.series.bytes.sum()) / self.operations

    @property
    def timed(self) -> bool:
        """Whether latencies are known."""
        return int(self.found["timed"]) >= TIMED * self.operations

    @property
    def least_bytes(self) -> int:
        """What a volume for it holds at least: as much as the device, else all that was used of it, in whole GiB."""
        return -(-(self.series.device_bytes or int(self.found["extent"])) // GIB) * GIB

    @property
    def per_s(self) -> float | None:
        """The mean rate; None for a trace without length."""
        return self.operations / self.span_s if self.span_s > 0 else None

    def bursts(self) -> list[Burst]:
        """The busiest stretch of each length that the trace has; they begin at whole multiples of it."""
        return [self._burst(window) for window in WINDOWS_S if self.span_s >= window]

    def _burst(self, window: int) -> Burst:
        counts, sizes = _summed(self.series.operations, window), _summed(self.series.bytes, window)
        at = int(counts.argmax())
        rate = float(counts[at]) / window
        return Burst(
            window, rate, float(sizes.max()) / window, at * window, rate * self.span_s / max(1, self.operations)
        )

    def hours(self) -> list[tuple[int, float]]:
        """Mean rate by hour of the day, in UTC, of those that were observed; none where the clock is not known."""
        if not self.series.dated:
            return []
        seconds = np.arange(self.series.periods) + int(self.series.start_s)
        hour = (seconds // 3600) % 24
        counts = np.bincount(hour, weights=self.series.operations, minlength=24)
        observed = np.bincount(hour, minlength=24)
        return [(each, float(counts[each] / observed[each])) for each in range(24) if observed[each]]


def _summed(values: Floats, window: int) -> Floats:
    parts = -(-len(values) // window)
    padded = np.zeros(parts * window)
    padded[: len(values)] = values
    return np.asarray(padded.reshape(parts, window).sum(axis=1))


def look(path: Path, device: str | None = None, form: str | None = None, watch: Watch | None = None) -> Load:
    """Reads all of a trace. Raises TraceError for what is no trace, UsageError where it has several devices."""
    found = told(path, device, form, watch)
    if found.has_samples:
        raise UsageError(f"{path} holds counters, and no I/Os: observe again with the right to trace")
    place = of_device(found, device)
    series = series_of(found, place)
    return Load(series, found.span_s, found.devices[place], tuple(found.header["processes"]), on_plateau(series))
