"""A trace as sums per second, so that it can be advised on like any monitoring."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

from plimsoll.errors import UsageError
from plimsoll.importers.streams import Watch
from plimsoll.traces import core, counters
from plimsoll.traces.demand import cut
from plimsoll.traces.notes import notes
from plimsoll.traces.series import MOST_PERIODS, Column, Found, Series, build
from plimsoll.units import SECOND, format_duration

READ, WRITE = 0, 1
TIMED = 0.99
"""Latencies of so large a share of the I/Os say something of all of them."""


@dataclass(frozen=True)
class Told:
    """What one pass over a trace says."""

    path: Path
    header: dict[str, Any]
    totals: dict[str, Any]
    devices: dict[int, dict[str, Any]]
    """By number, as `crates/logs/src/trace/profile/device.rs` sums them up."""

    @property
    def has_samples(self) -> bool:
        """Whether it holds counters, where there was no right to trace."""
        return bool(self.header.get("content") == "samples")

    @property
    def span_s(self) -> float:
        """From its start to its end, with what was idle then."""
        return float(max(self.totals["recorded_ns"], self.totals["last_arrival_ns"])) / SECOND

    @property
    def notes(self) -> tuple[str, ...]:
        """What the trace says of itself, and what is not in it."""
        return notes(self.header, self.totals)

    def chosen(self, busy: Sequence[int], device: str | None) -> int:
        """The number of the device that is meant, of those that did something; raises UsageError."""
        names = [str(each["name"]) for each in self.header["devices"]]
        if device is not None and device not in names:
            raise UsageError(f"--device {device}: {self.path} has {', '.join(sorted(names)) or 'no device'}")
        found = [place for place in busy if device is None or names[place] == device]
        if len(found) == 1:
            return found[0]
        if not found:
            raise UsageError(f"{self.path}: no reads or writes in it, so there is no load")
        listed = ", ".join(sorted(names[place] for place in found))
        raise UsageError(
            f"{self.path} has several devices ({listed}); say which with --device NAME. Of a RAID or LVM device take "
            "that (md0, dm-0) if one volume shall replace it, else one member"
        )


def told(path: Path, device: str | None = None, form: str | None = None, watch: Watch | None = None) -> Told:
    """Reads all of a trace. Raises TraceError for what is no trace."""
    profiler = core.opened_as(path, form, lambda head, whole, name: core.Profiler(head, whole, name, device))
    try:
        for chunk in core.chunks(path, watch):
            profiler.feed(chunk)
        found = json.loads(profiler.finish())
    except ValueError as error:
        core.refused(path, error)
    devices = {int(place): each for place, each in found["devices"].items()}
    return Told(path, found["header"], found["totals"], devices)


def is_trace(paths: Sequence[Path]) -> bool:
    """Whether this is one trace, and no monitoring."""
    return len(paths) == 1 and paths[0].is_file() and not counters.is_counters(paths[0])


def load(paths: list[Path], options: counters.Options, form: str | None = None) -> Series:
    """Monitoring, or one trace, of which `form` is the format, to be advised on.

    Raises UsageError, TargetError, TraceError.
    """
    if form is not None and not (len(paths) == 1 and paths[0].is_file()):
        raise UsageError(f"--format {form}: is that of one trace, and not of several files")
    traced = form is not None or is_trace(paths)
    series = from_trace(paths[0], options.device, form) if traced else counters.load(paths, options)
    note = cut(series)
    return series if note is None else replace(series, notes=(*series.notes, note))


def from_trace(path: Path, device: str | None = None, form: str | None = None) -> Series:
    """The sums of one device of a trace. Raises TraceError for what is no trace, UsageError where it has several."""
    found = told(path, device, form)
    return _of_samples(found, device) if found.has_samples else series_of(found, of_device(found, device))


def of_device(found: Told, device: str | None) -> int:
    """The number of the device that is meant; raises UsageError."""
    return found.chosen([place for place, each in found.devices.items() if sum(each["reads"] + each["writes"])], device)


def series_of(found: Told, place: int) -> Series:
    """Its seconds, up to the end of the recording: a device that did nothing then was idle."""
    sums, about = found.devices[place], found.header["devices"][place]
    if found.span_s > MOST_PERIODS:
        length = format_duration(round(found.span_s) * SECOND)
        raise UsageError(f"{found.path} says that it took {length}, more than six weeks; look for a wrong time")
    seconds = max(len(sums["reads"]), int(found.span_s))
    columns = {}
    for name in ("reads", "writes", "read_bytes", "write_bytes", "waited_s"):
        counted = sums.pop(name)
        columns[name] = np.zeros(seconds)
        columns[name][: len(counted)] = counted
    waited = columns.pop("waited_s")
    operations = float(columns["reads"].sum() + columns["writes"].sum())
    start_ns = found.header.get("start_unix_ns")
    return Series(
        about["name"],
        f"trace ({found.header['source']})",
        0.0 if start_ns is None else start_ns / SECOND,
        "UTC",
        start_ns is not None,
        1.0,
        **columns,
        waited_s=waited if sums["timed"] >= TIMED * operations else None,
        observed=np.ones(seconds, dtype=bool),
        notes=found.notes,
        device_bytes=about.get("bytes"),
        of_trace=True,
    )


def _of_samples(found: Told, device: str | None) -> Series:
    """Where there was no right to trace: what the device's counters grew by, second by second."""
    samples = _samples(found.path)
    operations: dict[int, float] = defaultdict(float)
    for each in samples:
        operations[each["device"]] += sum(each["grown"]["requests"][:2])
    place = found.chosen([place for place, count in operations.items() if count], device)
    own = [each for each in samples if each["device"] == place]
    start_ns = found.header.get("start_unix_ns")
    # As counters that grow, so that what came in a long interval is spread over it.
    ends = [own[0]["time_ns"] - own[0]["interval_ns"], *(each["time_ns"] for each in own)]
    times = [((start_ns or 0) + each) / SECOND for each in ends]
    columns = {
        name: Column("counter", times, list(accumulate((each["grown"][group][at] for each in own), initial=0)))
        for name, group, at in (
            ("reads", "requests", READ),
            ("writes", "requests", WRITE),
            ("read_bytes", "bytes", READ),
            ("write_bytes", "bytes", WRITE),
        )
    }
    waited_s = (sum(each["grown"]["latency_ns"][:2]) / SECOND for each in own)
    columns["waited_s"] = Column("counter", times, list(accumulate(waited_s, initial=0.0)))
    about = found.header["devices"][place]
    one = Found(about["name"], columns, 1.0, "UTC", start_ns is not None, found.notes)
    return replace(build(one, f"counters ({found.header['source']})"), device_bytes=about.get("bytes"))


def _samples(path: Path) -> list[dict[str, Any]]:
    reader = core.opened(path)
    samples: list[dict[str, Any]] = []
    try:
        for chunk in core.chunks(path):
            reader.feed(chunk)
            samples += json.loads(reader.samples())
        reader.finish()
        samples += json.loads(reader.samples())
    except ValueError as error:
        core.refused(path, error)
    return samples
