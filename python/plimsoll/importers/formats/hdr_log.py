"""HdrHistogram interval logs (.hdr), as YCSB and others write them: histograms are added, never their percentiles."""

from __future__ import annotations

import base64
import binascii
import re
import sys
from collections.abc import Iterator
from itertools import islice

import numpy as np

from plimsoll.errors import ResultFileError
from plimsoll.importers.draft import Draft, slug
from plimsoll.importers.latencies import LONGEST_NS
from plimsoll.importers.numbers import UnreadableNumber, figure, located
from plimsoll.importers.quantities import divided, epoch_ns
from plimsoll.importers.record import build
from plimsoll.importers.source import Imported, Options, Source
from plimsoll.stats.histogram import Histogram, add, decode
from plimsoll.units import MICROSECOND, SECOND

NAME = "hdr_log"
TITLE = "HdrHistogram interval log"
TOOLS = ("ycsb", "hdrhistogram")

_FILE = re.compile(r"(.*?)(?:Intended-)?(?:READ|UPDATE|INSERT|SCAN|DELETE|CLEANUP|READ-MODIFY-WRITE)\.hdr")
_LOGGING = re.compile(r"#\[Logging for: ([\w-]{1,60})\]")
_START = re.compile(r"#\[StartTime: ([\d.]{1,20})")
_ROW = re.compile(r"(?:Tag=([\w.-]{1,60}),)?([^,]{0,40}),([^,]{0,40}),([^,]{0,40}),(HIST[A-Za-z0-9+/=]+)\s*")
_MAX_INTERVALS = 50_000
"""13 hours of seconds; reading more would take minutes."""

_LOG_HEAD = (b"#[Histogram log format", b"#[Logging for:", b'"StartTimestamp"')


def group(name: str) -> str | None:
    """YCSB writes one file per operation."""
    match = _FILE.fullmatch(name)
    return match[1] if match else name


def recognise(head: bytes, name: str) -> bool:
    """The comments and the legend of every such log."""
    del name
    return any(mark in head for mark in _LOG_HEAD) or re.search(rb"(?m)^[^\n]{0,100},HISTFAA", head) is not None


@located
def read(source: Source, options: Options) -> Imported:
    """One run of all kinds of the files that belong together."""
    draft = Draft(test="ycsb", case="hdr log", target=(group(source.name) or "").strip("._-"))
    cut = 0
    for file in source.files:
        parts: dict[str, list[Histogram]] = {}
        seconds = 0.0
        named = _LOGGING.search(file.text)
        stem = slug(named[1] if named else file.name.removesuffix(".hdr"))
        for tag, start, length, encoded in islice(_rows(file), _MAX_INTERVALS):
            histogram = _decoded(file, encoded)
            cut += histogram is None
            if histogram is not None:
                kind = slug(tag) if tag else stem
                parts.setdefault(kind, []).append(histogram)
                seconds = max(seconds, start + length)
        begun = _START.search(file.text)
        draft.started_ns = draft.started_ns or (epoch_ns(begun[1]) if begun else None)
        for kind, histograms in parts.items():
            _score(draft, kind, add(histograms), seconds, microseconds=named is not None)
    warnings = [f"{source.name}: {cut} intervals are damaged and were left out"] if cut else []
    if cut:
        draft.partial(f"{cut} intervals are damaged")
    return build(sys.modules[__name__], source, options, [draft] if draft.scores else [], warnings=warnings)


def _rows(file: Source) -> Iterator[tuple[str, float, float, str]]:
    for index, line in enumerate(file.lines):
        match = _ROW.fullmatch(line.strip()) if "HIST" in line else None
        if match is None and ",HIST" in line and not line.startswith(("#", '"')) and index + 1 < len(file.lines):
            raise UnreadableNumber(line.partition(",HIST")[0], "are not the three numbers of an interval", line)
        start, length = (figure(match, 2), figure(match, 3)) if match else (None, None)
        if match and start is not None and length is not None:
            # Some writers give seconds since 1970 in every row, some since the start of the log.
            yield match[1] or "", start if start < 1e8 else 0.0, length, match[5]


def _decoded(file: Source, encoded: str) -> Histogram | None:
    if encoded.startswith("HISTE"):
        raise ResultFileError(f"{file.name}: histograms of version 1 are not read; write the log with HdrHistogram 2")
    try:
        return decode(base64.b64decode(encoded, validate=True))
    except (binascii.Error, ValueError, ResultFileError):
        return None


def _score(draft: Draft, kind: str, histogram: Histogram, seconds: float, *, microseconds: bool) -> None:
    if not histogram.count or kind == "cleanup":
        return
    unit = MICROSECOND if microseconds else 1
    if not microseconds:
        draft.warn("units", f"{kind}: the log does not name its unit; its values were read as ns")
    middle = np.minimum((histogram.low + histogram.high + 1) / 2 * unit, LONGEST_NS)
    draft.latency(f"{kind}_mean", float((middle * histogram.counts).sum() / histogram.count))
    draft.latency(f"{kind}_max", float((histogram.max or 0) * unit))
    if not kind.startswith("intended"):
        draft.rate(f"{kind}_rate", divided(histogram.count, seconds))
        draft.duration_ns = max(draft.duration_ns or 0.0, seconds * SECOND)
    draft.known(operations={kind: histogram.count})
    draft.histogram(kind, zip(middle.tolist(), histogram.counts.tolist(), strict=True))
