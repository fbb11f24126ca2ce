"""dbench 3 and 4: line of throughput, table of operations, and the progress of each second. MB are 10⁶ bytes."""

from __future__ import annotations

import re
import sys

from plimsoll.importers.draft import Draft, slug
from plimsoll.importers.numbers import COLUMN, FIELD, UnreadableNumber, at, count, figure, located
from plimsoll.importers.record import build
from plimsoll.importers.source import Imported, Options, Source
from plimsoll.units import MILLISECOND, SECOND

NAME = "dbench"
TITLE = "dbench output"
TOOLS = ("dbench",)

_MB = 1e6
_VERSION = re.compile(r"dbench version (\d[\d.]{0,8})")
_RESULT = re.compile(
    rf"Throughput {FIELD} MB/sec(?: \([a-z ]{{1,40}}\))? {{1,4}}{FIELD} clients {{1,4}}{FIELD} procs"
    rf"(?: {{1,4}}max_latency={FIELD} ms)?"
)
_SECOND = re.compile(
    rf" {{0,12}}{COLUMN} {{1,12}}{COLUMN} {{1,12}}{COLUMN} MB/sec {{2}}(warmup|execute) {{1,8}}{COLUMN} sec"
    rf"(?: {{1,4}}latency {COLUMN} ms)?"
)
_OPERATION = re.compile(rf" ([A-Z][A-Za-z]{{2,20}}) {{1,20}}(?:{COLUMN} {{1,20}}{COLUMN} {{1,20}}{COLUMN}|.*\d.*)")


def recognise(head: bytes, name: str) -> bool:
    """`dbench version …` at the beginning, or its line of throughput."""
    del name
    if b"dbench" not in head and b" MB/sec" not in head:
        return False
    text = head.decode("utf-8", "replace")
    return _VERSION.match(text) is not None or _RESULT.search(text) is not None


@located
def read(source: Source, options: Options) -> Imported:
    """One run: the last line of throughput is that of the whole run."""
    draft = Draft(test="dbench", case="dbench", storage=True)
    if version := _VERSION.search(source.text[:2000]):
        draft.known(tool_version=version[1])
    results = [match for line in source.lines if (match := _RESULT.match(line)) is not None]
    seconds = [match for line in source.lines if (match := _SECOND.fullmatch(line.rstrip())) is not None]
    if results:
        last = results[-1]
        draft.bandwidth("throughput", figure(last, 1, _MB))
        draft.latency("max_latency", figure(last, 4, MILLISECOND))
        draft.parameters["clients"] = count(last, 2)
        draft.in_flight = figure(last, 3)
    else:
        draft.partial("dbench ended before its line of throughput")
        if seconds:
            draft.bandwidth("throughput", figure(seconds[-1], 3, _MB))
    _series(draft, [match for match in seconds if match[4] == "execute"])
    _operations(draft, source.lines)
    known = bool(results or seconds)
    return build(sys.modules[__name__], source, options, [draft] if known else [])


def _series(draft: Draft, seconds: list[re.Match[str]]) -> None:
    """Throughput since the start of the measured part and the longest latency, second by second."""
    times = [figure(match, 5, SECOND) for match in seconds]
    if len(times) > 1 and all(time is not None for time in times):
        draft.duration_ns = times[-1]
        columns = {
            "mean_throughput": ("B/s", [figure(match, 3, _MB) for match in seconds]),
            "max_latency": ("ns", [figure(match, 6, MILLISECOND) for match in seconds]),
        }
        draft.series([time for time in times if time is not None], columns)  # type: ignore[arg-type]


def _operations(draft: Draft, lines: list[str]) -> None:
    """Count, mean and longest latency of every kind of operation, ms in the file."""
    for line in lines:
        match = _OPERATION.fullmatch(line.rstrip())
        if match is not None and match[1] != "Operation":
            kind = slug(match[1])
            if match[2] is None:
                raise at(match, 0, UnreadableNumber(match[0].strip(), "is not a kind of operation with three numbers"))
            draft.known(operations={kind: figure(match, 2)})
            draft.latency(f"{kind}_mean", figure(match, 3, MILLISECOND))
            draft.latency(f"{kind}_max", figure(match, 4, MILLISECOND))
