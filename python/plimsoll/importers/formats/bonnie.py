"""Bonnie++ CSV: 1.03 (27 fields), 1.96 and 1.97 (48), 1.98 of Bonnie++ 2.00 (50). Rates in KiB/s; `+++++` is absent."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence

from plimsoll.importers.draft import Draft
from plimsoll.importers.numbers import UnreadableNumber, located, number, on_line, scaled, whole
from plimsoll.importers.quantities import duration_ns
from plimsoll.importers.record import build
from plimsoll.importers.source import Imported, Options, Source
from plimsoll.units import KIB, MIB

NAME = "bonnie"
TITLE = "Bonnie++ CSV"
TOOLS = ("bonnie++",)

_DATA = ("putc", "put_block", "rewrite", "getc", "get_block", "seek")
_FILES = ("seq_create", "seq_stat", "seq_del", "ran_create", "ran_stat", "ran_del")
_MANY = 20
_FIELDS = {27: "1.03", 48: "1.97", 50: "1.98"}
_LONG = re.compile(r"(\d\.\d{1,3}),(\d\.[\w+.~-]{1,20}),([^,]{0,200}),(\d{1,6}),(\d{0,12}),(\d[\w.:]{0,30}),")
_SHORT = re.compile(r"([^,\s][^,]{0,200}),(\d[\w.:]{0,30}),")
_NUMBER = re.compile(r"|\+{3,5}|\d{1,15}(?:\.\d{1,9})?")
_LATENCY = re.compile(r"|\d{1,12}(?:us|ms|s)|\+{3,5}")


def recognise(head: bytes, name: str) -> bool:
    """A line of exactly the fields of one of the versions."""
    del name
    if head.count(b",") < min(_FIELDS) - 1:
        return False
    return any(_fields(line) for line in head.decode("utf-8", "replace").splitlines())


@located
def read(source: Source, options: Options) -> Imported:
    """One run per line; text blocks and headers around the lines are left out."""
    drafts = []
    for line in source.lines:
        with on_line(line):
            if fields := _fields(line):
                drafts.append(_draft(fields))
            elif _spoilt(line):
                raise UnreadableNumber(line.strip(), "is not a line of Bonnie++ with a number or nothing in each place")
    return build(sys.modules[__name__], source, options, drafts)


def _fields(line: str) -> list[str] | None:
    """The fields of a result line; None for any other line."""
    if line.count(",") + 1 not in _FIELDS or len(line) > 2000:
        return None
    fields = [field.strip() for field in line.split(",")]
    if len(fields) == 27:
        numbers = [field for index, field in enumerate(fields[2:]) if index != 12]
        shaped = _SHORT.match(line) and all(_NUMBER.fullmatch(field) for field in numbers)
        return fields if shaped and any(fields[2:14]) else None
    if (fields[0] >= "1.98") != (len(fields) == 50):
        # A number with commas in it makes one version look like the other.
        return None
    start = 7 if len(fields) == 48 else 9
    numbers, latencies = fields[start:-12], fields[-12:]
    shaped = _LONG.match(line) and all(_NUMBER.fullmatch(field) for field in numbers)
    return fields if shaped and all(_LATENCY.fullmatch(field) for field in latencies) else None


def _spoilt(line: str) -> bool:
    """Whether a line is long enough for a result but has something else in it; a heading has letters alone."""
    marks = line.count(",")
    return _MANY < marks < 2 * max(_FIELDS) and marks <= 4 * sum(map(str.isdigit, line))


def _draft(fields: Sequence[str]) -> Draft:
    if len(fields) == 27:
        name, size, concurrency, version = fields[0], fields[1], None, "1.03"
        data, files, count, latencies = fields[2:14], fields[15:27], fields[14], [""] * 12
        rest: dict[str, int | str | None] = {}
    else:
        version, name, concurrency, size = fields[1], fields[2], _setting(fields[3]), fields[5]
        start = 7 if len(fields) == 48 else 9
        data, files, count = fields[start : start + 12], fields[start + 17 : start + 29], fields[start + 12]
        latencies = list(fields[-12:])
        rest = {"seek_count": _setting(fields[7]), "seek_processes": _setting(fields[8])} if len(fields) == 50 else {}
    parameters = {"size": _size(size), "concurrency": concurrency, "files": _setting(count)} | rest
    draft = Draft(
        test="bonnie",
        case="bonnie",
        parameters={key: value for key, value in parameters.items() if value is not None},
        target=name,
        where=name or "unknown",
        storage=True,
    )
    if len(fields) != 27:
        # It looks like a time, but is one mixed with the process number: hours or days off.
        draft.known(seed=whole(fields[4]))
    missing = list(_score(draft, [*data, *files], latencies))
    if missing:
        draft.known(too_fast=missing)
        draft.warn(
            "too_fast",
            f"{len(missing)} phases were over in less than half a second and have no number: {', '.join(missing)}",
            "take a file of at least twice the memory, and more files (-n)",
        )
    draft.known(tool_version=version, csv_version=_FIELDS[len(fields)])
    return draft


def _score(draft: Draft, pairs: Sequence[str], latencies: Sequence[str]) -> Iterator[str]:
    """Scores of all phases; gives the names of those that were too fast to be timed."""
    for index, phase in enumerate((*_DATA, *_FILES)):
        rate, cpu = pairs[2 * index], pairs[2 * index + 1]
        if rate.startswith("+"):
            yield phase
        elif phase in _DATA and phase != "seek":
            draft.bandwidth(f"{phase}_throughput", scaled(rate or None, KIB))
        else:
            draft.rate(f"{phase}_rate", number(rate or None))
        share = None if cpu.startswith("+") else scaled(cpu or None, 0.01)
        if share is not None:
            # Of one CPU: several threads make more than one.
            draft.known(cpu={phase: share})
        draft.latency(f"{phase}_max", _time(latencies[index]))


def _setting(text: str) -> int | str | None:
    """A count, or what stands there: `16:100000:16/64` files; None for nothing."""
    read = whole(text)
    return text or None if read is None else read


def _time(text: str) -> float | None:
    """A latency with its unit; nothing, or `+++++`, where none was seen."""
    return duration_ns(text) if text.strip("+") else None


def _size(text: str) -> int | str:
    """`8G`, `80112M`, or bytes with a chunk size behind a colon; a bare number is MiB."""
    match = re.fullmatch(r"(\d{1,12})([kKmMgGtT]?)", text.partition(":")[0])
    if not match:
        return text
    return int(match[1]) * {"k": KIB, "m": MIB, "g": KIB * MIB, "t": MIB * MIB}.get(match[2].lower(), MIB)
