"""CrystalDiskMark 5 to 8: the text that it saves. Its MB are 10⁶ bytes; each number is the best of several runs."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import Any

from plimsoll.importers.checks import rates_agree
from plimsoll.importers.draft import Draft
from plimsoll.importers.numbers import FIELD, UnreadableNumber, at, count, figure, located, on_line
from plimsoll.importers.quantities import size_unit
from plimsoll.importers.record import build
from plimsoll.importers.sought import Sought
from plimsoll.importers.source import Imported, Options, Source
from plimsoll.units import MICROSECOND

NAME = "crystaldiskmark"
TITLE = "CrystalDiskMark text"
TOOLS = ("crystaldiskmark",)

_MB = 1e6
_VERSION = Sought(r"CrystalDiskMark (\d{1,2}(?:\.\d{1,3}){0,3}\w?)", "CrystalDiskMark ")
_SECTION = re.compile(r"^\s*\[(Read|Write|Mix)\](?: Read (\d{1,3})%/Write (\d{1,3})%)?\s*$")
_QUEUE = r"\((?:Q=[ ]{0,6}([^\s,()]{1,12}), ?)?T=[ ]{0,6}([^\s,()]{1,12})\)"
_SIZE = re.compile(r"([^\sA-Za-z]{1,12})(B|KiB|MiB)")
_NUMBERS = (
    rf"[ ]{{0,9}}:[ ]{{0,20}}{FIELD} MB/s"
    rf"(?:[ ]{{1,9}}\[[ ]{{0,20}}{FIELD} IOPS\])?(?:[ ]{{1,9}}<[ ]{{0,20}}{FIELD} us>)?\s*"
)
_ROW = re.compile(rf"\s*(SEQ|RND)[ ]{{1,9}}(\S{{1,16}}) {_QUEUE}{_NUMBERS}")
_OLD_ROW = re.compile(rf"\s*(Sequential|Random) (Read|Write)(?: (\d\S{{0,16}}))? {_QUEUE}{_NUMBERS}")
_LOOKS_LIKE_A_ROW = re.compile(r"\s*(?:SEQ|RND|Sequential|Random)\b.{0,80} MB/s")
_TEST = Sought(
    r"^[ \t]*+Test ?: (.{1,40}?) (?:\(x(\d{1,3})\) )?\[(\w): (.{1,60}?)\](?: \(x(\d{1,3})\))?", "Test :", "Test:"
)
_LABEL = Sought(r"^[ \t]*+(Profile|Mode|OS|Comment) ?: (\S(?:.{0,198}\S)?)[ \t]*+$", "Profile", "Mode", "OS", "Comment")
_ACCESS = {"SEQ": "sequential", "Sequential": "sequential", "RND": "random", "Random": "random"}


def recognise(head: bytes, name: str) -> bool:
    """Its name, and what it says of its units; the file may be UTF-16."""
    del name
    plain = head.replace(b"\0", b"")
    return b"CrystalDiskMark " in plain and b"* MB/s = 1,000,000 bytes/s" in plain


@located
def read(source: Source, options: Options) -> Imported:
    """One run for each row that was measured: an access pattern, read, written or mixed."""
    text = source.text
    about = {match[1].lower(): match[2] for match in _LABEL.finditer(text)}
    version, test = _VERSION.search(text), _TEST.search(text)
    drafts = list(_drafts(source.lines))
    for draft in drafts:
        draft.known(tool_version=version[1] if version else None, comment=about.get("comment"))
        draft.parameters |= {name: about[name] for name in ("profile", "mode") if name in about}
        if test:
            draft.where = f"{test[3]}:"
            draft.parameters["test_size"] = test[1]
            draft.known(volume=test[4])
        _best(draft, (test[2] or test[5]) if test else None)
    host = {"os": about["os"]} if "os" in about else {}
    return build(sys.modules[__name__], source, options, drafts, host=host)


def _drafts(lines: list[str]) -> Iterator[Draft]:
    section, share = "", ""
    for line in lines:
        with on_line(line):
            if match := _SECTION.match(line):
                section, share = match[1].lower(), f" {match[2]}/{match[3]}" if match[2] else ""
            elif line.lstrip().startswith("["):
                raise UnreadableNumber(line.strip(), "is not a heading of CrystalDiskMark", line)
            elif row := _ROW.fullmatch(line):
                if not section:
                    raise UnreadableNumber(line.strip(), "stands below no heading that says whether it is read", line)
                yield from _draft(row, f"{section}{share}", row[1], _size(row, 2), (3, 4, 5, 6, 7))
            elif row := _OLD_ROW.fullmatch(line):
                yield from _draft(row, row[2].lower(), row[1], _size(row, 3), (4, 5, 6, 7, 8))
            elif _LOOKS_LIKE_A_ROW.match(line):
                raise UnreadableNumber(line.strip(), "is not a row as CrystalDiskMark writes it", line)


def _size(row: re.Match[str], group: int) -> int | None:
    """Bytes of a block; None where the version does not say it."""
    if row[group] is None:
        return None
    match = _SIZE.fullmatch(row.string, *row.span(group))
    if match is None:
        raise at(row, group, UnreadableNumber(row[group], "is not the size of a block"))
    return count(match) * round(size_unit(match[2]) or 1)


def _draft(
    row: re.Match[str], operation: str, access: str, size: int | None, groups: tuple[int, int, int, int, int]
) -> Iterator[Draft]:
    depth, threads, speed, rate, latency = groups
    parameters: dict[str, Any] = {"operation": operation, "access": _ACCESS[access], "threads": count(row, threads)}
    if row[depth]:
        parameters["queue_depth"] = count(row, depth)
    if size:
        parameters["block_size"] = size
    throughput, iops = figure(row, speed, _MB), figure(row, rate)
    if not throughput and not iops:
        # A row that was not chosen is printed with zeros.
        return
    case = " ".join(f"{name}={value}" for name, value in parameters.items())
    draft = Draft(test="crystaldiskmark", case=f"crystaldiskmark {case}", parameters=parameters, storage=True)
    draft.bandwidth("throughput", throughput)
    draft.rate("iops", iops)
    draft.latency(f"{operation.partition(' ')[0]}_mean", figure(row, latency, MICROSECOND))
    draft.in_flight = float(parameters.get("queue_depth", 1) * parameters["threads"])
    rates_agree(draft, iops, throughput, size, "the row")
    yield draft


def _best(draft: Draft, runs: str | None) -> None:
    if runs is None or int(runs) > 1:
        draft.warn(
            "best_of",
            f"CrystalDiskMark shows the best of its {runs or 'several'} runs, and keeps no other",
            "set it beside the best of others, not beside their middle",
        )
