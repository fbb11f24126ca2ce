"""A plain table for everything else, CSV or JSON: test, target, metric, unit, better, value[, run, time, spread]."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from plimsoll.errors import ResultFileError
from plimsoll.importers.draft import Draft, slug
from plimsoll.importers.json_text import documents, table, tables
from plimsoll.importers.numbers import UnreadableNumber, located, number
from plimsoll.importers.quantities import moment_ns, unit_of
from plimsoll.importers.record import build
from plimsoll.importers.source import Imported, Options, Source
from plimsoll.model import Direction

NAME = "table"
TITLE = "table of results, CSV or JSON"
TOOLS = ()

NEEDED = ("test", "metric", "unit", "better", "value")
KNOWN = (*NEEDED, "target", "run", "time", "spread")

_BETTER: dict[str, Direction] = {
    "higher": "higher",
    "more": "higher",
    "up": "higher",
    "lower": "lower",
    "less": "lower",
}
_DELIMITERS = ",;\t|"
_MAX_ROWS = 200_000
_MAX_FIELD = 10_000


def recognise(head: bytes, name: str) -> bool:
    """A heading, or objects, with the columns that are needed."""
    del name
    text = head.decode("utf-8-sig", "replace").lstrip()
    if text[:1] in "[{":
        return all(f'"{column}"' in text for column in NEEDED)
    return _delimiter(text.split("\n", 1)[0]) is not None


@located
def read(source: Source, options: Options) -> Imported:
    """One run per test, target and run; rows of one run are its metrics. Raises ResultFileError that names the row."""
    drafts: dict[tuple[str, str, str], Draft] = {}
    repeats: dict[tuple[str, str, str], int] = {}
    numbered = False
    for place, row in _rows(source):
        test, target, metric = (_text(row, column)[:300] for column in ("test", "target", "metric"))
        if not test or not metric:
            raise ResultFileError(f"{source.name}: {place}: the test or the metric is empty")
        run = _text(row, "run")[:100]
        numbered = numbered or bool(run)
        if not run:
            # Equal rows without a number of their run are repeats, in the order of the file.
            repeats[test, target, metric] = repeats.get((test, target, metric), 0) + 1
            run = str(repeats[test, target, metric])
        draft = drafts.setdefault(
            (test, target, run), Draft(test=test, case=test, parameters={"test": test}, target=target)
        )
        _score(draft, row, metric, f"{source.name}: {place}")
        draft.known(run=run)
        draft.started_ns = draft.started_ns or moment_ns(_text(row, "time"))
    alone = {
        (test, target): sum(key[:2] == (test, target) for key in drafts) for test, target, _ in list(drafts)[:1000]
    }
    for (test, target, _), draft in drafts.items():
        draft.summary = not numbered and alone.get((test, target)) == 1 and "spread" in draft.facts
    return build(sys.modules[__name__], source, options, list(drafts.values()))


def _delimiter(heading: str) -> str | None:
    for delimiter in _DELIMITERS:
        columns = {column.strip().strip('"').lower() for column in heading.split(delimiter)}
        if columns.issuperset(NEEDED):
            return delimiter
    return None


def _rows(source: Source) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Rows by lower-case column, with where they stand."""
    text = source.text.lstrip()
    if text[:1] in ("[", "{"):
        yield from _json_rows(source, text)
        return
    heading, _, _ = text.partition("\n")
    delimiter = _delimiter(heading)
    if delimiter is None:
        raise ResultFileError(f"{source.name}: the heading must have the columns {', '.join(NEEDED)}")
    reader = csv.reader(io.StringIO(text), delimiter=delimiter)
    columns: list[str] = []
    try:
        for line in reader:
            if not columns:
                columns = [column.strip().lower() for column in line]
            elif any(cell.strip() for cell in line):
                if reader.line_num > _MAX_ROWS:
                    raise ResultFileError(f"{source.name}: more than {_MAX_ROWS:,} rows; split the file")
                if len(line) != len(columns):
                    raise ResultFileError(
                        f"{source.name}: line {reader.line_num} has {len(line)} cells, the heading {len(columns)}"
                    )
                yield f"line {reader.line_num}", dict(zip(columns, line, strict=True))
    except csv.Error as error:
        raise ResultFileError(f"{source.name}: line {reader.line_num} can't be read: {error}") from None


def _json_rows(source: Source, text: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """An array of objects, an object that holds one under `results` or `rows`, or one object per line."""
    place = 0
    for value in documents(text, "[{"):
        held = table(value)
        rows = tables(value) or tables(held.get("results")) or tables(held.get("rows")) or ([held] if held else [])
        for row in rows:
            place += 1
            if place > _MAX_ROWS:
                raise ResultFileError(f"{source.name}: more than {_MAX_ROWS:,} rows; split the file")
            yield f"row {place}", {str(key).strip().lower(): cell for key, cell in row.items()}
    if not place:
        raise ResultFileError(f"{source.name}: the JSON holds no rows, or is cut short")


def _text(row: Mapping[str, Any], column: str) -> str:
    value = row.get(column)
    if isinstance(value, bool) or value is None or isinstance(value, list | dict):
        return ""
    return str(value).strip()[:_MAX_FIELD]


def _score(draft: Draft, row: Mapping[str, Any], metric: str, place: str) -> None:
    written = _text(row, "unit")
    known = unit_of(written)
    if known is None:
        raise ResultFileError(f"{place}: {written[:60]!r} is no known unit; write one like 1/s, MiB/s, ms, B or 1")
    direction = _BETTER.get(_text(row, "better").lower())
    if direction is None:
        raise ResultFileError(f"{place}: better is {_text(row, 'better')[:60]!r}; write higher or lower")
    text = _text(row, "value")
    if not text:
        return
    value = _number(text, place, "value", signed=known[0] == "1")
    unit, factor = known
    name = slug(metric)
    if name in draft.scores:
        raise ResultFileError(
            f"{place}: {metric} stands twice in run {_text(row, 'run')[:60]!r} of one test and target"
        )
    draft.number(name, value * factor, unit, direction)
    if spread := _text(row, "spread"):
        draft.known(spread={name: _number(spread, place, "spread") * factor})


def _number(text: str, place: str, column: str, *, signed: bool = False) -> float:
    try:
        return number(text, signed=signed) or 0.0
    except UnreadableNumber as error:
        raise ResultFileError(f"{place}: the {column} {error.said}; leave it empty if there is none") from None
