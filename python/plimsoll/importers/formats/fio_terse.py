"""fio --output-format=terse, versions 3 to 5: one line of `;` per job, latencies in µs, rates in KiB/s."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence

from plimsoll.errors import ResultFileError
from plimsoll.importers.draft import Draft
from plimsoll.importers.formats import _fio
from plimsoll.importers.formats._fio import Flow
from plimsoll.importers.latencies import percentile_name
from plimsoll.importers.numbers import UnreadableNumber, located, number, on_line, plain, scaled, whole
from plimsoll.importers.record import build
from plimsoll.importers.source import Imported, Options, Source
from plimsoll.units import KIB, MICROSECOND, MILLISECOND

NAME = "fio_terse"
TITLE = "fio terse versions 3 to 5"
TOOLS = ("fio",)

_LINE = re.compile(r"(?:^|\s)(\d{1,2});(fio-[^;\s]{1,60});")
_SHOWN = 40
_FIRST = 5
_KIND_FIELDS = {"3": 41, "4": 41, "5": 47}
"""Fields of one kind of I/O; version 5 has the spread of bandwidth and IOPS behind those of the others."""

_TRIMS = ("4", "5")
_MANY = 41
_CLAT_MAX, _CLAT_MEAN, _PERCENTILES, _LAT_MAX, _LAT_MEAN = 9, 10, range(12, 32), 33, 34
_SHARE = re.compile(r"\d{1,9}\.\d{1,9}%")


def recognise(head: bytes, name: str) -> bool:
    """A version number, then fio's own."""
    del name
    return b";fio-" in head and re.search(rb"(?m)(?:^|\s)\d{1,2};fio-\d", head) is not None


@located
def read(source: Source, options: Options) -> Imported:
    """One run per job; clones of a job in one group are one run."""
    groups: dict[tuple[str, str], list[list[str]]] = {}
    cut = 0
    for index, line in enumerate(source.lines):
        match = _LINE.search(line)
        if not match:
            if line.count(";") > _MANY:
                raise UnreadableNumber(line[:_SHOWN], "is not a version of fio's terse output", line)
            continue
        if match[1] not in _KIND_FIELDS:
            raise ResultFileError(
                f"{source.name}: terse version {match[1]} is not read; run fio with --output-format=json"
            )
        fields = line[match.start(1) :].split(";")
        if _usr(fields) is None:
            if index + 1 < len(source.lines) and source.lines[index + 1].strip():
                told = f"has {len(fields)} fields, but not those that fio writes in version {match[1]}"
                raise UnreadableNumber(line[:_SHOWN], told, line)
            cut += 1
            continue
        groups.setdefault((fields[2], _group(fields)), []).append(fields)
    warnings = [f"{source.name}: {cut} lines are cut short and were left out"] if cut else []
    drafts = [_draft(job, members) for (job, _), members in groups.items()]
    return build(sys.modules[__name__], source, options, drafts, warnings=warnings)


def _kinds(fields: Sequence[str], count: int) -> tuple[str, ...]:
    """The kinds of I/O that a line tells one after the other: all together, each, or each and then all together."""
    each = ("read", "write", "trim") if fields[0] in _TRIMS else ("read", "write")
    return {1: ("mixed",), len(each): each, len(each) + 1: (*each, "mixed")}.get(count, ())


def _usr(fields: Sequence[str]) -> int | None:
    """Where the share of user time stands behind the kinds of I/O; None in a line that is not fio's."""
    for count in range(1, 5):
        place = _FIRST + count * _KIND_FIELDS[fields[0]]
        if _kinds(fields, count) and place + 1 < len(fields) and _SHARE.fullmatch(fields[place].strip()):
            return place
    return None


def _group(fields: Sequence[str]) -> str:
    with on_line(";".join(fields)):
        return str(number(fields[3]))


def _draft(job: str, members: Sequence[Sequence[str]]) -> Draft:
    draft = Draft(test="fio", case=job or "fio", parameters={"job": job}, storage=True)
    flows = []
    usr, width = _usr(members[0]) or _FIRST, _KIND_FIELDS[members[0][0]]
    for number_of, kind in enumerate(_kinds(members[0], (usr - _FIRST) // width)):
        start = _FIRST + number_of * width
        active = [flow for fields in members if (flow := _flow(kind, fields, start)).iops]
        if active:
            flows.append(_fio.join(active))
            if len(active) > 1:
                draft.warn(
                    "percentiles", f"percentiles of {len(active)} parallel jobs cannot be added, so there are none"
                )
    _fio.score(draft, flows)
    codes = [code for fields in members if (code := whole(fields[4]))]
    if codes and codes[0] < 4096:
        told = f"fio reported error {codes[0]} ({os.strerror(codes[0])})"
        (draft.partial if flows else draft.fail)(told)
    draft.known(tool_version=members[0][1], jobs=len(members), cpu={"usr_cpu": _share(members[0][usr])})
    draft.known(devices=list(_disks(members[0][usr:])))
    return draft


def _flow(kind: str, line: Sequence[str], start: int) -> Flow:
    with on_line(";".join(line)):
        return _read_flow(kind, line[start : start + _MANY])


def _read_flow(kind: str, fields: Sequence[str]) -> Flow:
    """One kind of I/O: KiB, KiB/s, IOPS, ms, then latencies in µs."""
    flow = Flow(
        kind=kind,
        bytes=scaled(fields[0], KIB),
        throughput=scaled(fields[1], KIB),
        iops=number(fields[2]),
        runtime_ns=scaled(fields[3], MILLISECOND) or None,
        mean_ns=scaled(fields[_CLAT_MEAN], MICROSECOND) or None,
        max_ns=scaled(fields[_CLAT_MAX], MICROSECOND) or None,
        latency="clat",
    )
    for index in _PERCENTILES:
        percent, _, value = fields[index].partition("%=")
        name, latency = percentile_name(number(percent) or 0.0), scaled(value, MICROSECOND)
        if name and latency:
            flow.percentiles[name] = latency
    if flow.mean_ns is None:
        flow.mean_ns = scaled(fields[_LAT_MEAN], MICROSECOND) or None
        flow.max_ns, flow.latency = scaled(fields[_LAT_MAX], MICROSECOND) or None, "lat"
    return flow


def _share(text: str) -> float | None:
    read = plain(text.strip().removesuffix("%"))
    return None if read is None else read / 100


def _disks(fields: Sequence[str]) -> Iterator[str]:
    """Names of the disks that follow CPU, depths and latency shares: a name and eight numbers each."""
    rest = fields[5 + 7 + 10 + 12 :]
    for start in range(0, len(rest) - 8, 9):
        if rest[start] and plain(rest[start]) is None:
            yield rest[start][:100]
