"""elbencho --csvfile: one row for each phase, with what was reached when the first and the last thread was done."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from plimsoll.importers.draft import Draft, slug
from plimsoll.importers.numbers import UnreadableNumber, located, number, on_line, scaled, whole
from plimsoll.importers.quantities import moment_ns
from plimsoll.importers.record import build
from plimsoll.importers.source import Imported, Options, Source
from plimsoll.units import MIB, MICROSECOND, MILLISECOND

NAME = "elbencho"
TITLE = "elbencho CSV"
TOOLS = ("elbencho",)

_HEADER = "ISO date,label,"
_LONGEST = 20_000
_NEEDED = ("operation", "time ms [last]")
_SETTINGS = {
    "path type": "path_type",
    "hosts": "hosts",
    "threads": "threads",
    "dirs": "folders",
    "files": "files",
    "file size": "file_size",
    "block size": "block_size",
    "direct IO": "direct_io",
    "random": "random",
    "IO depth": "queue_depth",
}
_CASE = ("block_size", "threads", "queue_depth", "random", "direct_io")
"""Parameters that tell the cases of one operation apart."""


def recognise(head: bytes, name: str) -> bool:
    """The first columns of its header, and two that only it has."""
    del name
    return _HEADER.encode() in head and b"time ms [first]" in head and b",operation," in head


@located
def read(source: Source, options: Options) -> Imported:
    """One run for each row."""
    return build(sys.modules[__name__], source, options, _drafts(source.lines))


def _drafts(lines: list[str]) -> Iterator[Draft]:
    names: list[str] = []
    for line in lines:
        if not line.strip():
            continue
        with on_line(line):
            if len(line) > _LONGEST:
                raise UnreadableNumber(
                    line, f"is a row of {len(line):,} characters, which elbencho does not write", line
                )
            cells = next(csv.reader([line]))
            if line.startswith(_HEADER):
                names = cells
            elif names:
                yield _draft(dict(zip(names, _as_many(cells, names, line), strict=True)))


def _as_many(cells: list[str], names: list[str], line: str) -> list[str]:
    """The cells of a row. Raises UnreadableNumber where they are not those of the header."""
    if len(cells) != len(names) or any(each not in names for each in _NEEDED):
        raise UnreadableNumber(
            line, f"has {len(cells)} cells below a header of {len(names)}: it was cut or edited", line
        )
    return cells


def _draft(row: Mapping[str, str]) -> Draft:
    operation = slug(row["operation"])
    parameters: dict[str, Any] = {"operation": operation}
    for name, setting in _SETTINGS.items():
        if text := row.get(name, "").strip():
            known = whole(text)
            parameters[setting] = text if known is None else known
    case = " ".join(("elbencho", operation, *(f"{name}={parameters[name]}" for name in _CASE if name in parameters)))
    draft = Draft(test="elbencho", case=case, parameters=parameters, storage=True)
    for suffix, column in (("", "last"), ("_first_done", "first")):
        draft.rate(f"iops{suffix}", _cell(row, f"IOPS [{column}]"))
        draft.bandwidth(f"throughput{suffix}", scaled(_cell(row, f"MiB/s [{column}]"), MIB))
        draft.rate(f"entry_rate{suffix}", _cell(row, f"entries/s [{column}]"))
    for kind, column in ((operation, "IO lat us"), (f"{operation}_entry", "Ent lat us")):
        draft.latency(f"{kind}_mean", scaled(_cell(row, f"{column} [avg]"), MICROSECOND))
        draft.latency(f"{kind}_max", scaled(_cell(row, f"{column} [max]"), MICROSECOND))
    draft.duration_ns = scaled(_cell(row, "time ms [last]"), MILLISECOND)
    draft.known(
        first_done_ns=scaled(_cell(row, "time ms [first]"), MILLISECOND),
        label=row.get("label", ""),
        operations={operation: _cell(row, "entries [last]")},
    )
    draft.started_ns = _moment(row.get("ISO date", ""))
    return draft


def _cell(row: Mapping[str, str], name: str) -> float | None:
    """A number; None where the column is missing or its cell is empty, which is elbencho's own word for nothing."""
    return number(row[name]) if row.get(name, "").strip() else None


def _moment(text: str) -> int | None:
    """When it started, if the zone is known: elbencho writes the time of its machine, mostly without one."""
    try:
        known = datetime.fromisoformat(text.strip()[:40]).tzinfo is not None
    except ValueError:
        return None
    return moment_ns(text) if known else None
