"""sysbench 0.4 to 1.1: database, file I/O, CPU and memory tests, also inside other logs with prefixes on each line."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from plimsoll.errors import UsageError
from plimsoll.importers.draft import Draft
from plimsoll.importers.quantities import divided, duration_ns, number, scaled, size_unit, whole
from plimsoll.importers.record import build
from plimsoll.importers.source import Imported, Options, Source
from plimsoll.model import Unit
from plimsoll.units import MIB, MILLISECOND, SECOND, parse_size

NAME = "sysbench"
TITLE = "sysbench output"
TOOLS = ("sysbench",)

_VERSION = re.compile(r"\bsysbench (\d+\.\d[\w.+-]{0,40})")
_NUMBER = r"([\d.]{1,30})"
_FIELDS = {
    "transactions": re.compile(rf"\btransactions:\s+(\d{{1,15}})\s+\({_NUMBER} per sec"),
    "queries": re.compile(rf"\b(?:queries|read/write requests):\s+(\d{{1,15}})\s+\({_NUMBER} per sec"),
    "errors": re.compile(rf"\bignored errors:\s+(\d{{1,15}})\s+\({_NUMBER} per sec"),
    "deadlocks": re.compile(rf"\bdeadlocks:\s+(\d{{1,15}})\s+\({_NUMBER} per sec"),
    "events": re.compile(r"\btotal number of events:\s+(\d{1,15})()"),
}
_TOTAL_TIME = re.compile(r"\b(?:total time|time elapsed):\s+([\d.]{1,20})s")
_EPS = re.compile(rf"\bevents(?:/s \(eps\)| per second):\s+{_NUMBER}")
_THREADS = re.compile(r"\bNumber of threads: (\d{1,6})\b")
_TARGET_RATE = re.compile(r"\bTarget transaction rate: (\d{1,9})/sec")
_LATENCY = re.compile(r"\b(min|avg|max):\s+([\d.]{1,20})\s*(ms|s|us)?\s*$")
_SUM = re.compile(r"^\s*sum:\s+([\d.]{1,20})\s*$", re.MULTILINE)
_PERCENTILE = re.compile(r"\b(\d{1,3}(?:\.\d{1,3})?)(?:th|st|nd|rd)? percentile:\s+([\d.]{1,20})\s*(ms|s|us)?\s*$")
_FILE_RATE = re.compile(r"\b(reads|writes|fsyncs)/s:\s+([\d.]{1,20})")
_FILE_BYTES = re.compile(r"\b(read|written), (MiB|KiB|GiB|MB)/s:\s+([\d.]{1,20})")
_OLD_FILE = re.compile(r"\bTotal transferred [^(]{1,40}\(([\d.]{1,20})([KMG])b/sec\)")
_OLD_REQUESTS = re.compile(r"\b([\d.]{1,20}) Requests/sec executed")
_MEMORY = re.compile(r"\(([\d.]{1,20}) (MiB|MB|Mb)/sec\)")
_MEMORY_RATE = re.compile(
    r"\bTotal operations: \d{1,15} \(\s*([\d.]{1,20}) per second\)"
    r"|\bOperations performed: \d{1,15} \(\s*([\d.]{1,20}) ops/sec\)"
)
_INTERVAL = re.compile(r"\[\s*(\d{1,9})s\s*\] (.{1,400})")
_INTERVAL_RATE = re.compile(r"\b(tps|eps|qps): ([\d.]{1,20})")
_INTERVAL_LATENCY = re.compile(
    r"(?:lat(?:ency)? \(ms,\s*([\d.]{1,6})%\)|response time): ([\d.]{1,20})(?:ms \(([\d.]{1,6})%\))?"
)
_FILE_SETTINGS = {
    "block_size": re.compile(r"\bBlock size ([\d.]{1,9}\s*[KMG]i?b)", re.IGNORECASE),
    "total_size": re.compile(r"\b([\d.]{1,9}\s*[KMG]i?B) total file size", re.IGNORECASE),
    "mode": re.compile(r"\bDoing (.{1,60}?) test\b"),
    "io": re.compile(r"\bUsing (\w{1,20}) I/O mode"),
    "fsync_every": re.compile(r"\bcalling fsync\(\) each (\d{1,9}) requests"),
}
_KINDS = {
    "fileio": ("File operations:", "Requests/sec executed", "Block size"),
    "cpu": ("CPU speed:", "Prime numbers limit"),
    "memory": ("MiB transferred", "memory speed test", "Memory operations type", "Memory transfer size"),
    "oltp": ("SQL statistics:", "OLTP test statistics:", " tps: "),
}
_MARKS = (b"Running the test with following options", b"OLTP test statistics:", b"SQL statistics:", b"File operations:")
_INTERVAL_MARK = re.compile(rb"\[\s*\d{1,9}s\s*\] (?:thds|threads): \d")
_STEMS = {"oltp": "transaction", "fileio": "operation", "cpu": "event", "memory": "operation", "other": "event"}


def recognise(head: bytes, name: str) -> bool:
    """Its headings, or the interval lines."""
    del name
    return any(mark in head for mark in _MARKS) or _INTERVAL_MARK.search(head) is not None


def read(source: Source, options: Options) -> Imported:
    """One run per test in the file."""
    drafts = (draft for lines in _parts(source.lines) if (draft := _draft(lines)) is not None)
    return build(sys.modules[__name__], source, options, drafts)


def _parts(lines: Sequence[str]) -> Iterator[list[str]]:
    """A test begins with the version, or with its options where the version is missing."""
    part: list[str] = []
    seen = False
    for line in lines:
        begins = _VERSION.search(line) is not None or ("Running the test with following options" in line and seen)
        if begins and part:
            yield part
            part, seen = [], False
        seen = seen or "Running the test with following options" in line
        part.append(line)
    yield part


def _draft(lines: Sequence[str]) -> Draft | None:
    text = "\n".join(lines)
    kind = next((name for name, marks in _KINDS.items() if any(mark in text for mark in marks)), "other")
    stem = _STEMS[kind]
    draft = Draft(
        test="sysbench", case=f"sysbench {kind}", parameters=_parameters(text, kind), storage=kind == "fileio"
    )
    draft.in_flight = number(draft.parameters.get("threads"))
    counts: dict[str, float] = {}
    for name, pattern in _FIELDS.items():
        if match := pattern.search(text):
            counts[name] = number(match[1]) or 0.0
            if name in ("transactions", "queries"):
                draft.rate({"transactions": "transaction_rate", "queries": "query_rate"}[name], number(match[2]))
    total = _TOTAL_TIME.search(text)
    draft.duration_ns = scaled(total[1], SECOND) if total else None
    _rates(draft, text, kind)
    _latencies(draft, lines, stem)
    if kind == "fileio" and (sum_ms := _SUM.search(text)) and counts.get("events"):
        # The mean is told with two decimals of a millisecond, which is little of a request to memory or flash.
        draft.latency("operation_mean", (scaled(sum_ms[1], MILLISECOND) or 0.0) / counts["events"])
    _series(draft, lines, kind)
    if not draft.scores:
        return None
    if not total:
        draft.partial("the summary of sysbench is missing; only what was seen while it ran is known")
    _errors(draft, counts)
    version = _VERSION.search(text)
    draft.known(tool_version=version[1] if version else "", operations=counts)
    _agree(draft, counts, stem)
    return draft


def _parameters(text: str, kind: str) -> dict[str, Any]:
    found: dict[str, Any] = {"test": kind}
    if match := _THREADS.search(text):
        found["threads"] = int(match[1])
    if match := _TARGET_RATE.search(text):
        found["target_rate"] = int(match[1])
    if kind == "fileio":
        for name, pattern in _FILE_SETTINGS.items():
            if match := pattern.search(text):
                found[name] = _size(match[1]) if name.endswith("_size") else whole(match[1]) or match[1].strip()
    return found


def _size(text: str) -> int | str:
    """sysbench's Kb and KiB are both 1024."""
    try:
        return parse_size(re.sub(r"(?i)i?b$", "", text.replace(" ", "")))
    except UsageError:
        return text


def _rates(draft: Draft, text: str, kind: str) -> None:
    for match in _FILE_RATE.finditer(text):
        metric = {"reads": "read_iops", "writes": "write_iops", "fsyncs": "sync_rate"}[match[1]]
        draft.rate(metric, number(match[2]))
    for match in _FILE_BYTES.finditer(text):
        metric = {"read": "read_throughput", "written": "write_throughput"}[match[1]]
        draft.bandwidth(metric, scaled(match[3], size_unit(match[2]) or 1))
    for total in ("iops", "throughput"):
        parts = [value for kind_of in ("read", "write") if (value := draft.value(f"{kind_of}_{total}")) is not None]
        if parts:
            (draft.rate if total == "iops" else draft.bandwidth)(total, sum(parts))
    if requests := _OLD_REQUESTS.search(text):
        draft.rate("iops", number(requests[1]))
    if moved := _OLD_FILE.search(text):
        # 0.4 and 0.5 write Mb/sec and mean MiB.
        draft.bandwidth("throughput", scaled(moved[1], {"K": 1024, "M": MIB, "G": 1024 * MIB}[moved[2]]))
    # The memory test divides by 2^20 in all versions, whether it writes MB, Mb or MiB.
    if kind == "memory" and (memory := _MEMORY.search(text)):
        draft.bandwidth("throughput", scaled(memory[1], MIB))
        if rate := _MEMORY_RATE.search(text):
            draft.rate("operation_rate", number(rate[1] or rate[2]))
    elif events := _EPS.search(text):
        draft.rate("event_rate", number(events[1]))


def _latencies(draft: Draft, lines: Sequence[str], stem: str) -> None:
    """min, avg, max and the one percentile that was asked for; ms where no unit stands behind the number."""
    for line in lines:
        if match := _LATENCY.search(line):
            value = duration_ns(f"{match[2]}{match[3] or 'ms'}")
            if match[1] != "min" and value:
                draft.latency(f"{stem}_{'mean' if match[1] == 'avg' else 'max'}", value)
        elif match := _PERCENTILE.search(line):
            value = duration_ns(f"{match[2]}{match[3] or 'ms'}")
            if value:
                draft.latency(f"{stem}_p{match[1].replace('.', '')}", value)


def _series(draft: Draft, lines: Sequence[str], kind: str) -> None:
    """The interval lines; a test without summary gets their mean."""
    times: list[float] = []
    rates: list[float | None] = []
    tails: list[float | None] = []
    percent = ""
    name = {"oltp": "transaction_rate"}.get(kind, "event_rate")
    for line in lines:
        match = _INTERVAL.search(line)
        if match is None:
            continue
        found = {part[1]: number(part[2]) for part in _INTERVAL_RATE.finditer(match[2])}
        tail = _INTERVAL_LATENCY.search(match[2])
        times.append(float(match[1]) * SECOND)
        rates.append(found.get("tps", found.get("eps")))
        tails.append(scaled(tail[2], MILLISECOND) if tail else None)
        percent = (tail[1] or tail[3] or percent) if tail else percent
    if not times:
        return
    columns: dict[str, tuple[Unit, Sequence[float | None]]] = {name: ("1/s", rates)}
    columns[f"{_STEMS[kind]}_p{(percent or '0').replace('.', '')}"] = ("ns", tails)
    draft.series(times, columns)
    known = [rate for rate in rates if rate is not None]
    if known and name not in draft.scores and kind != "fileio":
        draft.rate(name, sum(known) / len(known))


def _errors(draft: Draft, counts: dict[str, float]) -> None:
    done = counts.get("transactions") or counts.get("events")
    failed = counts.get("errors", 0.0) + counts.get("deadlocks", 0.0)
    draft.errors(failed, done + failed if done is not None else None, "transactions")


def _agree(draft: Draft, counts: dict[str, float], stem: str) -> None:
    stated, events = (
        draft.value("transaction_rate") or draft.value("event_rate"),
        counts.get("transactions") or counts.get("events"),
    )
    made = divided(events, (draft.duration_ns or 0) / SECOND)
    if stated and made and abs(stated - made) > max(stated, made) * 0.02 and stem != "operation":
        draft.warn(
            "rates", f"{events:,.0f} events in the total time are {made:,.1f}/s, but the file says {stated:,.1f}/s"
        )
