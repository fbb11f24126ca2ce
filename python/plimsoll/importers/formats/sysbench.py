"""sysbench 0.4 to 1.1: database, file I/O, CPU and memory tests, also inside other logs with prefixes on each line."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from plimsoll.importers.checks import rates_agree
from plimsoll.importers.draft import Draft
from plimsoll.importers.numbers import FIELD, UnreadableNumber, at, count, figure, located, number, scaled, whole
from plimsoll.importers.quantities import divided, size_unit, time_in
from plimsoll.importers.record import build
from plimsoll.importers.sought import Sought
from plimsoll.importers.source import Imported, Options, Source
from plimsoll.model import Unit
from plimsoll.units import MIB, MILLISECOND, SECOND

NAME = "sysbench"
TITLE = "sysbench output"
TOOLS = ("sysbench",)

_VERSION = Sought(r"\bsysbench (\d+\.\d[\w.+-]{0,40})", "sysbench ")
_FIELDS = {
    "transactions": Sought(rf"\btransactions:[ \t]++{FIELD}[ \t]*+\({FIELD} per sec", "transactions:"),
    "queries": Sought(
        rf"\b(?:queries|read/write requests):[ \t]++{FIELD}[ \t]*+\({FIELD} per sec", "queries:", "requests:"
    ),
    "errors": Sought(rf"\bignored errors:[ \t]++{FIELD}[ \t]*+\({FIELD} per sec", "ignored errors:"),
    "deadlocks": Sought(rf"\bdeadlocks:[ \t]++{FIELD}[ \t]*+\({FIELD} per sec", "deadlocks:"),
    "events": Sought(rf"\btotal number of events:[ \t]++{FIELD}()", "total number of events:"),
}
_TOTAL_TIME = Sought(rf"\b(?:total time|time elapsed):[ \t]++{FIELD}", "total time:", "time elapsed:")
_EPS = Sought(rf"\bevents(?:/s \(eps\)| per second):[ \t]++{FIELD}", "events/s (eps):", "events per second:")
_THREADS = Sought(rf"\bNumber of threads: {FIELD}", "Number of threads: ")
_TARGET_RATE = Sought(rf"\bTarget transaction rate: {FIELD}/sec", "Target transaction rate: ")
_LATENCY = Sought(rf"\b(min|avg|max):[ \t]++{FIELD}\s*+$", "min:", "avg:", "max:")
_SUM = Sought(rf"^[ \t]*+sum:[ \t]++{FIELD}[ \t]*+$", "sum:")
_PERCENTILE = Sought(rf"(?:^|\s){FIELD} percentile:[ \t]++{FIELD}\s*+$", " percentile:")
_FILE_RATE = Sought(rf"\b(reads|writes|fsyncs)/s:[ \t]++{FIELD}", "reads/s:", "writes/s:", "fsyncs/s:")
_FILE_BYTES = Sought(rf"\b(read|written), (MiB|KiB|GiB|MB)/s:[ \t]++{FIELD}", "read, ", "written, ")
_OLD_FILE = Sought(r"\bTotal transferred [^(\n]{1,60}\(([^)\n]{0,60}?)([KMG])b/sec\)", "Total transferred ")
_OLD_REQUESTS = Sought(rf"^[ \t]*{FIELD} Requests/sec executed", " Requests/sec executed")
_MEMORY = Sought(rf"\({FIELD} (MiB|MB|Mb)/sec\)", "/sec)")
_MEMORY_RATE = Sought(
    rf"\bTotal operations: [^(\n]{{0,60}}\([ \t]{{0,20}}{FIELD} per second\)"
    rf"|\bOperations performed: [^(\n]{{0,60}}\([ \t]{{0,20}}{FIELD} ops/sec\)",
    *("Total operations: ", "Operations performed: "),
)
_INTERVAL = Sought(rf"\[\s*+{FIELD}\s*+\] (?=(?:thds|threads|reads):)(.{{1,400}})", "] thds:", "] threads:", "] reads:")
_INTERVAL_RATE = re.compile(rf"\b(tps|eps|qps): {FIELD}")
_INTERVAL_LATENCY = re.compile(rf"(?:lat(?:ency)? \(ms,\s*{FIELD}\)|response time): {FIELD}(?: \({FIELD}\))?")
_FILE_SETTINGS = {
    "block_size": Sought(rf"(?i)\bBlock size ({FIELD}(?: [KMG]?i?B)?)", "block size ", anyhow=True),
    "total_size": Sought(rf"(?i)^[ \t]*({FIELD}(?: [KMG]?i?B)?) total file size", " total file size", anyhow=True),
    "mode": Sought(r"\bDoing (.{1,60}?) test\b", "Doing "),
    "io": Sought(r"\bUsing (\w{1,20}) I/O mode", " I/O mode"),
    "fsync_every": Sought(rf"\bcalling fsync\(\) each {FIELD} requests", "calling fsync() each "),
}
_LETTERS = {"": 1, "B": 1, "K": 1024, "M": MIB, "G": 1024 * MIB}
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


@located
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
    draft.in_flight = draft.parameters.get("threads")
    counts: dict[str, float] = {}
    for name, pattern in _FIELDS.items():
        if match := pattern.search(text):
            counts[name] = count(match)
            if name in ("transactions", "queries"):
                draft.rate({"transactions": "transaction_rate", "queries": "query_rate"}[name], figure(match, 2))
    total = _TOTAL_TIME.search(text)
    draft.duration_ns = time_in(total, 1, "s") if total else None
    _rates(draft, text, kind)
    _latencies(draft, lines, stem)
    if kind == "fileio" and (sum_ms := _SUM.search(text)) and counts.get("events"):
        # The mean is told with two decimals of a millisecond, which is little of a request to memory or flash.
        draft.latency("operation_mean", (figure(sum_ms, 1, MILLISECOND) or 0.0) / counts["events"])
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
        found["threads"] = count(match)
    if match := _TARGET_RATE.search(text):
        found["target_rate"] = count(match)
    if kind == "fileio":
        for name, pattern in _FILE_SETTINGS.items():
            if match := pattern.search(text):
                found[name] = _size(match) if name.endswith("_size") else whole(match[1]) or match[1].strip()
    return found


def _size(match: re.Match[str]) -> int:
    """Bytes; sysbench's Kb and KiB are both 1024."""
    value, letter = re.split(r"\s*(?=[KMG]?i?b?$)", match[1], maxsplit=1, flags=re.IGNORECASE)
    try:
        return round(scaled(value, _LETTERS[letter[:1].upper()]) or 0)
    except (UnreadableNumber, KeyError):
        raise at(match, 1, UnreadableNumber(match[1], "is not a size that is known")) from None


def _rates(draft: Draft, text: str, kind: str) -> None:
    _file_rates(draft, text)
    _old_file_rates(draft, text)
    # The memory test divides by 2^20 in all versions, whether it writes MB, Mb or MiB.
    if kind == "memory" and (memory := _MEMORY.search(text)):
        draft.bandwidth("throughput", figure(memory, 1, MIB))
        if rate := _MEMORY_RATE.search(text):
            draft.rate("operation_rate", figure(rate, rate.lastindex or 1))
    elif events := _EPS.search(text):
        draft.rate("event_rate", figure(events))


def _file_rates(draft: Draft, text: str) -> None:
    for match in _FILE_RATE.finditer(text):
        metric = {"reads": "read_iops", "writes": "write_iops", "fsyncs": "sync_rate"}[match[1]]
        draft.rate(metric, figure(match, 2))
    for match in _FILE_BYTES.finditer(text):
        metric = {"read": "read_throughput", "written": "write_throughput"}[match[1]]
        draft.bandwidth(metric, figure(match, 3, size_unit(match[2]) or 1))
    for total in ("iops", "throughput"):
        parts = [value for kind_of in ("read", "write") if (value := draft.value(f"{kind_of}_{total}")) is not None]
        if parts:
            (draft.rate if total == "iops" else draft.bandwidth)(total, sum(parts))
    size = draft.parameters.get("block_size")
    for name in ("read", "write"):
        throughput = draft.value(f"{name}_throughput")
        # Printed with two decimals of a MiB: below one of them that is too coarse to be held against anything.
        if isinstance(size, int) and throughput and throughput > MIB:
            rates_agree(draft, draft.value(f"{name}_iops"), throughput, size, f"{name}s")


def _old_file_rates(draft: Draft, text: str) -> None:
    """What 0.4 and 0.5 say of all requests together."""
    if requests := _OLD_REQUESTS.search(text):
        draft.rate("iops", figure(requests))
    if moved := _OLD_FILE.search(text):
        # They write Mb/sec and mean MiB.
        draft.bandwidth("throughput", figure(moved, 1, _LETTERS[moved[2]]))


def _latencies(draft: Draft, lines: Sequence[str], stem: str) -> None:
    """min, avg, max and the one percentile that was asked for; ms where no unit stands behind the number."""
    for line in lines:
        if match := _LATENCY.search(line):
            value = time_in(match, 2, "ms")
            if match[1] != "min" and value:
                draft.latency(f"{stem}_{'mean' if match[1] == 'avg' else 'max'}", value)
        elif match := _PERCENTILE.search(line):
            value = time_in(match, 2, "ms")
            if value:
                draft.latency(f"{stem}_p{_percent(match, 1)}", value)


def _percent(match: re.Match[str], group: int) -> str:
    """`99` of `99th`, `99%` and `99.00`, `999` of `99.9`."""
    token = re.sub(r"(?:th|st|nd|rd|%)$", "", match[group])
    try:
        read = number(token)
    except UnreadableNumber as error:
        raise at(match, group, error) from None
    return f"{read:g}".replace(".", "")


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
        found = {part[1]: figure(part, 2) for part in _INTERVAL_RATE.finditer(match[2])}
        tail = _INTERVAL_LATENCY.search(match[2])
        times.append(time_in(match) or 0.0)
        rates.append(found.get("tps", found.get("eps")))
        tails.append(time_in(tail, 2, "ms") if tail else None)
        asked = tail and (1 if tail[1] else 3 if tail[3] else 0)
        percent = _percent(tail, asked) if tail and asked else percent
    if not times:
        return
    columns: dict[str, tuple[Unit, Sequence[float | None]]] = {name: ("1/s", rates)}
    columns[f"{_STEMS[kind]}_p{percent or '0'}"] = ("ns", tails)
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
