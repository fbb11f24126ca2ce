"""OpenMetrics text of node_exporter's disk counters with times: what `promtool tsdb dump` writes."""

from __future__ import annotations

import re

from plimsoll.errors import UsageError
from plimsoll.traces.counters import Options
from plimsoll.traces.counters._node import METRICS, device, founds
from plimsoll.traces.counters._tables import number
from plimsoll.traces.counters._together import Key, in_turn
from plimsoll.traces.series import Column, Found

NAME = "openmetrics"
TITLE = "OpenMetrics text"

_LINE = re.compile(r"^(\w*)\{(.*)\}\s+(\S+)(?:\s+(\S+))?\s*$")
_LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
MILLISECONDS_FROM = 1e11
"""A time of so many seconds is in the year 5138; `promtool tsdb dump` writes milliseconds."""


def recognise(head: str) -> bool:
    """Lines of node_disk_…"""
    return bool(re.search(r'^(node_disk_\w+\{|\{.*__name__="node_disk_)', head, re.MULTILINE))


def read(text: str, options: Options) -> list[Found]:
    """Each device."""
    del options
    rows: dict[tuple[Key, str], list[tuple[float, float]]] = {}
    timeless = 0
    for place, line in enumerate(text.splitlines(), start=1):
        match = _LINE.match(line)
        if match is None:
            continue
        labels = dict(_LABEL.findall(match[2]))
        ours = METRICS.get(match[1] or labels.get("__name__", ""))
        if ours is None:
            continue
        if match[4] is None:
            timeless += 1
            continue
        time_s = number(match[4], f"line {place}")
        time_s = time_s / 1000 if time_s > MILLISECONDS_FROM else time_s
        rows.setdefault(((device(labels), ours), match[2]), []).append((time_s, number(match[3], f"line {place}")))
    if not rows:
        why = (
            "its lines have no times: it is a single scrape, which says nothing about a rate"
            if timeless
            else "nothing of node_disk_… in it"
        )
        raise UsageError(f"{why}; `promtool tsdb dump-openmetrics` writes all scrapes with their times")
    pieces = ((key, Column("counter", *map(list, zip(*sorted(each), strict=True)))) for (key, _), each in rows.items())
    return founds(in_turn(pieces))
