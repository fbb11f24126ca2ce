"""HdrHistogram interval logs (.hdr), as YCSB and others write them: histograms are added, never their percentiles.

They are read in pieces by the core.
"""

from __future__ import annotations

import re
import sys

import numpy as np

from plimsoll.importers.core import read_log
from plimsoll.importers.draft import Draft, slug
from plimsoll.importers.latencies import LONGEST_NS
from plimsoll.importers.quantities import divided, epoch_ns
from plimsoll.importers.record import build
from plimsoll.importers.source import Imported, Options, Source
from plimsoll.stats.histogram import Histogram, add
from plimsoll.units import MICROSECOND, SECOND

NAME = "hdr_log"
TITLE = "HdrHistogram interval log"
TOOLS = ("ycsb", "hdrhistogram")
STREAMS = True
"""A file of any size is read."""

_FILE = re.compile(r"(.*?)(?:Intended-)?(?:READ|UPDATE|INSERT|SCAN|DELETE|CLEANUP|READ-MODIFY-WRITE)\.hdr")
_LOG_HEAD = (b"#[Histogram log format", b"#[Logging for:", b'"StartTimestamp"')


def group(name: str) -> str | None:
    """YCSB writes one file per operation."""
    match = _FILE.fullmatch(name)
    return match[1] if match else name


def recognise(head: bytes, name: str) -> bool:
    """The comments and the legend of every such log."""
    del name
    return any(mark in head for mark in _LOG_HEAD) or (
        b",HISTFAA" in head and re.search(rb"(?m)^[^\n]{0,100},HISTFAA", head) is not None
    )


def read(source: Source, options: Options) -> Imported:
    """One run of all kinds of the files that belong together."""
    draft = Draft(test="ycsb", case="hdr log", target=(group(source.name) or "").strip("._-"))
    damaged = 0
    for file in source.files:
        answer = read_log("hdr", file)
        damaged += answer["damaged"]
        stem = slug(answer["named"] or file.name.removesuffix(".hdr"))
        parts: dict[str, list[Histogram]] = {}
        for each in answer["tags"]:
            low, high, counts = np.array(each["buckets"], dtype=np.int64).T
            parts.setdefault(slug(each["tag"]) if each["tag"] else stem, []).append(Histogram(low, high, counts))
        draft.started_ns = draft.started_ns or (epoch_ns(answer["started"]) if answer["started"] else None)
        for kind, histograms in parts.items():
            _score(draft, kind, add(histograms), answer["seconds"], microseconds=answer["named"] is not None)
    warnings = [f"{source.name}: {damaged} intervals are damaged and were left out"] if damaged else []
    if damaged:
        draft.partial(f"{damaged} intervals are damaged")
    return build(sys.modules[__name__], source, options, [draft] if draft.scores else [], warnings=warnings)


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
