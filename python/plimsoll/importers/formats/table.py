"""A plain table for all else, CSV or JSON: test, unit, better, value[, target, metric, run, time, spread, runs].

The columns `as`, `region`, `cap_iops` and `cap_throughput` are options of the target: which volume it is.
"""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from plimsoll.catalog.targets import read_as
from plimsoll.errors import PlimsollError, ResultFileError
from plimsoll.importers.draft import Draft, slug
from plimsoll.importers.json_text import Damage, documents, table, tables
from plimsoll.importers.numbers import UnreadableNumber, located, number
from plimsoll.importers.quantities import moment_ns, unit_of
from plimsoll.importers.record import build
from plimsoll.importers.source import Imported, Options, Source
from plimsoll.model import Direction, Unit
from plimsoll.prices.cost import read_region
from plimsoll.units import parse_count, parse_size

NAME = "table"
TITLE = "table of results, CSV or JSON"
TOOLS = ()

NEEDED = {
    "test": "what was run",
    "unit": "such as MB/s, 1/s or s",
    "better": "higher or lower",
    "value": "the result",
}
_FEWEST = 3
"""Columns of NEEDED by which a table is recognised; what it lacks is then said by name."""

_SPREADS = ("spread", "error", "stddev", "std dev", "standard deviation", "deviation", "sd", "±", "+/-")
_STANDARD_ERRORS = ("standard error", "std error", "stderr", "sem", "se")
_COUNTS = ("runs", "repeats", "samples", "n")
_METRICS: dict[Unit, str] = {"B/s": "throughput", "1/s": "rate", "ns": "time", "B": "size"}
"""The metric where the table has no column for it: a test with one result needs no name for it."""

_BETTER: dict[str, Direction] = {
    "higher": "higher",
    "more": "higher",
    "up": "higher",
    "lower": "lower",
    "less": "lower",
}
_OPTIONS: Mapping[str, Callable[[str], object]] = {
    "as": read_as,
    "region": read_region,
    "cap_iops": parse_count,
    "cap_throughput": parse_size,
}
"""Options of a target that a table can give, and what checks them."""
_DELIMITERS = ",;\t|"
_MAX_ROWS = 200_000
_MAX_FIELD = 10_000


def recognise(head: bytes, name: str) -> bool:
    """A heading, or objects, with the columns that are needed."""
    del name
    text = head.decode("utf-8-sig", "replace").lstrip()
    if text[:1] in "[{":
        return sum(f'"{column}"' in text for column in NEEDED) >= _FEWEST and '"value"' in text
    return _delimiter(text.split("\n", 1)[0]) is not None


@located
def read(source: Source, options: Options) -> Imported:
    """One run per test, target and run; rows of one run are its metrics. Raises ResultFileError that names the row."""
    drafts: dict[tuple[str, str, str], Draft] = {}
    repeats: dict[tuple[str, str, str], int] = {}
    numbered = False
    for place, row in _rows(source):
        where = f"{source.name}: {place}"
        test, target, metric = (_text(row, column)[:300] for column in ("test", "target", "metric"))
        if not test or ("metric" in row and not metric):
            raise ResultFileError(f"{where}: the test or the metric is empty")
        unit, factor = _unit(row, where)
        metric = metric or _METRICS.get(unit, "value")
        run = _text(row, "run")[:100]
        numbered = numbered or bool(run)
        if not run:
            # Equal rows without a number of their run are repeats, in the order of the file.
            repeats[test, target, metric] = repeats.get((test, target, metric), 0) + 1
            run = str(repeats[test, target, metric])
        draft = drafts.setdefault(
            (test, target, run), Draft(test=test, case=test, parameters={"test": test}, target=target)
        )
        draft.target_options |= _options(row, where)
        _score(draft, row, metric, (unit, factor), where)
        draft.known(run=run)
        draft.started_ns = draft.started_ns or moment_ns(_text(row, "time"))
    alone = {
        (test, target): sum(key[:2] == (test, target) for key in drafts) for test, target, _ in list(drafts)[:1000]
    }
    for (test, target, _), draft in drafts.items():
        draft.summary = not numbered and alone.get((test, target)) == 1 and "spread" in draft.facts
    return build(sys.modules[__name__], source, options, list(drafts.values()))


def _delimiter(heading: str) -> str | None:
    """What stands between the columns of a heading that has most of those that are needed."""
    for delimiter in _DELIMITERS:
        columns = {column.strip().strip('"').lower() for column in heading.split(delimiter)}
        if "value" in columns and len(columns & NEEDED.keys()) >= _FEWEST:
            return delimiter
    return None


def _complete(source: Source, columns: Collection[str]) -> None:
    """Raises ResultFileError that names the columns a table lacks."""
    missing = [f"{name} ({what})" for name, what in NEEDED.items() if name not in columns]
    if missing:
        there = ", ".join(str(column)[:40] for column in list(columns)[:20])
        raise ResultFileError(
            f"{source.name}: the table has no column {' and no column '.join(missing)}; its columns are: {there}"
        )


def _rows(source: Source) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Rows by lower-case column, with where they stand."""
    text = source.text.lstrip()
    if text[:1] in ("[", "{"):
        yield from _json_rows(source, text)
        return
    heading, _, _ = text.partition("\n")
    delimiter = _delimiter(heading)
    if delimiter is None:
        raise ResultFileError(f"{source.name}: the first line must name the columns {', '.join(NEEDED)}")
    reader = csv.reader(io.StringIO(text), delimiter=delimiter)
    columns: list[str] = []
    try:
        for line in reader:
            if not columns:
                columns = [column.strip().lower() for column in line]
                _complete(source, columns)
            elif any(cell.strip() for cell in line):
                if reader.line_num > _MAX_ROWS:
                    raise ResultFileError(f"{source.name}: more than {_MAX_ROWS:,} rows; split the file")
                if len(line) != len(columns):
                    raise ResultFileError(
                        f"{source.name}: line {reader.line_num} has {len(line)} cells, the heading {len(columns)}"
                    )
                yield f"line {reader.line_num}", dict(zip(columns, line, strict=True))
    except csv.Error as error:
        raise ResultFileError(f"{source.name}: line {reader.line_num} cannot be read: {error}") from None


def _json_rows(source: Source, text: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """An array of objects, an object that holds one under `results` or `rows`, or one object per line."""
    place = 0
    damage: list[Damage] = []
    for value in documents(text, "[{", damage):
        held = table(value)
        rows = tables(value) or tables(held.get("results")) or tables(held.get("rows")) or ([held] if held else [])
        for row in rows:
            place += 1
            if place > _MAX_ROWS:
                raise ResultFileError(f"{source.name}: more than {_MAX_ROWS:,} rows; split the file")
            named = {str(key).strip().lower(): cell for key, cell in row.items()}
            if place == 1:
                _complete(source, named)
            yield f"row {place}", named
    if damage:
        raise ResultFileError(f"{source.name}: {damage[0]}")
    if not place:
        raise ResultFileError(f"{source.name}: the JSON holds no rows, or is cut short")


def _options(row: Mapping[str, Any], place: str) -> dict[str, str]:
    """What a row says of its target, checked as on the command line."""
    found = {name: text for name in _OPTIONS if (text := _text(row, name))}
    for name, text in found.items():
        try:
            _OPTIONS[name](text.removesuffix("/s") if name == "cap_throughput" else text)
        except PlimsollError as error:
            raise ResultFileError(f"{place}: {name}: {error}") from None
    return found


def _text(row: Mapping[str, Any], column: str) -> str:
    value = row.get(column)
    if isinstance(value, bool) or value is None or isinstance(value, list | dict):
        return ""
    return str(value).strip()[:_MAX_FIELD]


def _unit(row: Mapping[str, Any], place: str) -> tuple[Unit, float]:
    written = _text(row, "unit")
    known = unit_of(written)
    if known is None:
        raise ResultFileError(f"{place}: {written[:60]!r} is not a known unit; write one like 1/s, MiB/s, ms, B or 1")
    return known


def _score(draft: Draft, row: Mapping[str, Any], metric: str, known: tuple[Unit, float], place: str) -> None:
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
    _spread(draft, row, name, factor, place)


def _spread(draft: Draft, row: Mapping[str, Any], name: str, factor: float, place: str) -> None:
    """How far the runs behind a mean were apart, and how many they were, under whatever name the table has for it."""
    for column in (*_SPREADS, *_STANDARD_ERRORS):
        if text := _text(row, column).removeprefix("±").strip():
            draft.known(spread={name: _number(text, place, column) * factor})
            if column in _STANDARD_ERRORS:
                draft.known(standard_errors=[*draft.facts.get("standard_errors", []), name])
            break
    for column in _COUNTS:
        if text := _text(row, column):
            draft.known(spread_runs={name: round(_number(text, place, column))})
            break


def _number(text: str, place: str, column: str, *, signed: bool = False) -> float:
    try:
        return number(text, signed=signed) or 0.0
    except UnreadableNumber as error:
        raise ResultFileError(f"{place}: the {column} {error.said}; leave it empty if there is none") from None
