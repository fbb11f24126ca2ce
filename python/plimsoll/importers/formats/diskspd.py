"""DiskSpd's text output: one run per time span. Its MB/s is MiB/s; older versions only wrote it so."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from plimsoll.importers.checks import rates_agree
from plimsoll.importers.draft import Draft
from plimsoll.importers.latencies import PERCENTILES
from plimsoll.importers.numbers import FIELD, UnreadableNumber, at, count, located, number, on_line, scaled
from plimsoll.importers.quantities import divided, moment_ns, size_unit, time_in
from plimsoll.importers.record import MAX_RUNS, build
from plimsoll.importers.sought import Sought
from plimsoll.importers.source import Imported, Options, Source
from plimsoll.units import MIB, MILLISECOND

NAME = "diskspd"
TITLE = "DiskSpd text output"
TOOLS = ("diskspd",)

_SPAN = re.compile(r"^Results for timespan ([^:\n]{0,40}):", re.MULTILINE)
_SECTION = re.compile(r"^\s*(Total|Read|Write) IO\s*$")
_TIME = Sought(rf"\btest time:[ \t]*+{FIELD}", "test time:")
_SIZES = {
    "block_size": Sought(r"\bblock size: (.{1,60})$", "block size: "),
    "file_size": Sought(r"^[ \t]*+size: (.{1,60})$", "size: "),
}
"""Bytes until version 2.1; 2.2 writes `4KiB`."""

_SETTINGS = {
    "threads": Sought(
        rf"\b(?:threads per file|thread count|total threads|threads):[ \t]*+{FIELD}",
        *("threads per file:", "thread count:", "threads:"),
    ),
    "outstanding": Sought(
        rf"\bnumber of outstanding I/O operations(?: per thread)?: {FIELD}", "number of outstanding I/O operations"
    ),
    "duration_s": Sought(r"^[ \t]*+duration: (.{0,60}?)s?$", "duration: "),
    "write_share": Sought(rf"\bperforming mix test \(read/write ratio: {FIELD}/{FIELD}\)", "performing mix test ("),
}
_FLAGS = {
    "access": (
        ("using random I/O", "random"),
        ("using sequential I/O", "sequential"),
        ("using interlocked", "sequential"),
    ),
    "operation": (("performing read test", "read"), ("performing write test", "write"), ("performing mix test", "mix")),
}
_UNCACHED = (
    "software cache disabled",
    "using software and hardware write cache disabled",
    "software and hardware cache disabled",
)
_STARTED = Sought(r"\bstart time: (\d{4}/\d\d/\d\d \d\d:\d\d:\d\d) UTC", "start time: ")
_PATH = Sought(r"^[ \t]*+path: '(.{1,300})'", "path: '")
_ERROR = Sought(r"^(?:.{0,100}\b)?(?:ERROR|Error|error)[: ].{0,400}$", "ERROR", "Error", "error")
_SHARE = re.compile(r"min|max|\d{1,2}th|\d-nines")
_KINDS = {"Total": "total", "Read": "read", "Write": "write"}


def recognise(head: bytes, name: str) -> bool:
    """Its command line and the heading of its results; UTF-16 where PowerShell wrote the file."""
    del name
    plain = head.replace(b"\0", b"")
    return (b"Command Line: " in plain and b"Input parameters:" in plain) or b"Results for timespan " in plain


@located
def read(source: Source, options: Options) -> Imported:
    """One run per `Results for timespan N`."""
    pieces = _SPAN.split(source.text)
    head, spans = pieces[0], list(zip(pieces[1::2], pieces[2::2], strict=True))
    parameters = _parameters(head)
    path = _PATH.search(head)
    where = path[1] if path else "unknown"
    drafts = [_draft(parameters, where, number_of, body, len(spans)) for number_of, body in spans[: MAX_RUNS + 1]]
    started = _STARTED.search(head)
    for draft in drafts:
        draft.started_ns = moment_ns(started[1]) if started else None
    if not drafts and (fault := _ERROR.search(source.text)):
        drafts = [Draft(test="diskspd", case="diskspd", parameters=parameters, where=where)]
        drafts[0].fail(fault[0].strip())
    return build(sys.modules[__name__], source, options, drafts)


def _parameters(head: str) -> dict[str, Any]:
    found: dict[str, Any] = {name: _size(match) for name, form in _SIZES.items() if (match := form.search(head))}
    found |= {
        name: count(match, match.lastindex or 1) for name, form in _SETTINGS.items() if (match := form.search(head))
    }
    for name, words in _FLAGS.items():
        value = next((value for word, value in words if word in head), None)
        if value is not None:
            found[name] = value
    if any(word in head for word in _UNCACHED):
        found["software_cache"] = False
    return found


def _size(match: re.Match[str]) -> int:
    """`4096`, `4KiB`, `1GiB`."""
    text = match[1].strip()
    value = text.rstrip("KMGTiB")
    unit = text[len(value) :]
    if unit and size_unit(unit) is None:
        raise at(match, 1, UnreadableNumber(text, "is not a size"))
    try:
        read = scaled(value, size_unit(unit) or 1)
    except UnreadableNumber as error:
        raise at(match, 1, error) from None
    if read is None or read != int(read):
        raise at(match, 1, UnreadableNumber(text, "is not a whole number of bytes"))
    return int(read)


def _draft(parameters: dict[str, Any], where: str, number_of: str, body: str, spans: int) -> Draft:
    label = " ".join(str(parameters[name]) for name in ("access", "operation", "block_size") if name in parameters)
    case = f"diskspd {label}".strip() if spans == 1 else f"diskspd {label} timespan {number_of}"
    draft = Draft(test="diskspd", case=case, parameters=dict(parameters), where=where, storage=True)
    if "threads" in parameters and "outstanding" in parameters:
        draft.in_flight = float(parameters["threads"] * parameters["outstanding"])
    time = _TIME.search(body)
    draft.duration_ns = time_in(time, 1, "s") if time else None
    totals = dict(_totals(body.split("\n")))
    active = [kind for kind in ("read", "write") if totals.get(kind, {}).get("I/Os")]
    for kind, row in totals.items():
        _score(draft, kind, row, several=len(active) > 1, active=active)
    _percentiles(draft, body.split("\n"), active)
    if not totals:
        draft.fail("the table of results is missing; DiskSpd did not finish")
    return draft


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("|")]


def _cell(text: str, line: str) -> float | None:
    """A cell of a table, where `N/A` and `-` are DiskSpd's own words for nothing."""
    with on_line(line):
        return None if text in ("N/A", "-") else number(text)


def _totals(lines: Sequence[str]) -> Iterator[tuple[str, dict[str, float | None]]]:
    """The `total:` row under each heading, by column."""
    kind = ""
    columns: list[str] = []
    for line in lines:
        if match := _SECTION.match(line):
            kind, columns = _KINDS[match[1]], []
        elif kind and line.lstrip().startswith("thread") and "|" in line:
            columns = _cells(line)
        elif kind and columns and line.lstrip().startswith("total:"):
            # The row of totals has no thread number: its first cell stands in the column of bytes.
            cells = _cells(line.lstrip().removeprefix("total:"))
            yield kind, dict(zip(columns[1:], (_cell(cell, line) for cell in cells), strict=False))
            kind = ""


def _score(draft: Draft, kind: str, row: dict[str, float | None], *, several: bool, active: Sequence[str]) -> None:
    iops = row.get("I/O per s")
    throughput = scaled(row.get("MiB/s") if "MiB/s" in row else row.get("MB/s"), MIB)
    mean = scaled(row.get("AvgLat") if "AvgLat" in row else row.get("AvgLat(ms)"), MILLISECOND)
    if kind == "total":
        draft.rate("iops", iops)
        draft.bandwidth("throughput", throughput)
        rates_agree(draft, iops, throughput, divided(row.get("bytes"), row.get("I/Os")), "the total")
        draft.known(operations={"all": row.get("I/Os")}, bytes={"all": row.get("bytes")})
        return
    if several:
        draft.rate(f"{kind}_iops", iops)
        draft.bandwidth(f"{kind}_throughput", throughput)
    if kind in active:
        draft.latency(f"{kind}_mean", mean)


def _percentiles(draft: Draft, lines: Sequence[str], active: Sequence[str]) -> None:
    """The table of `%-ile | Read (ms) | Write (ms) | Total (ms)`; 3-nines is p99.9."""
    names = {f"{percent:g}th": name for percent, name in PERCENTILES} | {
        "3-nines": "p999",
        "4-nines": "p9999",
        "max": "max",
    }
    columns: list[str] = []
    for line in lines:
        if "%-ile" in line:
            columns = [cell.split(" ")[0].lower() for cell in _cells(line)]
            continue
        cells = _cells(line) if columns and "|" in line else []
        if cells and not _SHARE.fullmatch(cells[0]):
            raise UnreadableNumber(cells[0], "is not a percentile of DiskSpd", line)
        name = names.get(cells[0]) if cells else None
        if name is None:
            continue
        for column, cell in zip(columns[1:], cells[1:], strict=False):
            if column in active:
                draft.latency(f"{column}_{name}", scaled(_cell(cell, line), MILLISECOND))
