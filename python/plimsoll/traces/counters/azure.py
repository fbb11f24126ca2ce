"""Azure Monitor as CSV: the table AzureMetrics of Log Analytics (a metric per row), or a chart's (one per column)."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence

from plimsoll.errors import UsageError
from plimsoll.traces.counters import Options
from plimsoll.traces.counters._tables import Device, collected, number
from plimsoll.traces.counters._times import moment
from plimsoll.traces.series import Found

NAME = "azure"
TITLE = "Azure Monitor CSV"

_METRIC = re.compile(r"\b(\w+ )?disk (read|write) (operations|bytes)\s*/\s*sec", re.IGNORECASE)
"""`OS Disk`, `Data Disk` and `Temp Disk` are parts of a machine, of which `Disk` alone is the sum."""
_OWN = "composite"
"""How a disk's own metrics begin."""
_AGGREGATION = re.compile(r"(?<!\s)\s*\((?:avg|average)\)", re.IGNORECASE)
_GRAIN = re.compile(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?")
_OURS = {
    ("read", "operations"): "reads",
    ("write", "operations"): "writes",
    ("read", "bytes"): "read_bytes",
    ("write", "bytes"): "write_bytes",
}


def recognise(head: str) -> bool:
    """A table with Azure's names of disk metrics, or of AzureMetrics."""
    first = head.partition("\n")[0]
    return ("MetricName" in first and "TimeGenerated" in first) or ("," in first and bool(_METRIC.search(first)))


def read(text: str, options: Options) -> list[Found]:
    """Each disk. Metrics of disks are means per second over a minute."""
    lines = csv.reader(text.splitlines())
    head = [name.strip() for name in next(lines)]
    rows = [(lines.line_num, row) for row in lines if row]
    if "MetricName" in head:
        return _long(head, rows, options)
    return _wide(head, rows)


def _long(head: Sequence[str], rows: Sequence[tuple[int, Sequence[str]]], options: Options) -> list[Found]:
    place = {name.partition("[")[0].rstrip(): i for i, name in enumerate(head)}
    if "Average" not in place:
        raise UsageError("no column Average; disk metrics are means per second over a minute")
    devices: dict[str, Device] = {}
    ids: dict[str, str] = {}
    zone, period_s = "", options.period_s
    for line, row in rows:
        if len(row) != len(head):
            raise UsageError(f"line {line}: {len(row)} fields under {len(head)} columns")
        match = _METRIC.search(row[place["MetricName"]])
        if match is None:
            continue
        seconds, zone = moment(row[place["TimeGenerated"]], f"line {line}")
        if "TimeGrain" in place and (grain := _GRAIN.fullmatch(row[place["TimeGrain"]])):
            period_s = sum(int(each or 0) * unit for each, unit in zip(grain.groups(), (3600, 60, 1), strict=True))
        name = row[place["Resource"]] if "Resource" in place else "disk"
        own = next((row[place[each]].lower() for each in ("ResourceId", "_ResourceId") if each in place), "")
        if ids.setdefault(name, own) != own:
            raise UsageError(f"line {line}: another resource is called {name}, too; export one of them: {own}")
        value = number(row[place["Average"]], f"line {line}")
        ours = _OURS[match[2].lower(), match[3].lower()]
        devices.setdefault(_of(match, name), Device()).add(seconds + (period_s or 60.0), ours, value)
    return _checked(devices, zone or "UTC", period_s)


def _of(match: re.Match[str], name: str) -> str:
    """A disk by its name, `vm-1 OS Disk` for a part of a machine."""
    part = (match[1] or "").strip()
    return name if not part or part.lower() == _OWN else f"{name} {part} Disk"


def _columns(head: Sequence[str]) -> dict[int, tuple[str, str]]:
    """By column: which disk, which metric. What follows a metric's name, `OS Disk … (Avg), vm-1`, is whose it is."""
    found: dict[int, tuple[str, str]] = {}
    taken: set[tuple[str, str]] = set()
    for place, title in enumerate(head):
        if match := _METRIC.search(title):
            whose = _AGGREGATION.sub("", title[match.end() :]).strip(" ,:-")
            one = _of(match, whose or "disk"), _OURS[match[2].lower(), match[3].lower()]
            if one in taken:
                raise UsageError(f"column {place + 1}: a second column of {one[1]} of {one[0]}; keep one of them")
            found[place] = one
            taken.add(one)
    return found


def _wide(head: Sequence[str], rows: Sequence[tuple[int, Sequence[str]]]) -> list[Found]:
    known = _columns(head)
    devices: dict[str, Device] = {}
    zone = ""
    for line, row in rows:
        if len(row) != len(head):
            raise UsageError(f"line {line}: {len(row)} fields under {len(head)} columns")
        seconds, zone = moment(row[0], f"line {line}")
        for i, (name, ours) in known.items():
            value = number(row[i], f"line {line}")
            if value == value:
                devices.setdefault(name, Device()).add(seconds, ours, value)
    return _checked(devices, zone, None)


def _checked(devices: dict[str, Device], zone: str, period_s: float | None) -> list[Found]:
    if not devices:
        raise UsageError("no metric of disks, such as Composite Disk Read Operations/sec")
    found = collected(devices, zone, [])
    return [Found(each.name, each.columns, period_s, each.zone, notes=each.notes) for each in found]
