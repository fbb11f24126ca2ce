"""What fio 3 prints for people (--output-format=normal). Its numbers are rounded to four digits; JSON has all."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from plimsoll.errors import ResultFileError
from plimsoll.importers.draft import Draft
from plimsoll.importers.formats import _fio
from plimsoll.importers.formats._fio import Flow
from plimsoll.importers.latencies import percentile_name
from plimsoll.importers.numbers import FIELD, UnreadableNumber, count, located, number, on_line, scaled
from plimsoll.importers.quantities import divided, size_unit, time_unit
from plimsoll.importers.record import build
from plimsoll.importers.source import Imported, Options, Source
from plimsoll.units import MILLISECOND, SECOND

NAME = "fio_text"
TITLE = "fio 3 output for people"
TOOLS = ("fio",)

ROUNDED = 0.01
"""What fio rounds away of a rate, or cuts off below 1/s; the total over the time, which it prints as well, is exact."""

_SECTION = re.compile(
    rf"([^<\s][^\n]{{0,200}}?): \(groupid={FIELD}, jobs={FIELD}\): err=[ ]{{0,9}}{FIELD}[^\n]{{0,300}}?"
    r": pid=([^:\n]{0,40}):"
)
_SECTION_BYTES = re.compile(rb"^[^<\s\"{][^\n]{0,200}?: \(groupid=\d{1,9}, jobs=\d{1,9}\): err=", re.MULTILINE)
_FLOW_BYTES = re.compile(rb"^[ ]{1,8}(?:read|write|trim|mixed)[ ]{0,2}: IOPS=", re.MULTILINE)
_JOB = re.compile(r"([^<\s][^\n]{0,200}?): \(g=[^)\n]{0,30}\): (rw=[^\n]{1,500})")
_FLOW = re.compile(
    rf"[ ]{{1,8}}(read|write|trim|mixed)[ ]{{0,2}}: IOPS={FIELD}, "
    r"BW=([^(\n]{0,40}) \([^)\n]{0,40}\)\(([^/)\n]{0,40})/([^/)\n]{0,40}?)msec\)"
)
_LATENCY = re.compile(
    r"[ ]{1,12}(slat|clat|lat|sync) \((\wsec)\): "
    rf"min=[ ]{{0,9}}{FIELD}, max=[ ]{{0,9}}{FIELD}, avg=[ ]{{0,9}}{FIELD}, stdev"
)
_PERCENTILES = re.compile(r"[ ]{1,12}(clat|lat|sync) percentiles \((\wsec)\):")
_PERCENTILE = re.compile(rf"([^\s|\[]{{0,12}})th=\[[ ]{{0,20}}{FIELD}\]")
_NUMBERS = re.compile(
    r"[ ]{1,8}(?:read|write|trim|mixed)[ ]{0,2}: IOPS=|[ ]{1,12}(?:clat|lat|sync) \(\wsec\): min=|[ ]{1,12}issued rwts:"
)
"""Lines that scores are made of."""
_ISSUED_KINDS = ("read", "write", "trim", "sync")
_ISSUED = re.compile(r"[ ]{1,12}issued rwts: total=([^=\n]{0,120}?) short=")
_STARTING = re.compile(r"^Starting \d{1,9} (?:process|thread)", re.MULTILINE)
_SETTINGS = ("rw", "ioengine")
_DEPTH = re.compile(rf"\biodepth={FIELD}")
_BLOCK = re.compile(r"bs=\(R\) ([^()\n]{0,80}), \(W\) ([^()\n]{0,80}), \(T\)")
_LETTERS = {"k": 1e3, "M": 1e6, "G": 1e9}
_ALL_CLIENTS = "All clients"


@dataclass
class _Block:
    """One latency of one kind of I/O: `clat`, `lat` or `sync`."""

    mean_ns: float | None = None
    max_ns: float | None = None
    percentiles: dict[str, float] = field(default_factory=dict)


@dataclass
class _Section:
    """What is printed of one job, or of a group that is reported together."""

    name: str
    group: int
    jobs: int
    error: int
    pid: str
    flows: dict[str, Flow] = field(default_factory=dict)
    blocks: dict[tuple[str, str], _Block] = field(default_factory=dict)
    """By kind of I/O and latency."""
    kind: str = ""
    """Of the lines that come now."""
    percentiles: tuple[_Block, float] | None = None
    """Where the percentiles go that come now, and the ns of their unit."""

    def block(self, what: str) -> _Block:
        return self.blocks.setdefault(("sync" if what == "sync" else self.kind, what), _Block())


def recognise(head: bytes, name: str) -> bool:
    """The heading of a job's results with its rates below, as fio 3 writes both; and no JSON beside them."""
    del name
    if b"groupid" not in head.replace(b"\0", b"") or b'"fio version"' in head:
        return False
    text = head.replace(b"\0", b"").replace(b"\r", b"\n")
    return b'"fio version"' not in text and bool(_SECTION_BYTES.search(text)) and bool(_FLOW_BYTES.search(text))


@located
def read(source: Source, options: Options) -> Imported:
    """One run per job; clones of a job that ran side by side are one run, as in fio's JSON."""
    drafts = [draft for part in _runs(source.text) for draft in _drafts(part, source.name)]
    return build(sys.modules[__name__], source, options, drafts)


def _runs(text: str) -> list[str]:
    """The output of one fio after the other: jobs of two of them did not run side by side."""
    starts = [match.start() for match in _STARTING.finditer(text)]
    # What is above the first one are the headings of its jobs, and so it is with the next.
    cuts = [text.rfind("\n\n", 0, start) + 1 for start in starts[1:]]
    return [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def _drafts(text: str, name: str) -> Iterator[Draft]:
    settings = {match[1]: match[2] for match in map(_JOB.match, text.split("\n")) if match}
    found = list(_sections(text.split("\n")))
    if any(each.name == _ALL_CLIENTS for each in found):
        raise ResultFileError(f"{name}: it is of several clients, whose jobs are not told apart here; use fio's JSON")
    # --status-interval prints reports from inside a run: the same processes again.
    last = {(each.name, each.group, each.pid): each for each in found}
    groups: dict[tuple[str, int], list[_Section]] = {}
    for (job, group, _), section in last.items():
        groups.setdefault((job, group), []).append(section)
    for members in groups.values():
        yield _draft(members, settings.get(members[0].name, ""))


def _sections(lines: Sequence[str]) -> Iterator[_Section]:
    section: _Section | None = None
    for line in lines:
        if match := _SECTION.match(line):
            if section is not None:
                yield section
            section = _Section(match[1], count(match, 2), count(match, 3), count(match, 4), match[5])
        elif section is not None:
            with on_line(line):
                _take(section, line)
    if section is not None:
        yield section


def _take(section: _Section, line: str) -> None:
    """What one line says of the job that it stands below."""
    if section.percentiles is not None and line.lstrip().startswith("|"):
        _take_percentiles(*section.percentiles, line)
        return
    section.percentiles = None
    if match := _FLOW.match(line):
        section.kind = match[1]
        section.flows[match[1]] = Flow(
            kind=match[1],
            iops=_abbreviated(match[2]),
            throughput=_bytes(match[3].removesuffix("/s")),
            bytes=_bytes(match[4]),
            runtime_ns=scaled(match[5], MILLISECOND) or None,
        )
    elif latency := _LATENCY.match(line):
        unit = time_unit(latency[2]) or 1.0
        block = section.block(latency[1])
        block.max_ns, block.mean_ns = _abbreviated(latency[4], unit), _abbreviated(latency[5], unit)
    elif heading := _PERCENTILES.match(line):
        section.percentiles = section.block(heading[1]), time_unit(heading[2]) or 1.0
    elif issued := _ISSUED.match(line):
        _take_totals(section, issued[1], line)
    elif _NUMBERS.match(line):
        raise UnreadableNumber(line.strip(), "is not written as fio 3 writes it", line)


def _take_totals(section: _Section, text: str, line: str) -> None:
    totals = text.split(",")
    if len(totals) != len(_ISSUED_KINDS):
        raise UnreadableNumber(text, f"is not {len(_ISSUED_KINDS)} numbers", line)
    for kind, total in zip(_ISSUED_KINDS, map(number, totals), strict=True):
        if kind in section.flows:
            section.flows[kind].operations = total


def _take_percentiles(block: _Block, unit: float, line: str) -> None:
    for match in _PERCENTILE.finditer(line):
        name, value = percentile_name(number(match[1]) or 0.0), scaled(match[2], unit)
        if name and value:
            block.percentiles[name] = value


def _abbreviated(text: str, unit: float = 1.0) -> float | None:
    """`10.7k` is 10,700, whatever is counted."""
    factor = _LETTERS.get(text[-1:], 0.0)
    return scaled(text[:-1], factor * unit) if factor else scaled(text, unit)


def _bytes(text: str) -> float | None:
    """`8004KiB`, `1333MiB`; fio's other spelling with powers of 1000 stands beside it."""
    value = re.sub(r"[A-Za-z]{0,4}$", "", text)
    factor = size_unit(text[len(value) :])
    return number(text) if factor is None else scaled(value, float(factor))


def _draft(members: Sequence[_Section], settings: str) -> Draft:
    options = _parameters(settings)
    first = members[0]
    draft = Draft(test="fio", case=first.name, parameters=options or {"job": first.name}, storage=True)
    flows = []
    for kind in _fio.KINDS:
        parts = [_flow(each, kind) for each in members if kind in each.flows]
        active = [each for each in parts if each.operations or each.bytes or each.iops]
        if active:
            flows.append(_fio.join(active))
        if len(active) > 1:
            draft.warn("percentiles", f"percentiles of {len(active)} parallel jobs cannot be added, so there are none")
    jobs = sum(each.jobs for each in members)
    if options.get("iodepth"):
        draft.in_flight = options["iodepth"] * jobs
    _fio.score(draft, flows, _fio.block_size(options) if "bs" in options else None)
    _sync(draft, members)
    _errors(draft, members, bool(flows))
    draft.known(jobs=jobs)
    return draft


def _parameters(settings: str) -> dict[str, Any]:
    """What stands in the heading of a job: pattern, engine, depth, and the block size if there is one."""
    pairs = dict(part.split("=", 1) for part in settings.split(", ") if "=" in part and not part.startswith("("))
    found: dict[str, Any] = {name: pairs[name] for name in _SETTINGS if name in pairs}
    if depth := _DEPTH.search(settings):
        found["iodepth"] = count(depth)
    if match := _BLOCK.search(settings):
        with on_line(settings):
            sizes = {size for group in (1, 2) for size in _range(match[group])}
        if len(sizes) == 1 and (size := sizes.pop()):
            found["bs"] = f"{size:.0f}"
    return _fio.parameters(found)


def _range(text: str) -> tuple[float | None, float | None]:
    """`4096B-16.0KiB`, smallest and largest block."""
    low, dash, high = text.partition("-")
    if not dash or "-" in high:
        raise UnreadableNumber(text, "is not the range of a block size")
    return _bytes(low), _bytes(high)


def _flow(section: _Section, kind: str) -> Flow:
    """With the latency that has percentiles, so that they fit together; and with the exact rate, if it is that one."""
    flow = section.flows[kind]
    blocks = {what: section.blocks[kind, what] for what in ("lat", "clat") if (kind, what) in section.blocks}
    chosen = next((what for what, block in blocks.items() if block.percentiles), "clat" if "clat" in blocks else "lat")
    if chosen in blocks:
        block = blocks[chosen]
        flow.latency, flow.mean_ns, flow.max_ns = chosen, block.mean_ns, block.max_ns
        flow.percentiles = dict(block.percentiles)
    exact = divided(flow.operations, (flow.runtime_ns or 0) / SECOND)
    if exact and flow.iops and abs(exact - flow.iops) <= max(ROUNDED * exact, 1.0):
        flow.iops = exact
    return flow


def _sync(draft: Draft, members: Sequence[_Section]) -> None:
    """fsync and fdatasync of the writes, of one job: those of several cannot be added."""
    found: list[Mapping[tuple[str, str], _Block]] = [each.blocks for each in members if ("sync", "sync") in each.blocks]
    if len(found) != 1:
        return
    block = found[0]["sync", "sync"]
    draft.latency("sync_mean", block.mean_ns)
    for name, value in block.percentiles.items():
        draft.latency(f"sync_{name}", value)
    draft.latency("sync_max", block.max_ns)


def _errors(draft: Draft, members: Sequence[_Section], measured: bool) -> None:
    code = next((each.error for each in members if each.error), 0)
    if code:
        told = f"fio reported error {code} ({os.strerror(code) if code < 4096 else 'of no known meaning'})"
        draft.known(error=code)
        if measured:
            draft.partial(told)
        else:
            draft.fail(told)
