"""fio's log files: bandwidth, IOPS, latencies and latency histograms over time, of one job or several side by side.

They are read in pieces by the core: an hour of rows per I/O is gigabytes.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from plimsoll.errors import ResultFileError
from plimsoll.importers.core import column, read_log
from plimsoll.importers.draft import Draft, Floats, Values
from plimsoll.importers.quantities import divided
from plimsoll.importers.record import build
from plimsoll.importers.source import Imported, Options, Source
from plimsoll.model import Unit
from plimsoll.units import KIB, MICROSECOND, MILLISECOND, SECOND

NAME = "fio_logs"
TITLE = "fio log files"
TOOLS = ("fio",)
STREAMS = True
"""A file of any size is read."""

_FILE = re.compile(
    r"(.*?)_(bw|iops|lat|clat|slat|clat_hist|lat_hist|slat_hist|hist)(?:\.\d+)?\.log(?:\.fz)?", re.IGNORECASE
)
_LINE = re.compile(rb"\s*\d{1,12},\s*\d{1,19},\s*[0-2],\s*\d{1,12}(?:,\s*(?:0x)?[0-9a-fA-F]{1,19}){0,3}\s*")
_HISTOGRAM = re.compile(rb"\s*\d{1,12},\s*[0-2],\s*\d{1,12},(?:\s*\d{1,12},){20,}\s*\d{1,12},?\s*")
_KINDS = ("read", "write", "trim")
_BINS = {1856 >> coarse: (1, coarse) for coarse in range(6)} | {
    1216 >> coarse: (MICROSECOND, coarse) for coarse in range(6)
}
"""Bins in a line → (ns per unit, coarseness): 29 × 64 bins in ns are fio 3, 19 × 64 in µs are fio 2."""

_TOO_SHORT_NS = 1_000
"""No disk answers in less: a log whose typical latency is below is in µs."""

_UNIT_ADVICE = "fio 3 writes ns, fio 2 writes µs; import fio's JSON output instead, which names its unit"
_MOST_MARKS = 20
"""More commas are in a line of bins."""

_LONGEST_S = 1_000_000
"""Seconds of a series, as in the core."""

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class _Log:
    """One kind of I/O of one file, in the unit of the file."""

    what: str
    columns: int
    averaged: bool
    rows: int
    sum: int
    size: int
    max: int
    last_ms: int
    counts: Counts
    """Lowest value of a bucket, and its count."""
    counts_us: Counts
    """The same of the values in the thousandth part of their unit."""

    @property
    def mean(self) -> float:
        """Mean of the rows."""
        return self.sum / self.rows


@dataclass
class _Series:
    """A rate by second, added over files."""

    total: Floats = field(default_factory=lambda: np.zeros(0))
    seen: npt.NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=bool))

    def add(self, values: Floats, seen: npt.NDArray[np.bool_]) -> None:
        """One more file."""
        length = max(len(values), len(self.total))
        self.total = _padded(self.total, length) + _padded(values, length)
        self.seen = _padded(self.seen, length) | _padded(seen, length)

    def values(self, length: int) -> Floats:
        """The first seconds; NaN where nothing is known."""
        total, seen = _padded(self.total, length)[:length], _padded(self.seen, length)[:length]
        return np.where(seen, total, np.nan)


@dataclass
class _Logs:
    """All logs of one measurement by kind of I/O."""

    plain: dict[str, list[_Log]] = field(default_factory=lambda: defaultdict(list))
    series: dict[tuple[str, str], _Series] = field(default_factory=lambda: defaultdict(_Series))
    bins: dict[str, dict[float, float]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(float)))
    last_ms: float = 0.0
    binned_ms: float = 0.0
    """Time of the last histogram: fio does not log the last, incomplete one."""
    cut: int = 0


def group(name: str) -> str | None:
    """Logs of one prefix belong together, whatever they log and of whichever job."""
    match = _FILE.fullmatch(name)
    return match[1] if match else name


def recognise(head: bytes, name: str) -> bool:
    """Lines of `time, value, direction, size`, or of time, direction, size and many bins."""
    del name
    lines = [line for line in head.split(b"\n", 6)[:6] if line.strip()]
    whole = lines[:-1] if len(lines) > 1 else lines
    return bool(whole) and all(_LINE.fullmatch(line) or _HISTOGRAM.fullmatch(line) for line in whole)


def read(source: Source, options: Options) -> Imported:
    """One run of everything that the logs of one prefix hold."""
    logs = _Logs()
    for file in source.files:
        _collect(logs, file)
    prefix = group(source.name) or source.name
    draft = Draft(test="fio", case=f"fio logs of {prefix}", parameters={"log": prefix}, target=prefix, storage=True)
    for kind, found in logs.plain.items():
        seconds = max(log.last_ms for log in found) / 1000
        for what in ("bw", "iops", "lat", "clat", "slat"):
            parts = [log for log in found if log.what == what]
            if parts:
                _score(draft, kind, what, parts, seconds)
    if logs.plain:
        draft.series(*_series(logs))
    for kind, bins in logs.bins.items():
        draft.histogram(kind, bins.items())
        operations = sum(bins.values())
        if f"{kind}_iops" not in draft.scores:
            draft.rate(f"{kind}_iops", divided(operations, logs.binned_ms / 1000))
        draft.known(operations={kind: operations})
    _totals(draft)
    draft.duration_ns = max(logs.last_ms, logs.binned_ms) * MILLISECOND or None
    warnings = [f"{source.name}: the last line is cut short and was left out"] if logs.cut else []
    return build(sys.modules[__name__], source, options, [draft] if draft.scores else [], warnings=warnings)


def _collect(logs: _Logs, file: Source) -> None:
    match = _FILE.fullmatch(file.name)
    what = match[2].lower() if match else ""
    first = next((line for line in file.head.split(b"\n") if line.strip()), b"")
    if what.endswith("hist") or first.count(b",") > _MOST_MARKS:
        _bins(logs, read_log("fio_bins", file))
        return
    if not what:
        raise ResultFileError(
            f"{file.name}: the name of a fio log says what it holds; keep names like gp3_bw.1.log or gp3_clat.1.log"
        )
    answer = read_log("fio", file)
    logs.cut += answer["cut"]
    for kind, flow in zip(_KINDS, answer["flows"], strict=True):
        if flow is None:
            continue
        log = _log(what, first.count(b",") + 1, flow)
        logs.plain[kind].append(log)
        logs.last_ms = max(logs.last_ms, float(log.last_ms))
        if what in ("bw", "iops"):
            logs.series[kind, what].add(*_rates(flow, what))


def _log(what: str, columns: int, flow: Mapping[str, Any]) -> _Log:
    plain: dict[str, Any] = {name: flow[name] for name in ("averaged", "rows", "sum", "size", "max", "last_ms")}
    for name in ("counts", "counts_us"):
        plain[name] = np.array(flow[name], dtype=np.int64).reshape(-1, 2)
    return _Log(what=what, columns=columns, **plain)


def _rates(flow: Mapping[str, Any], what: str) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Bytes or operations of each second; a mean where the rows are means."""
    rows = column(flow["second_rows"])
    if flow["averaged"]:
        sums = column(flow["second_value"]) * float(KIB if what == "bw" else 1)
        return np.divide(sums, rows, out=np.zeros(len(rows)), where=rows > 0), rows > 0
    return (column(flow["second_size"]) if what == "bw" else rows).astype(np.float64), rows > 0


def _padded(values: npt.NDArray[Any], length: int) -> npt.NDArray[Any]:
    return np.pad(values, (0, max(length - len(values), 0)))


def _bins(logs: _Logs, answer: Mapping[str, Any]) -> None:
    """Lines hold the counts since the line before, so they are added."""
    logs.cut += answer["cut"]
    logs.binned_ms = max(logs.binned_ms, float(answer["last_ms"]))
    for kind, bins, index, count in answer["bins"]:
        unit, coarse = _BINS[bins]
        logs.bins[_KINDS[kind]][_middle(index, coarse) * unit] += count


def _edge(index: int) -> float:
    """Lower end of bin `index` in fio's own numbering: 64 bins per power of two, the first 128 are exact."""
    if index < 128:
        return float(index)
    shift = (index >> 6) - 1
    return float((1 << (shift + 6)) + (index % 64) * (1 << shift))


def _middle(index: int, coarse: int) -> float:
    """Middle of bin `index` where 2^coarse of fio's bins were written as one."""
    low, high = _edge(index << coarse), _edge((index + 1) << coarse)
    return low if high - low <= 1 else (low + high) / 2


def _score(draft: Draft, kind: str, what: str, parts: Sequence[_Log], seconds: float) -> None:
    single = [log for log in parts if not log.averaged]
    if what in ("bw", "iops"):
        metric = f"{kind}_throughput" if what == "bw" else f"{kind}_iops"
        if single:
            # Rows of single I/Os count how many there were and how large, which is exact.
            amount = sum(log.size if what == "bw" else log.rows for log in single)
            rate = divided(float(amount), seconds)
        else:
            rate = sum(log.mean for log in parts) * (KIB if what == "bw" else 1)
        (draft.bandwidth if what == "bw" else draft.rate)(metric, rate)
        return
    if what == "clat" and draft.value(f"{kind}_mean") is not None:
        return
    name = kind if what != "slat" else f"{kind}_slat"
    unit = _unit(draft, parts)
    draft.latency(f"{name}_mean", sum(log.sum for log in parts) / sum(log.rows for log in parts) * unit)
    if len(single) == len(parts):
        draft.latency(f"{name}_max", float(max(log.max for log in parts) * unit))
        if name == kind:
            pairs = np.concatenate([log.counts_us if unit == MICROSECOND else log.counts for log in parts])
            draft.histogram(kind, pairs.tolist())
    else:
        draft.known(averaged=True)
    draft.known(latency={kind: what})


def _unit(draft: Draft, parts: Sequence[_Log]) -> int:
    """ns in a unit of the log: rows of five and more fields are from fio 3; four may be from either."""
    if 0 < _median(np.concatenate([log.counts for log in parts])) < _TOO_SHORT_NS:
        draft.warn("units", "the latencies were read as µs, because no disk answers in so few ns", _UNIT_ADVICE)
        return MICROSECOND
    if max(log.columns for log in parts) == 4:
        draft.warn("units", "a log does not name its unit; the latencies were read as ns", _UNIT_ADVICE)
    return 1


def _median(pairs: Counts) -> float:
    """The median of counted values; exact below 2,048."""
    pairs = pairs[np.argsort(pairs[:, 0], kind="stable")]
    until = np.cumsum(pairs[:, 1])
    middle = [np.searchsorted(until, rank, side="right") for rank in ((until[-1] - 1) // 2, until[-1] // 2)]
    return float(pairs[middle, 0].mean())


def _totals(draft: Draft) -> None:
    """iops and throughput of all kinds, as in our own runs; of one kind alone they replace its own."""
    for total in ("iops", "throughput"):
        parts = [f"{kind}_{total}" for kind in _KINDS if f"{kind}_{total}" in draft.scores]
        if parts:
            score = draft.scores[parts[0]]
            value = sum(draft.scores[part].value for part in parts)
            draft.number(total, value, score.unit, score.direction)
        if len(parts) == 1:
            del draft.scores[parts[0]]


def _series(logs: _Logs) -> tuple[Floats, dict[str, tuple[Unit, Values]]]:
    """One whole second per point, rates added over jobs."""
    length = min(int(logs.last_ms // 1000), _LONGEST_S)
    columns: dict[str, tuple[Unit, Values]] = {}
    for (kind, what), series in logs.series.items():
        name, unit = ("throughput", "B/s") if what == "bw" else ("iops", "1/s")
        columns[f"{kind}_{name}"] = (unit, series.values(length))  # type: ignore[assignment]
    return np.arange(length, dtype=np.float64) * SECOND, columns
