"""pgbench -l: per-transaction logs, and aggregate logs of 6 to 15 columns; one file per thread, added by second.

They are read in pieces by the core.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from plimsoll.importers.core import Column, column, read_log
from plimsoll.importers.draft import Draft
from plimsoll.importers.quantities import divided
from plimsoll.importers.record import build
from plimsoll.importers.source import Imported, Options, Source
from plimsoll.units import MICROSECOND, SECOND

NAME = "pgbench_logs"
TITLE = "pgbench log files"
TOOLS = ("pgbench",)
STREAMS = True
"""A file of any size is read."""

_FILE = re.compile(r"(.+?\.\d{1,9})(?:\.\d{1,5})?")
_ROW = re.compile(
    r"(?:[\d.]{1,25} ){3,14}[\d.]{1,25}|\d{1,6} \d{1,15} (?:skipped|failed|serialization|deadlock) [\d ]{3,60}"
)
_WORDS = ("skipped", "failed", "serialization", "deadlock")
_EPOCH = (10**9, 4 * 10**9)
_AGGREGATE_COLUMNS = (6, 7, 8, 10, 11, 12, 13, 15)


def group(name: str) -> str | None:
    """`pgbench_log.PID` and `pgbench_log.PID.THREAD` belong together."""
    match = _FILE.fullmatch(name)
    return match[1] if match else name


def recognise(head: bytes, name: str) -> bool:
    """Rows whose numbers fit together: a time of day where one belongs, sums between count × min and count × max."""
    del name
    if not head.lstrip()[:1].isdigit():
        return False
    lines = [line.decode("ascii", "replace").strip() for line in head.split(b"\n", 6)[:6]]
    whole = [line for line in (lines[:-1] if len(lines) > 1 else lines) if line]
    return bool(whole) and all(_row(line) is not None for line in whole)


def read(source: Source, options: Options) -> Imported:
    """One run of the logs of all threads of one pgbench."""
    answers = [read_log("pgbench", file) for file in source.files]
    draft = Draft(test="pgbench", case="pgbench log", target=(group(source.name) or source.name).split(".")[0])
    _score(draft, answers)
    cut = any(answer["cut"] for answer in answers)
    warnings = [f"{source.name}: the last line is cut short and was left out"] if cut else []
    return build(sys.modules[__name__], source, options, [draft] if draft.scores else [], warnings=warnings)


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


def _added(answers: Sequence[Mapping[str, Any]]) -> tuple[Column, Column, Column, Column]:
    """Of all threads by interval: seconds since 1970, transactions, their time in all and the longest, µs."""
    epochs, transactions, total, largest = (
        np.concatenate([column(answer[name]) for answer in answers])
        for name in ("epochs", "transactions", "total_us", "max_us")
    )
    known, place = np.unique(epochs, return_inverse=True)
    done, took, longest = (np.zeros(len(known), dtype=np.int64) for _ in range(3))
    np.add.at(done, place, transactions)
    np.add.at(took, place, total)
    np.maximum.at(longest, place, largest)
    return known, done, took, longest


def _score(draft: Draft, answers: Sequence[Mapping[str, Any]]) -> None:
    epochs, transactions, total, largest = _added(answers)
    done = int(transactions.sum())
    if not done:
        return
    begun = [answer["first_us"] for answer in answers if answer["first_us"] is not None]
    step = 1
    if begun:
        seconds = (max(answer["last_us"] for answer in answers) - min(begun)) / 1e6
        draft.started_ns = min(begun) * MICROSECOND
        draft.rate("transaction_rate", divided(done, seconds))
    else:
        step = int(np.diff(epochs).min()) if len(epochs) > 1 else 1
        seconds = float(epochs[-1] - epochs[0] + step)
        draft.started_ns = int(epochs[0]) * SECOND
        # pgbench begins somewhere inside the first interval, so only the others are whole.
        inner = transactions[1:] if len(epochs) > 2 else transactions
        draft.rate("transaction_rate", divided(float(inner.sum()), len(inner) * step))
        draft.known(intervals_of_rate=len(inner))
    draft.latency("transaction_mean", int(total.sum()) / done * MICROSECOND)
    draft.latency("transaction_max", float(largest.max()) * MICROSECOND)
    draft.histogram("transaction", [pair for answer in answers for pair in answer["counts"]])
    draft.duration_ns = seconds * SECOND
    took = total * float(MICROSECOND)
    mean = np.divide(took, transactions, out=np.full(len(epochs), np.nan), where=transactions > 0)
    draft.series(
        (epochs - epochs[0]) * float(SECOND),
        {"transaction_rate": ("1/s", transactions / step), "transaction_mean": ("ns", mean)},
    )
    draft.known(operations={"transaction": done})
    failed, skipped = (sum(answer[name] for answer in answers) for name in ("failed", "skipped"))
    draft.errors(failed, done + failed, "transactions")
    if skipped:
        draft.warn("skipped", f"transactions that were skipped because they were too late already: {skipped:,}")
