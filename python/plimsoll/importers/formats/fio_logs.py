"""fio's log files: bandwidth, IOPS, latencies and latency histograms over time, of one job or several side by side."""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from plimsoll.errors import ResultFileError
from plimsoll.importers.draft import Draft
from plimsoll.importers.latencies import counted
from plimsoll.importers.numbers import UnreadableNumber, columns, located
from plimsoll.importers.quantities import divided
from plimsoll.importers.record import build
from plimsoll.importers.source import Imported, Options, Source
from plimsoll.model import Unit
from plimsoll.units import KIB, MICROSECOND, MILLISECOND, SECOND

NAME = "fio_logs"
TITLE = "fio log files"
TOOLS = ("fio",)

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

Rows = npt.NDArray[np.float64]


@dataclass
class _Log:
    """One log of one kind of I/O in one file: times and values; a size of 0 marks averaged rows."""

    what: str
    rows: Rows
    averaged: bool
    columns: int


@dataclass
class _Logs:
    """All logs of one measurement by kind of I/O."""

    plain: dict[str, list[_Log]] = field(default_factory=lambda: defaultdict(list))
    bins: dict[str, dict[float, float]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(float)))
    last_ms: float = 0.0
    binned_ms: float = 0.0
    """Time of the last histogram: fio does not log the last, incomplete one."""
    skipped: int = 0


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


@located
def read(source: Source, options: Options) -> Imported:
    """One run of everything that the logs of one prefix hold."""
    logs = _Logs()
    for file in source.files:
        _collect(logs, file)
    prefix = group(source.name) or source.name
    draft = Draft(test="fio", case=f"fio logs of {prefix}", parameters={"log": prefix}, target=prefix, storage=True)
    for kind, found in logs.plain.items():
        seconds = max(float(log.rows[-1, 0]) for log in found) / 1000
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
    warnings = [f"{source.name}: the last line is cut short and was left out"] if logs.skipped else []
    return build(sys.modules[__name__], source, options, [draft] if draft.scores else [], warnings=warnings)


def _collect(logs: _Logs, file: Source) -> None:
    match = _FILE.fullmatch(file.name)
    what = match[2].lower() if match else ""
    first = next((line for line in file.lines if line.strip()), "")
    if what.endswith("hist") or first.count(",") > 20:
        _histogram(logs, file)
        return
    if not what:
        raise ResultFileError(
            f"{file.name}: the name of a fio log says what it holds; keep names like gp3_bw.1.log or gp3_clat.1.log"
        )
    table = _rows(logs, file)
    for number, kind in enumerate(_KINDS):
        rows = table[table[:, 2] == number] if len(table) else table
        if len(rows):
            averaged = bool((rows[:, 3] == 0).all())
            logs.plain[kind].append(_Log(what, rows, averaged, first.count(",") + 1))
            logs.last_ms = max(logs.last_ms, float(rows[-1, 0]))


def _rows(logs: _Logs, file: Source) -> Rows:
    """Time ms, value, direction, size of every line."""
    rows = []
    marks = columns(file.lines, ",")
    for index, line in enumerate(file.lines):
        if not line.strip():
            continue
        if not _LINE.fullmatch(line.encode()):
            _refuse(logs, file, index, line)
            continue
        if line.count(",") != marks:
            # A number with commas in it looks like one more column.
            _refuse(logs, file, index, line)
            continue
        rows.append([float(part) for part in line.split(",")[:4]])
    return np.array(rows, dtype=np.float64).reshape(len(rows), 4)


def _refuse(logs: _Logs, file: Source, index: int, line: str) -> None:
    """A mean or a sum without one of its rows is another number: only a last line that was cut short is left out."""
    if index + 1 < len(file.lines):
        raise UnreadableNumber(line.strip(), "is no line of a fio log", line)
    logs.skipped += 1


def _histogram(logs: _Logs, file: Source) -> None:
    """Lines hold the counts since the line before, so they are added."""
    for index, line in enumerate(file.lines):
        if not line.strip():
            continue
        parts = [part.strip() for part in line.rstrip().rstrip(",").split(",")]
        known = _BINS.get(len(parts) - 3)
        if known is None or not all(part.isascii() and part.isdigit() and len(part) < 16 for part in parts):
            _refuse(logs, file, index, line)
            continue
        if int(parts[1]) >= len(_KINDS):
            _refuse(logs, file, index, line)
            continue
        unit, coarse = known
        logs.binned_ms = max(logs.binned_ms, float(parts[0]))
        counts = logs.bins[_KINDS[int(parts[1])]]
        for index, count in enumerate(parts[3:]):
            if count != "0":
                counts[_middle(index, coarse) * unit] += float(count)


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
            moved = sum(float(log.rows[:, 3].sum()) for log in single)
            amount = moved if what == "bw" else float(sum(len(log.rows) for log in single))
            rate = divided(amount, seconds)
        else:
            rate = sum(float(log.rows[:, 1].mean()) for log in parts) * (KIB if what == "bw" else 1)
        (draft.bandwidth if what == "bw" else draft.rate)(metric, rate)
        return
    if what == "clat" and draft.value(f"{kind}_mean") is not None:
        return
    name = kind if what != "slat" else f"{kind}_slat"
    unit = _unit(draft, parts)
    draft.latency(f"{name}_mean", float(np.concatenate([log.rows[:, 1] for log in parts]).mean()) * unit)
    if len(single) == len(parts):
        values = np.concatenate([log.rows[:, 1] for log in parts]) * unit
        draft.latency(f"{name}_max", float(values.max()))
        if name == kind:
            draft.histogram(kind, counted(values))
    else:
        draft.known(averaged=True)
    draft.known(latency={kind: what})


def _unit(draft: Draft, parts: Sequence[_Log]) -> int:
    """ns in a unit of the log: rows of five and more fields are from fio 3; four may be from either."""
    typical = float(np.median(np.concatenate([log.rows[:, 1] for log in parts])))
    if 0 < typical < _TOO_SHORT_NS:
        draft.warn("units", "the latencies were read as µs, because no disk answers in so few ns", _UNIT_ADVICE)
        return MICROSECOND
    if max(log.columns for log in parts) == 4:
        draft.warn("units", "a log does not name its unit; the latencies were read as ns", _UNIT_ADVICE)
    return 1


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


def _series(logs: _Logs) -> tuple[list[float], dict[str, tuple[Unit, Sequence[float | None]]]]:
    """One whole second per point, rates added over jobs."""
    length = min(int(logs.last_ms // 1000), 1_000_000)
    columns: dict[str, tuple[Unit, Sequence[float | None]]] = {}
    for kind, found in logs.plain.items():
        for what, unit in (("bw", "B/s"), ("iops", "1/s")):
            parts = [log for log in found if log.what == what]
            if parts:
                metric = "throughput" if what == "bw" else "iops"
                columns[f"{kind}_{metric}"] = (unit, list(_per_second(parts, length, what)))  # type: ignore[assignment]
    return [float(second * SECOND) for second in range(length)], columns


def _per_second(parts: Sequence[_Log], length: int, what: str) -> Iterator[float | None]:
    total, seen = np.zeros(length), np.zeros(length, dtype=bool)
    for log in parts:
        # A row of an averaging log stands at the end of its time.
        second = np.maximum((log.rows[:, 0] - 1) // 1000, 0).astype(np.int64)
        rows, second = log.rows[second < length], second[second < length]
        counts = np.bincount(second, minlength=length)
        if log.averaged:
            sums = np.bincount(second, weights=rows[:, 1] * (KIB if what == "bw" else 1), minlength=length)
            total += np.divide(sums, counts, out=np.zeros(length), where=counts > 0)
        else:
            total += np.bincount(second, weights=rows[:, 3] if what == "bw" else None, minlength=length)
        seen |= counts > 0
    for value, known in zip(total.tolist(), seen.tolist(), strict=True):
        yield value if known else None
