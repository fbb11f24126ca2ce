"""redis-benchmark of Redis 6.2 and newer: its CSV, and its text with a heading for each test."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence

from plimsoll.importers.draft import Draft
from plimsoll.importers.latencies import percentile_name
from plimsoll.importers.numbers import FIELD, UnreadableNumber, count, figure, located, number, on_line, scaled
from plimsoll.importers.record import build
from plimsoll.importers.source import Imported, Options, Source
from plimsoll.units import MILLISECOND, SECOND

NAME = "redis_benchmark"
TITLE = "redis-benchmark output, CSV or text"
TOOLS = ("redis-benchmark",)

_CELL = re.compile(r'"([^"\n]{0,200})"')
_HEADER = '"test","rps","avg_latency_ms"'
_HEADING = re.compile(r"====== (.{1,200}?) ======")
_COMPLETED = re.compile(rf"^[ \t]*{FIELD} requests completed in {FIELD} seconds", re.MULTILINE)
_RATE = re.compile(rf"^[ \t]*throughput summary: {FIELD} requests per second", re.MULTILINE)
_SETTINGS = {
    "clients": re.compile(rf"^[ \t]*{FIELD} parallel clients", re.MULTILINE),
    "payload_bytes": re.compile(rf"^[ \t]*{FIELD} bytes payload", re.MULTILINE),
    "threads": re.compile(rf"^[ \t]*threads: {FIELD}", re.MULTILINE),
}
_SUMMARY = re.compile(r"^[ \t]*latency summary \(msec\):[ \t]*\n([^\n]{1,300})\n([^\n]{1,600})", re.MULTILINE)
_NAMES = {"avg": "mean", "max": "max"}


def recognise(head: bytes, name: str) -> bool:
    """The header of the CSV, or a heading with what every test prints below it."""
    del name
    if b'"rps"' not in head and b" requests completed in " not in head:
        return False
    text = head.decode("utf-8", "replace")
    return _is_table(text) or (" requests completed in " in text and _HEADING.search(text) is not None)


@located
def read(source: Source, options: Options) -> Imported:
    """One run for each test."""
    drafts = _rows(source.lines) if _is_table(source.text) else _parts(source.text)
    return build(sys.modules[__name__], source, options, drafts)


def _is_table(text: str) -> bool:
    return any(line.startswith(_HEADER) for line in text[:5000].split("\n"))


def _rows(lines: Sequence[str]) -> Iterator[Draft]:
    """The rows below the header; each has its columns by name."""
    names: list[str] = []
    for line in lines:
        if line.startswith(_HEADER):
            names = _CELL.findall(line)
        elif names and line.startswith('"'):
            with on_line(line):
                yield _row(names, _CELL.findall(line))


def _row(names: Sequence[str], row: Sequence[str]) -> Draft:
    cells = dict(zip(names, row, strict=False))
    draft = _draft(cells.get("test", ""))
    if len(row) != len(names):
        draft.partial(f"its row has {len(row)} cells of {len(names)}: it was cut or edited")
    draft.rate("operation_rate", number(cells.get("rps")))
    _latencies(draft, {name.removesuffix("_latency_ms"): cell for name, cell in cells.items() if "_latency_ms" in name})
    return draft


def _parts(text: str) -> Iterator[Draft]:
    """Every heading with what stands below it."""
    headings = list(_HEADING.finditer(text))
    for place, heading in enumerate(headings, 1):
        end = headings[place].start() if place < len(headings) else len(text)
        yield _part(heading[1], text[heading.end() : end])


def _part(test: str, text: str) -> Draft:
    draft = _draft(test)
    for name, pattern in _SETTINGS.items():
        if match := pattern.search(text):
            draft.parameters[name] = count(match)
    if completed := _COMPLETED.search(text):
        draft.known(operations={"operation": figure(completed, 1)})
        draft.duration_ns = figure(completed, 2, SECOND)
    rate, summary = _RATE.search(text), _SUMMARY.search(text)
    if rate is None or summary is None:
        draft.fail("its summary is missing: the run did not end")
        return draft
    draft.rate("operation_rate", figure(rate))
    names, cells = summary[1].split(), summary[2].split()
    if len(names) != len(cells):
        raise UnreadableNumber(summary[2].strip(), f"has {len(cells)} numbers below {len(names)} names", summary[2])
    with on_line(summary[2]):
        _latencies(draft, dict(zip(names, cells, strict=True)))
    return draft


def _draft(test: str) -> Draft:
    test = test.strip()
    return Draft(test="redis-benchmark", case=f"redis-benchmark {test}", parameters={"test": test})


def _latencies(draft: Draft, cells: Mapping[str, str]) -> None:
    """Milliseconds, by the tool's names; of a pipeline it is the latency of all its requests together."""
    for name, cell in cells.items():
        suffix = _NAMES.get(name) or (percentile_name(float(name[1:])) if re.fullmatch(r"p\d{2}", name) else None)
        if suffix:
            draft.latency(f"operation_{suffix}", scaled(cell, MILLISECOND))
