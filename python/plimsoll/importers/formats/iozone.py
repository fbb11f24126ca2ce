"""IOzone 3: reports of -R (file size × record size), and what the children of -t reached together. Its kB are KiB."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from plimsoll.errors import ResultFileError
from plimsoll.importers.draft import Draft, slug
from plimsoll.importers.numbers import COLUMN, FIELD, UnreadableNumber, count, figure, located, on_line
from plimsoll.importers.record import build
from plimsoll.importers.sought import Sought
from plimsoll.importers.source import Imported, Options, Source
from plimsoll.units import KIB, MICROSECOND

NAME = "iozone"
TITLE = "IOzone reports and throughput"
TOOLS = ("iozone",)

_REPORT = re.compile(r'^"([A-Z][\w -]{1,30}?) report"\s*$')
_RECORDS = re.compile(r'^\s+((?:"[^"\n]{0,40}"\s*)+)$')
_QUOTED = re.compile(r'"([^"\n]{0,40})"')
_ROW = re.compile(r'^"([^"\n]{0,40})"\s+(\S.{0,2000})$')
_CELL = re.compile(rf"(?<!\S){COLUMN}(?!\S)")
_CHILDREN = re.compile(
    rf"^\s*Children see throughput for[ ]{{1,4}}{FIELD} ([a-z][a-z -]{{1,30}}?)\s*=\s*{FIELD} (\S{{1,12}})\s*$"
)
_LOOKS_LIKE_CHILDREN = re.compile(r"^\s*Children see throughput for ")
_VERSION = Sought(r"Version \$Revision: (\d[\d.]{0,10}) \$", "$Revision: ")
_SETTINGS = {
    "file_size_kib": Sought(
        rf"\b(?:File size set to|Each process writes a) {FIELD} [kK]", "File size set to ", "Each process writes a "
    ),
    "record_size_kib": Sought(rf"\b(?:Record Size|file in) {FIELD} [kK]", "Record Size ", "file in "),
}
_FLAGS = {"close_timed": "Include close in write timing", "flush_timed": "Include fsync in write timing"}
_FLAGS |= {"direct": "O_DIRECT feature enabled", "sync": "SYNC Mode"}
_UNITS: dict[str, tuple[str, float]] = {
    "kbytes/sec": ("throughput", KIB),
    "kb/sec": ("throughput", KIB),
    "ops/sec": ("iops", 1.0),
    "operations per second": ("iops", 1.0),
    "microseconds per operation": ("mean", MICROSECOND),
}
_OUTPUT = Sought(
    r"(?i)\bOutput is in (kBytes/sec|operations per second|microseconds per operation)", "output is in ", anyhow=True
)
_TESTS = {"writer": "write", "initial_writers": "write", "re_writer": "rewrite", "rewriters": "rewrite"}
_TESTS |= {"reader": "read", "readers": "read", "re_reader": "reread", "re_readers": "reread"}
_TESTS |= {"reverse_readers": "backward_read", "stride_readers": "stride_read", "random_readers": "random_read"}
_TESTS |= {"random_writers": "random_write", "pwrite_writers": "pwrite", "pread_readers": "pread"}
_TESTS |= {"fwriters": "fwrite", "freaders": "fread"}


def recognise(head: bytes, name: str) -> bool:
    """Its heading, a report, or its children."""
    del name
    marks = (b"Iozone: Performance Test of File I/O", b'"Writer report"', b'"Reader report"')
    return any(mark in head for mark in marks) or b"Children see throughput for " in head


@dataclass
class _Table:
    """Where in a report the reader is: which test, and the record sizes of its columns."""

    test: str = ""
    records: list[int] = field(default_factory=list)


@located
def read(source: Source, options: Options) -> Imported:
    """One run for each file size with a record size, and for each number of processes; its tests are its metrics."""
    drafts: dict[tuple[int, ...], Draft] = {}
    parameters = _parameters(source.text)
    version = _VERSION.search(source.text)

    def draft(key: tuple[int, ...], **more: int) -> Draft:
        if key not in drafts:
            label = " ".join(f"{name}={value}" for name, value in (parameters | more).items())
            drafts[key] = Draft(test="iozone", case=f"iozone {label}", parameters=parameters | more, storage=True)
            drafts[key].known(tool_version=version[1] if version else None)
        return drafts[key]

    table, unit = _Table(), _unit(source)
    for line in source.lines:
        with on_line(line):
            if match := _CHILDREN.match(line):
                _children(match, draft)
            elif _LOOKS_LIKE_CHILDREN.match(line):
                raise UnreadableNumber(line.strip(), "is not written as IOzone writes it", line)
            elif report := _REPORT.match(line):
                table = _Table(_name(report[1]))
            else:
                _row(line, table, unit, draft)
    if not drafts:
        raise ResultFileError(
            f"{source.name}: of IOzone's table for people no column is sure; run it with -R, or with -t for several "
            "processes"
        )
    return build(sys.modules[__name__], source, options, drafts.values())


def _parameters(text: str) -> dict[str, Any]:
    found: dict[str, Any] = {name: count(match) for name, form in _SETTINGS.items() if (match := form.search(text))}
    return found | {name: True for name, words in _FLAGS.items() if words in text}


def _unit(source: Source) -> Callable[[], tuple[str, float]]:
    """What the numbers of reports are, which IOzone says above them; asked only where there is a report."""
    said = {match[1].lower() for match in _OUTPUT.finditer(source.text)}

    def unit() -> tuple[str, float]:
        if len(said) == 1:
            return _UNITS[next(iter(said))]
        raise ResultFileError(
            f"{source.name}: its reports could be in KiB/s, operations per second (-O) or microseconds (-N), "
            "and the line of IOzone that says which ('Output is in …') is missing or there twice; keep all it prints"
        )

    return unit


def _name(what: str) -> str:
    name = slug(what)
    return _TESTS.get(name, name)


def _children(match: re.Match[str], draft: Callable[..., Draft]) -> None:
    unit = _UNITS.get(match[4].lower())
    if unit is None:
        raise UnreadableNumber(match[4], "is not a unit of IOzone", match.string)
    processes = count(match, 1)
    _score(draft((processes,), processes=processes), _name(match[2]), figure(match, 3, unit[1]), unit[0])


def _row(line: str, table: _Table, unit: Callable[[], tuple[str, float]], draft: Callable[..., Draft]) -> None:
    """A line of a report: the record sizes above, or a file size with its numbers."""
    if not table.test or not line.strip():
        return
    if heading := _RECORDS.match(line):
        table.records = [count(each) for each in _QUOTED.finditer(heading[1])]
        return
    row = _ROW.match(line)
    if row is None:
        if any(map(str.isdigit, line)):
            raise UnreadableNumber(line.strip(), "is not a row of a report of IOzone", line)
        table.test = ""
        return
    kind, factor = unit()
    cells = [cell for cell in _CELL.finditer(line, row.start(2)) if cell[1]]
    size = count(row)
    # Of a small file the rows end early: no record is larger than its file.
    if len(cells) not in (len(table.records), sum(record <= size for record in table.records)):
        told = f"has {len(cells)} numbers below {len(table.records)} record sizes"
        raise UnreadableNumber(line.strip(), told, line)
    for record, cell in zip(table.records, cells, strict=False):
        key = (size, record)
        value = figure(cell, 1, factor)
        # A record that is larger than the file is not tried, and printed as 0.
        if value:
            _score(draft(key, file_size_kib=key[0], record_size_kib=record), table.test, value, kind)


def _score(draft: Draft, test: str, value: float | None, kind: str) -> None:
    if kind == "throughput":
        draft.bandwidth(f"{test}_throughput", value)
    elif kind == "iops":
        draft.rate(f"{test}_iops", value)
    else:
        draft.latency(f"{test}_mean", value)
