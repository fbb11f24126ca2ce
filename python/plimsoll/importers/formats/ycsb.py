"""YCSB's output of all generations: lines, JSON exporter, status lines, bucket rows, with whatever stands between."""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from plimsoll.errors import ResultFileError
from plimsoll.importers.checks import above
from plimsoll.importers.draft import Draft, slug
from plimsoll.importers.json_text import Damage, documents, text_of
from plimsoll.importers.numbers import FIELD, LARGEST, UnreadableNumber, figure, located, number, on_line, plain, scaled
from plimsoll.importers.quantities import divided
from plimsoll.importers.record import build
from plimsoll.importers.source import Imported, Options, Source
from plimsoll.model import RunStatus, Unit
from plimsoll.units import MICROSECOND, MILLISECOND, SECOND

NAME = "ycsb"
TITLE = "YCSB output"
TOOLS = ("ycsb",)

_LINE = re.compile(r"\[([A-Za-z][\w %./-]{0,80})\],[ \t]{0,20}([^,\n]{1,80}),[ \t]*+([^\n]{0,100})")
_STATUS = re.compile(rf"(?:^|\s){FIELD} sec: {FIELD} operations;(?: {FIELD} current ops/sec;)?")
_STATUS_LENGTH = 80
_STATUS_PART = re.compile(r"\[([A-Z][\w-]{0,60}): Count=[^\]]{0,300}")
_STATUS_P99 = re.compile(rf"[, ]99={FIELD}")
_CLOCK = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)[:,]\d{3} \d+ sec: ")
_COMMAND = re.compile(r"(?:^Command line: |\bcom\.yahoo\.ycsb\.Client |\bsite\.ycsb\.Client )(.{0,4000})", re.MULTILINE)
_PERCENTILE = re.compile(r"(\d{1,2}(?:\.\d{1,4})?)(?:st|nd|rd|th)?PercentileLatency\((us|ms)\)")
_LATENCY = re.compile(r"(Average|Min|Max)Latency\((us|ms)\)")
_ROW = re.compile(r"(?:[^A-Za-z>].*|inf|nan|)", re.IGNORECASE)
"""What stands in place of a name where a row of a histogram has its latency; percentiles begin with digits as well."""

_UNITS = {"us": MICROSECOND, "ms": MILLISECOND}
_NOT_TRAFFIC = {"CLEANUP", "OVERALL"}
_FINE = ("OK", "BATCHED_OK", "0", "NOT_FOUND")
"""Return codes that are no error: 0 is OK of versions before 0.2, and a key that is not there may be asked for."""

_HIDDEN = re.compile(r"pass|secret|token|user|key|url|hosts|uri", re.IGNORECASE)
_MARKS = (b"[OVERALL], RunTime(ms)", b"YCSB Client", b" current ops/sec", b'"OVERALL"')

Numbers = dict[str, dict[str, float]]


@dataclass
class _Part:
    """One YCSB run of a file: its numbers by operation and name, and the status lines before them."""

    numbers: Numbers = field(default_factory=lambda: defaultdict(dict))
    averages: set[str] = field(default_factory=set)
    """Operations whose rows are mean latencies by time (measurementtype=timeseries), and no counts by latency."""
    status: list[str] = field(default_factory=list)
    command: str = ""
    lines: list[str] = field(default_factory=list)


def recognise(head: bytes, name: str) -> bool:
    """Lines or objects with OVERALL, or status lines."""
    del name
    return any(mark in head for mark in _MARKS[:3]) or (_MARKS[3] in head and b'"measurement"' in head)


@located
def read(source: Source, options: Options) -> Imported:
    """One run per summary. Operations are added; percentiles never are."""
    parts = _json_parts(source) if '"measurement"' in source.text else _parts(source.lines)
    return build(sys.modules[__name__], source, options, map(_draft, parts))


def _parts(lines: Sequence[str]) -> Iterator[_Part]:
    part = _Part()
    for line in lines:
        measured = _LINE.search(line) if "], " in line else None
        status = measured is None and " operations;" in line and " sec: " in line
        command = None if measured or status else _COMMAND.search(line)
        # Where there is a summary, these are the first lines of the next run.
        runtime = measured is not None and measured[1] == "OVERALL" and measured[2].strip() == "RunTime(ms)"
        if "OVERALL" in part.numbers and (runtime or status or command):
            yield part
            part = _Part()
        if measured:
            _add(part, measured, line)
        elif status:
            part.status.append(line)
        elif command:
            part.command = command[1]
    if part.numbers or part.status:
        yield part


def _add(part: _Part, measured: re.Match[str], line: str) -> None:
    """A line of the summary."""
    operation, what = measured[1], _named(measured[2], line)
    # NaN is YCSB's own word for the mean of nothing.
    if measured[3].strip() != "NaN":
        part.numbers[operation][what] = figure(measured, 3) or 0.0
        if what.isdigit() and "." in measured[3]:
            part.averages.add(operation)


def _named(what: str, line: str) -> str:
    """The name of a measurement; that of a row is its latency, in plain digits."""
    what = what.strip()[:80]
    if "PercentileLatency" in what or not _ROW.fullmatch(what):
        return what
    with on_line(line):
        latency = number(what)
        if latency is None or latency != int(latency):
            raise UnreadableNumber(what, "is not a whole latency of a row")
        if latency * MICROSECOND >= LARGEST:
            # Two such rows could become one.
            raise UnreadableNumber(what, "is longer than any latency")
    return str(int(latency))


def _status_of(line: str) -> re.Match[str] | None:
    """What a status line begins with; the latencies behind it are long and need no second look."""
    end = line.find(" operations;")
    return _STATUS.search(line, 0, end + _STATUS_LENGTH) if end >= 0 else None


def _json_parts(source: Source) -> Iterator[_Part]:
    """The JSON exporters: one array, or objects one after the other."""
    entries: list[Any] = []
    damage: list[Damage] = []
    for value in documents(source.text, "{[", damage):
        entries += value if isinstance(value, list) else [value]
    if damage:
        raise ResultFileError(f"{source.name}: {damage[0]}; take the complete file as YCSB wrote it")
    part = _Part()
    for entry in entries:
        if not isinstance(entry, dict):
            continue
        kind, what, value = text_of(entry.get("metric")), text_of(entry.get("measurement")), entry.get("value")
        if kind == "OVERALL" and what == "RunTime(ms)" and "OVERALL" in part.numbers:
            yield part
            part = _Part()
        if kind and isinstance(entry.get("measurement"), str) and value not in (None, "NaN"):
            name = _named(what, f'"{what}"')
            part.numbers[kind[:80]][name] = number(value) or 0.0
            # Some exporters write counts as 60.0.
            if name.isdigit() and isinstance(value, float) and not value.is_integer():
                part.averages.add(kind[:80])
    part.status = [line for line in source.lines if _status_of(line)]
    if part.numbers:
        yield part


def _draft(part: _Part) -> Draft:
    parameters = _parameters(part.command)
    workload = re.sub(r".*/", "", str(parameters.get("workload_file", "")))
    phase = str(parameters.get("phase", ""))
    draft = Draft(test="ycsb", case=" ".join(word for word in ("ycsb", phase, workload) if word), parameters=parameters)
    overall = part.numbers.get("OVERALL", {})
    draft.rate("operation_rate", overall.get("Throughput(ops/sec)"))
    draft.duration_ns = scaled(overall.get("RunTime(ms)"), MILLISECOND)
    draft.in_flight = plain(parameters.get("threads"))
    done = failed = 0.0
    for kind, numbers in part.numbers.items():
        if kind in _NOT_TRAFFIC or kind.startswith("TOTAL_GC"):
            continue
        failures = part.numbers.get(f"{kind}-FAILED", {})
        operations, errors = _operation(draft, kind, numbers, failures, rows=kind not in part.averages)
        if kind == "READ-MODIFY-WRITE":
            # One operation, whose two halves are counted as READ and UPDATE.
            operations = -operations
            draft.within.add(slug(kind))
        done += operations
        failed += errors
    draft.errors(failed, done + failed if done or failed else None, "operations")
    _averages(draft, {kind: _rows(part.numbers[kind]) for kind in part.averages})
    _status(draft, part.status)
    if not overall:
        draft.partial("the summary of YCSB is missing; only what was seen while it ran is known")
    _agree(draft, overall, done + failed)
    draft.known(
        garbage_collection={k: v for n in part.numbers if n.startswith("TOTAL_GC") for k, v in part.numbers[n].items()}
    )
    return draft


def _operation(
    draft: Draft, kind: str, numbers: Mapping[str, float], failed_ones: Mapping[str, float], *, rows: bool
) -> tuple[float, float]:
    """Scores of one operation; gives how many were done and how many failed. `rows` are those of a histogram."""
    name = slug(kind)
    operations = numbers.get("Operations")
    if kind.endswith("-FAILED"):
        return 0.0, operations or 0.0
    intended = kind.startswith("Intended-")
    codes = {key.removeprefix("Return="): count for key, count in numbers.items() if key.startswith("Return=")}
    # Newer versions count failed operations apart, as `READ-FAILED`; older ones among all, with another return code.
    apart = failed_ones.get("Operations", 0.0)
    errors = 0.0 if apart else sum(count for code, count in codes.items() if code not in _FINE)
    if codes.get("NOT_FOUND"):
        draft.warn("not_found", f"{codes['NOT_FOUND']:,.0f} of the {kind} operations found nothing")
    counted, known = sum(codes.values()), (operations or 0.0) + apart
    if operations is not None and codes and counted != known:
        draft.warn("counts", f"{kind}: {known:,.0f} operations, but the return codes add up to {counted:,.0f}")
    for key, value in numbers.items():
        _latency(draft, kind, name, key, value)
    if rows:
        _buckets(draft, kind, name, numbers, operations)
    if operations is not None and not intended:
        draft.known(operations={name: operations})
        draft.rate(f"{name}_rate", divided(operations, (draft.duration_ns or 0) / SECOND))
    if intended:
        return 0.0, 0.0
    return max((operations or 0.0) - errors, 0.0), errors


def _latency(draft: Draft, kind: str, name: str, key: str, value: float) -> None:
    if match := _LATENCY.fullmatch(key):
        if match[1] != "Min":
            draft.latency(f"{name}_{'mean' if match[1] == 'Average' else 'max'}", value * _UNITS[match[2]])
    elif "PercentileLatency" in key and not _PERCENTILE.fullmatch(key):
        raise UnreadableNumber(key, "is not a percentile of YCSB")
    elif match := _PERCENTILE.fullmatch(key):
        metric = f"{name}_p{match[1].replace('.', '')}"
        if match[2] == "ms" and value < 1:
            draft.warn(
                "resolution", f"{kind}: the file counts whole milliseconds; {metric} is below one and was left out"
            )
        elif value > 0:
            draft.latency(metric, value * _UNITS[match[2]])


def _rows(numbers: Mapping[str, float]) -> dict[int, float]:
    """What stands in rows whose names are numbers."""
    return {int(key): value for key, value in numbers.items() if key.isascii() and key.isdigit()}


def _averages(draft: Draft, found: Mapping[str, Mapping[int, float]]) -> None:
    """Mean latencies in µs by the ms at which their second began; status lines, if there are any, say more."""
    times = sorted({time for rows in found.values() for time in rows})
    columns: dict[str, tuple[Unit, Sequence[float | None]]] = {
        f"{slug(kind)}_mean": ("ns", [scaled(rows.get(time), MICROSECOND) for time in times])
        for kind, rows in found.items()
    }
    if times:
        draft.series([time * float(MILLISECOND) for time in times], columns)


def _buckets(draft: Draft, kind: str, name: str, numbers: Mapping[str, float], operations: float | None) -> None:
    """Rows of latencies with their counts: whole milliseconds and what was above, or the µs of an HdrHistogram."""
    rows = {latency: count for latency, count in _rows(numbers).items() if count}
    over = sum(count for key, count in numbers.items() if key.startswith(">"))
    if not rows and not over:
        return
    total = sum(rows.values()) + over
    unit = _bucket_unit(numbers)
    above(
        draft,
        max(rows, default=0) * float(unit),
        draft.value(f"{name}_max"),
        f"the largest {kind} latency",
        "its histogram",
    )
    if unit == MICROSECOND:
        draft.histogram(name, [(value * float(MICROSECOND), count) for value, count in rows.items()])
    else:
        kept = {str(value): count for value, count in sorted(rows.items())}
        draft.known(buckets={name: {"width_ns": MILLISECOND, "counts": kept, "over": over}})
    if operations is not None and abs(total - operations) > 0.5:
        draft.warn(
            "counts", f"{kind}: {operations:,.0f} operations, but the rows of the histogram add up to {total:,.0f}"
        )


def _bucket_unit(numbers: Mapping[str, float]) -> int:
    """What the rows count: measurementtype=histogram writes every millisecond from 0 on, and one row for the rest;
    measurement.histogram.verbose of measurementtype=hdrhistogram the µs that were seen."""
    keys = sorted(_rows(numbers))
    every = keys == list(range(len(keys)))
    return MILLISECOND if every or any(key.startswith(">") for key in numbers) else MICROSECOND


def _status(draft: Draft, lines: Sequence[str]) -> None:
    """The time series of the status lines."""
    times: list[float] = []
    rates: list[float | None] = []
    worst: dict[str, list[float | None]] = {}
    operations = 0.0
    for line in lines[:200_000]:
        match = _status_of(line)
        if match is None:
            continue
        times.append(figure(match, 1, SECOND) or 0.0)
        rates.append(figure(match, 3))
        operations = max(operations, figure(match, 2) or 0.0)
        for part in _STATUS_PART.finditer(line):
            tail = _STATUS_P99.search(part[0])
            if part[1] not in _NOT_TRAFFIC and tail and len(worst) < 50:
                column = worst.setdefault(f"{slug(part[1])}_p99", [])
                column += [None] * (len(times) - 1 - len(column)) + [figure(tail, 1, MICROSECOND)]
    if not times:
        return
    columns: dict[str, tuple[Unit, Sequence[float | None]]] = {"operation_rate": ("1/s", rates)}
    columns |= {name: ("ns", [*column, *[None] * (len(times) - len(column))]) for name, column in worst.items()}
    draft.series(times, columns)
    clock = next((found[1] for line in lines if (found := _CLOCK.search(line))), "")
    draft.known(first_status=clock)
    if "operation_rate" not in draft.scores:
        draft.rate("operation_rate", divided(operations, times[-1] / SECOND))
        draft.duration_ns = times[-1]


def _agree(draft: Draft, overall: Mapping[str, float], operations: float) -> None:
    """Operations over run time are the throughput."""
    stated, seconds = overall.get("Throughput(ops/sec)"), (draft.duration_ns or 0) / SECOND
    made = divided(operations, seconds)
    if stated and made and draft.status is not RunStatus.FAILED and abs(stated - made) > max(stated, made) * 0.02:
        draft.warn(
            "rates",
            f"{operations:,.0f} operations in {seconds:,.3f} s are {made:,.1f}/s, but the file says {stated:,.1f}/s",
        )


def _parameters(command: str) -> dict[str, Any]:
    """What the command line says about the load; places, users and passwords are left out."""
    words = command.split(" ")[:400]
    found: dict[str, Any] = {}
    for before, word, value in zip(["", *words], words, [*words[1:], ""], strict=False):
        if word.isdigit() and before[:1].isdigit():
            raise UnreadableNumber(f"{before} {word}", "stands in the command line, where a blank ends a number")
        if word == "-P":
            found["workload_file"] = value.rsplit("/", 1)[-1]
        elif word in ("-threads", "-target"):
            found[word[1:]] = int(value) if value.isascii() and value.isdigit() and len(value) < 10 else value
        elif word == "-db":
            found["db"] = value.rsplit(".", 1)[-1]
        elif word in ("-t", "-load"):
            found["phase"] = {"-t": "run", "-load": "load"}[word]
        elif word == "-p" and "=" in value and not _HIDDEN.search(value.partition("=")[0]):
            key, _, setting = value.partition("=")
            found[key] = setting
    return found
