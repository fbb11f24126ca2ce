"""go-ycsb: lines of one operation each, printed every ten seconds and once at the end."""

from __future__ import annotations

import re
import sys

from plimsoll.importers.draft import Draft, slug
from plimsoll.importers.latencies import percentile_name
from plimsoll.importers.quantities import number, scaled
from plimsoll.importers.record import build
from plimsoll.importers.source import Imported, Options, Source
from plimsoll.units import MICROSECOND, SECOND

NAME = "go_ycsb"
TITLE = "go-ycsb output"
TOOLS = ("go-ycsb",)

_ROW = re.compile(
    r"([A-Z][A-Z_]{1,40}) {1,20}- Takes\(s\): ([\d.]{1,20}), Count: (\d{1,15}), OPS: ([\d.]{1,20}), (.{1,500})"
)
_FIELD = re.compile(r"(Avg|Min|Max|[\d.]{1,8}th)\(us\): (\d{1,15})")
_PROPERTY = re.compile(r'"?(\w{1,40})"?="?([^"\n]{0,200})"?')
_KEPT = ("threadcount", "workload", "operationcount", "recordcount", "readproportion", "updateproportion")


def recognise(head: bytes, name: str) -> bool:
    """`READ - Takes(s): …`."""
    del name
    return b" - Takes(s): " in head and b", OPS: " in head


def read(source: Source, options: Options) -> Imported:
    """One run; of the lines of each operation the last is that of the whole run."""
    draft = Draft(test="ycsb", case="go-ycsb")
    finished = "Run finished" in source.text
    rows = {match[1]: match for line in source.lines if (match := _ROW.match(line.strip())) is not None}
    done = failed = 0.0
    for kind, match in rows.items():
        name, count = slug(kind), number(match[3]) or 0.0
        if kind.endswith("_ERROR"):
            failed += count
            continue
        if kind == "TOTAL":
            draft.rate("operation_rate", number(match[4]))
        else:
            done += count
            draft.rate(f"{name}_rate", number(match[4]))
            draft.duration_ns = max(draft.duration_ns or 0.0, scaled(match[2], SECOND) or 0.0)
        draft.known(operations={name: count})
        for field, value in _FIELD.findall(match[5]):
            suffix = {"Avg": "mean", "Max": "max"}.get(field) or percentile_name(number(field[:-2]) or 0.0)
            if suffix:
                draft.latency(f"{name}_{suffix}", scaled(value, MICROSECOND))
    for line in source.lines[:500]:
        match = _PROPERTY.fullmatch(line.strip())
        if match and match[1] in _KEPT:
            draft.parameters[match[1]] = match[2]
    draft.errors(failed, done + failed if done or failed else None, "operations")
    if not finished:
        draft.partial("the run did not come to its end")
    return build(sys.modules[__name__], source, options, [draft] if rows else [])
