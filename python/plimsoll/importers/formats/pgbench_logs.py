"""pgbench -l: per-transaction logs, and aggregate logs of 6 to 15 columns; one file per thread, added by second."""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from plimsoll.importers.draft import Draft
from plimsoll.importers.latencies import counted
from plimsoll.importers.numbers import UnreadableNumber, columns, located
from plimsoll.importers.quantities import divided
from plimsoll.importers.record import build
from plimsoll.importers.source import Imported, Options, Source
from plimsoll.units import MICROSECOND, SECOND

NAME = "pgbench_logs"
TITLE = "pgbench log files"
TOOLS = ("pgbench",)

_FILE = re.compile(r"(.+?\.\d{1,9})(?:\.\d{1,5})?")
_ROW = re.compile(
    r"(?:[\d.]{1,25} ){3,14}[\d.]{1,25}|\d{1,6} \d{1,15} (?:skipped|failed|serialization|deadlock) [\d ]{3,60}"
)
_WORDS = ("skipped", "failed", "serialization", "deadlock")
_EPOCH = (10**9, 4 * 10**9)
_AGGREGATE_COLUMNS = (6, 7, 8, 10, 11, 12, 13, 15)


@dataclass
class _Seconds:
    """What all threads did in one interval, µs."""

    transactions: int = 0
    total: float = 0.0
    smallest: float = float("inf")
    largest: float = 0.0


@dataclass
class _Logs:
    by_epoch: dict[int, _Seconds] = field(default_factory=lambda: defaultdict(_Seconds))
    latencies: list[float] = field(default_factory=list)
    first_us: int | None = None
    last_us: int = 0
    failed: int = 0
    skipped: int = 0
    unread: int = 0


def group(name: str) -> str | None:
    """`pgbench_log.PID` and `pgbench_log.PID.THREAD` belong together."""
    match = _FILE.fullmatch(name)
    return match[1] if match else name


def recognise(head: bytes, name: str) -> bool:
    """Rows whose numbers fit together: a time of day where one belongs, sums between count × min and count × max."""
    del name
    lines = [line.decode("ascii", "replace").strip() for line in head.split(b"\n", 6)[:6]]
    whole = [line for line in (lines[:-1] if len(lines) > 1 else lines) if line]
    return bool(whole) and all(_row(line) is not None for line in whole)


@located
def read(source: Source, options: Options) -> Imported:
    """One run of the logs of all threads of one pgbench."""
    logs = _Logs()
    for file in source.files:
        marks = columns(file.lines, " ")
        for index, line in enumerate(file.lines):
            row = _row(line.strip())
            if row is None or line.strip().count(" ") != marks:
                # A number with a blank in it looks like one more column.
                _refuse(logs, file, index, line)
            elif _is_aggregate(row):
                _aggregate(logs, [int(float(part)) for part in row])
            else:
                _transaction(logs, row)
    draft = Draft(test="pgbench", case="pgbench log", target=(group(source.name) or source.name).split(".")[0])
    _score(draft, logs)
    warnings = [f"{source.name}: the last line is cut short and was left out"] if logs.unread else []
    return build(sys.modules[__name__], source, options, [draft] if draft.scores else [], warnings=warnings)


def _refuse(logs: _Logs, file: Source, index: int, line: str) -> None:
    """A sum without one of its rows is another number: only a last line that was cut short is left out."""
    if index + 1 < len(file.lines) and line.strip():
        raise UnreadableNumber(line.strip(), "is no line of a pgbench log", line)
    logs.unread += bool(line.strip())


def _row(line: str) -> list[str] | None:
    if len(line) > 400 or not _ROW.fullmatch(line):
        return None
    parts = line.split(" ")
    if any(part.count(".") > 1 or part == "." for part in parts):
        return None
    return parts if _is_aggregate(parts) or _is_transaction(parts) else None


def _is_transaction(parts: Sequence[str]) -> bool:
    """client, transaction, µs or a word, script, seconds, µs[, lag][, retries]."""
    if not 6 <= len(parts) <= 8 or not all(part.isdigit() or part in _WORDS for part in parts):
        return False
    numbers = [part.isdigit() for part in (*parts[:2], *parts[3:])]
    return all(numbers) and _EPOCH[0] <= int(parts[4]) < _EPOCH[1] and int(parts[5]) < 10**6


def _is_aggregate(parts: Sequence[str]) -> bool:
    """seconds, transactions, sum µs, sum of squares, min, max[, lag…][, skipped][, retries…][, failures…]."""
    if len(parts) not in _AGGREGATE_COLUMNS or not (parts[0].isdigit() and _EPOCH[0] <= int(parts[0]) < _EPOCH[1]):
        return False
    if not all(part.replace(".", "", 1).isdigit() for part in parts):
        return False
    count, total, smallest, largest = (float(parts[index]) for index in (1, 2, 4, 5))
    return smallest <= largest and count * smallest <= total * 1.01 + 1 and total <= count * largest * 1.01 + 1


def _aggregate(logs: _Logs, row: Sequence[int]) -> None:
    second = logs.by_epoch[row[0]]
    second.transactions += row[1]
    second.total += row[2]
    if row[1]:
        second.smallest, second.largest = min(second.smallest, row[4]), max(second.largest, row[5])
    if len(row) in (11, 13, 15):
        logs.skipped += row[10]
    if len(row) == 15:
        logs.failed += row[13] + row[14]


def _transaction(logs: _Logs, row: Sequence[str]) -> None:
    if row[2] in _WORDS:
        logs.skipped += row[2] == "skipped"
        logs.failed += row[2] != "skipped"
        return
    ended, took = int(row[4]) * 10**6 + int(row[5]), float(row[2])
    logs.first_us = min(ended - int(took), logs.first_us if logs.first_us is not None else ended)
    logs.last_us = max(logs.last_us, ended)
    logs.latencies.append(took * MICROSECOND)
    second = logs.by_epoch[int(row[4])]
    second.transactions, second.total = second.transactions + 1, second.total + took
    second.largest = max(second.largest, took)


def _score(draft: Draft, logs: _Logs) -> None:
    epochs = sorted(logs.by_epoch)
    done = sum(second.transactions for second in logs.by_epoch.values())
    if not done:
        return
    step = min((after - before for before, after in pairwise(epochs)), default=1)
    if logs.first_us is not None:
        step = 1
        seconds = (logs.last_us - logs.first_us) / 1e6
        draft.started_ns = logs.first_us * MICROSECOND
        draft.rate("transaction_rate", divided(done, seconds))
    else:
        seconds = float(epochs[-1] - epochs[0] + step)
        draft.started_ns = epochs[0] * SECOND
        # pgbench begins somewhere inside the first interval, so only the others are whole.
        inner = epochs[1:] if len(epochs) > 2 else epochs
        draft.rate(
            "transaction_rate", divided(sum(logs.by_epoch[epoch].transactions for epoch in inner), len(inner) * step)
        )
        draft.known(intervals_of_rate=len(inner))
    total = sum(second.total for second in logs.by_epoch.values())
    draft.latency("transaction_mean", total / done * MICROSECOND)
    draft.latency("transaction_max", max(second.largest for second in logs.by_epoch.values()) * MICROSECOND)
    draft.histogram("transaction", counted(logs.latencies))
    draft.duration_ns = seconds * SECOND
    rows = [logs.by_epoch[epoch] for epoch in epochs]
    draft.series(
        [float(epoch - epochs[0]) * SECOND for epoch in epochs],
        {
            "transaction_rate": ("1/s", [row.transactions / step for row in rows]),
            "transaction_mean": ("ns", [divided(row.total * MICROSECOND, row.transactions) for row in rows]),
        },
    )
    draft.known(operations={"transaction": done})
    draft.errors(logs.failed, done + logs.failed, "transactions")
    if logs.skipped:
        draft.warn("skipped", f"transactions that were skipped because they were too late already: {logs.skipped:,}")
