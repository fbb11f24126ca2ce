"""cassandra-stress: the results of each run, and of each number of threads that it tried. Latencies are in ms."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence

from plimsoll.importers.draft import Draft, slug
from plimsoll.importers.numbers import FIELD, UnreadableNumber, at, count, figure_in, located
from plimsoll.importers.record import build
from plimsoll.importers.sought import Sought
from plimsoll.importers.source import Imported, Options, Source
from plimsoll.units import MILLISECOND, SECOND

NAME = "cassandra_stress"
TITLE = "cassandra-stress output"
TOOLS = ("cassandra-stress",)

_LINE = re.compile(
    r"\s*+([A-Z][A-Za-z0-9. ]{2,30}?)\s{0,60}:\s++(\S[^\[\n]{0,60}?)\s{0,60}(?:\[([^\]\n]{0,600})\]\s*)?"
)
_OF_INTEREST = re.compile(
    r"\s*+(?:Op rate|Partition rate|Row rate|Latency|Total (?:partitions|errors|operation time))\b"
)
_VALUE = re.compile(r"(\S.{0,40}?)(?: (op/s|pk/s|row/s|ms))?")
_PARTS = re.compile(r"(.{1,120}?)(?:, (?=[A-Za-z])|$)")
_PART = re.compile(r"([A-Za-z][\w-]{0,39}): *(\S.{0,40}?)(?: (op/s|pk/s|row/s|ms))?")
_RUNNING = Sought(rf"Running .{{0,80}}?\bwith {FIELD} threads?\b", "Running ")
_RATES = {"Op rate": ("operation_rate", "op/s"), "Partition rate": ("partition_rate", "pk/s")}
_RATES |= {"Row rate": ("row_rate", "row/s")}
_LATENCIES = {"Latency mean": "mean", "Latency median": "p50", "Latency 95th percentile": "p95"}
_LATENCIES |= {"Latency 99th percentile": "p99", "Latency 99.9th percentile": "p999", "Latency max": "max"}
_COUNTS = {"Total partitions": "partitions", "Total errors": "errors"}
_KNOWN = {*_RATES, *_LATENCIES, *_COUNTS, "Total operation time"}
_TIME = re.compile(r"(\d{1,4}):(\d\d):(\d\d)")
_WHOLE = r"(?:\d{1,12}|\d{1,3}(?:(?P<mark>[.,'’\u00a0\u202f])\d{3})(?:(?P=mark)\d{3}){0,3})"
_WHOLE_NUMBER = re.compile(_WHOLE)
_TENTHS = re.compile(rf"({_WHOLE})([.,])(\d)")
_NOTHING = "NaN"
"""What it prints where nothing was measured."""


def recognise(head: bytes, name: str) -> bool:
    """Its results, with the units that it writes since version 3."""
    del name
    return b"Op rate " in head and b" op/s" in head and b"Latency mean " in head


@located
def read(source: Source, options: Options) -> Imported:
    """One run for each list of results."""
    return build(sys.modules[__name__], source, options, map(_draft, _parts(source.lines)))


def _parts(lines: Sequence[str]) -> Iterator[list[str]]:
    """What stands from one list of results to the next; a list begins with its rate, and ends with its time."""
    part: list[str] = []
    begun = False
    for line in lines:
        rate = line.lstrip().startswith("Op rate ")
        running = _RUNNING.search(line) is not None
        if begun and (rate or running):
            yield part
            part, begun = [], False
        begun = begun or rate
        part.append(line)
    if begun:
        yield part


def _draft(lines: Sequence[str]) -> Draft:
    draft = Draft(test="cassandra-stress", case="cassandra-stress")
    matches = list(_matches(lines))
    mark = _decimal_mark(matches)
    rate = next(match for match in matches if match[1] == "Op rate")
    kinds = [slug(part[1]) for part in _kinds(rate, "op/s")]
    for match in matches:
        name = match[1]
        if name in _RATES:
            _take(draft, match, *_RATES[name], mark, kinds)
        elif name in _LATENCIES:
            _take(draft, match, f"operation_{_LATENCIES[name]}", "ms", mark, kinds)
    totals = {_COUNTS[match[1]]: _number(match, mark) for match in matches if match[1] in _COUNTS}
    draft.known(operations={"partition": totals.get("partitions")})
    draft.errors(totals.get("errors"), totals.get("partitions"), "operations")
    if not any(_ended(draft, match) for match in matches):
        draft.partial("the list of results is cut short")
    if running := next((found for line in lines if (found := _RUNNING.search(line))), None):
        draft.parameters["threads"] = count(running)
        draft.in_flight = float(draft.parameters["threads"])
    draft.parameters["operations"] = "+".join(kinds) or "all"
    draft.case = f"cassandra-stress {draft.parameters['operations']}"
    return draft


def _matches(lines: Sequence[str]) -> Iterator[re.Match[str]]:
    """The lines that are read. Raises UnreadableNumber for one that looks like them and is another."""
    for line in filter(_OF_INTEREST.match, lines):
        match = _LINE.fullmatch(line)
        if match is None or match[1] not in _KNOWN:
            raise UnreadableNumber(line.strip(), "is not written as cassandra-stress writes it", line)
        yield match


def _ended(draft: Draft, match: re.Match[str]) -> bool:
    """Takes the last line of a list: how long it took, in whole seconds."""
    time = _TIME.fullmatch(match[2]) if match[1] == "Total operation time" else None
    if time is not None:
        draft.duration_ns = (count(time, 1) * 3600 + count(time, 2) * 60 + count(time, 3)) * SECOND
    return time is not None


def _take(draft: Draft, match: re.Match[str], metric: str, unit: str, mark: str, kinds: Sequence[str]) -> None:
    """A line: of all operations together, and of each kind if there are several."""
    give = draft.latency if unit == "ms" else draft.rate
    give(metric, _number(match, mark, unit))
    parts = _kinds(match, unit)
    if [slug(part[1]) for part in parts] != list(kinds):
        raise at(match, 3, UnreadableNumber(match[3] or "", "has other kinds of operation than the line of the rate"))
    for part in parts if len(kinds) > 1 else ():
        what = metric.removeprefix("operation_")
        give(f"{slug(part[1])}_{what}", _plain(part, 2, mark, unit))


def _kinds(match: re.Match[str], unit: str) -> list[re.Match[str]]:
    """Of a line the part in brackets: `READ: 500 op/s, WRITE: 1,000 op/s`."""
    found = []
    for each in _PARTS.finditer(match.string, *match.span(3)) if match[3] else ():
        part = _PART.fullmatch(match.string, *each.span(1))
        if part is None or part[3] != unit:
            raise at(each, 1, UnreadableNumber(each[1], f"is not a kind of operation with a number in {unit}"))
        found.append(part)
    return found


def _number(match: re.Match[str], mark: str, unit: str | None = None) -> float | None:
    value = _VALUE.fullmatch(match.string, *match.span(2))
    if value is None or value[2] != unit:
        told = f"is not a number in {unit}" if unit else "is not a number"
        raise at(match, 2, UnreadableNumber(match[2], told))
    return _plain(value, 1, mark, unit)


def _plain(match: re.Match[str], group: int, mark: str, unit: str | None) -> float | None:
    """The number as Java writes it where `mark` is the decimal mark: `%,.1f` of latencies, `%,d` of all else."""
    text = match[group]
    if text == _NOTHING:
        return None
    tenths = _TENTHS.fullmatch(text) if unit == "ms" else None
    whole = _WHOLE_NUMBER.fullmatch(text) if unit != "ms" else tenths
    if whole is None or whole["mark"] == mark or (tenths and tenths[3] != mark):
        raise at(match, group, UnreadableNumber(text, f"is no number where the decimal mark is {mark!r}"))
    digits = "".join(filter(str.isdigit, text))
    return figure_in(match, group, f"{digits[:-1]}.{digits[-1]}" if tenths else digits, MILLISECOND if tenths else 1.0)


def _decimal_mark(matches: Sequence[re.Match[str]]) -> str:
    """A point or a comma, as most latencies say it, which have one decimal; another in one of them is refused there."""
    values = [match[2].removesuffix(" ms") for match in matches if match[1] in _LATENCIES]
    marks = [tenths[3] for value in values if (tenths := _TENTHS.fullmatch(value))]
    return "," if marks.count(",") > marks.count(".") else "."
