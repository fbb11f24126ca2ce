"""go-ycsb: lines of one operation each, printed every ten seconds and once at the end."""

from __future__ import annotations

import re
import sys

from plimsoll.importers.draft import Draft, slug
from plimsoll.importers.latencies import percentile_name
from plimsoll.importers.numbers import FIELD, count, figure, located, number, on_line
from plimsoll.importers.record import build
from plimsoll.importers.source import Imported, Options, Source
from plimsoll.units import MICROSECOND, SECOND

NAME = "go_ycsb"
TITLE = "go-ycsb output"
TOOLS = ("go-ycsb",)

_ROW = re.compile(rf"([A-Z][A-Z_]{{1,40}}) {{1,20}}- Takes\(s\): {FIELD}, Count: {FIELD}, OPS: {FIELD}, (.{{1,500}})")
_LATENCY = re.compile(rf"([^\s(]{{1,12}})\(us\): ?{FIELD}")
_PROPERTY = re.compile(r'"?(\w{1,40})"?="?([^"\n]{0,200})"?')
_SUFFIXES = {"Avg": "mean", "Max": "max"}
_KEPT = ("threadcount", "workload", "operationcount", "recordcount", "readproportion", "updateproportion")


def recognise(head: bytes, name: str) -> bool:
    """`READ - Takes(s): …`."""
    del name
    return b" - Takes(s): " in head and b", OPS: " in head


@located
def read(source: Source, options: Options) -> Imported:
    """One run; of the lines of each operation the last is that of the whole run."""
    draft = Draft(test="ycsb", case="go-ycsb")
    finished = "Run finished" in source.text
    rows = {match[1]: match for line in source.lines if (match := _ROW.match(line.strip())) is not None}
    done = failed = 0.0
    for kind, match in rows.items():
        name, operations = slug(kind), count(match, 3)
        if kind.endswith("_ERROR"):
            failed += operations
            continue
        if kind == "TOTAL":
            draft.rate("operation_rate", figure(match, 4))
        else:
            done += operations
            draft.rate(f"{name}_rate", figure(match, 4))
            draft.duration_ns = max(draft.duration_ns or 0.0, figure(match, 2, SECOND) or 0.0)
        draft.known(operations={name: operations})
        for field in _LATENCY.finditer(match[5]):
            if field[1] == "Min":
                continue
            with on_line(match.string):
                suffix = _SUFFIXES.get(field[1]) or percentile_name(number(field[1].removesuffix("th")) or 0.0)
                if suffix:
                    draft.latency(f"{name}_{suffix}", figure(field, 2, MICROSECOND))
    for line in source.lines[:500]:
        match = _PROPERTY.fullmatch(line.strip())
        if match and match[1] in _KEPT:
            draft.parameters[match[1]] = match[2]
    draft.errors(failed, done + failed if done or failed else None, "operations")
    if not finished:
        draft.partial("the run did not finish")
    return build(sys.modules[__name__], source, options, [draft] if rows else [])
