"""Google Cloud Monitoring as CSV: what Metrics Explorer downloads. Rows of labels, then one row per time.

Values are what the chart showed: rates per second, or sums per period; the file does not say which.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence

from plimsoll.errors import UsageError
from plimsoll.traces.counters import Options
from plimsoll.traces.counters._tables import Device, number
from plimsoll.traces.counters._times import moment
from plimsoll.traces.series import Found

NAME = "gcp"
TITLE = "Google Cloud Monitoring CSV"

_METRIC = re.compile(r"compute\.googleapis\.com/(?:instance|guest)/disk/(read|write)_(ops|bytes)_count")
_OURS = {
    ("read", "ops"): "reads",
    ("write", "ops"): "writes",
    ("read", "bytes"): "read_bytes",
    ("write", "bytes"): "write_bytes",
}
STATS = {"rate": "rate", "sum": "sum", "delta": "sum"}


def recognise(head: str) -> bool:
    """Names of Compute Engine's disk metrics in a table."""
    return "," in head.partition("\n")[0] and bool(_METRIC.search(head))


def read(text: str, options: Options) -> list[Found]:
    """Each disk."""
    stat = STATS.get((options.stat or "").lower())
    if stat is None:
        raise UsageError(
            "the file does not say whether it has rates per second or sums per period: add --stat rate (what Metrics "
            "Explorer shows if nothing else is chosen) or --stat delta"
        )
    lines = csv.reader(text.splitlines())
    heads: list[Sequence[str]] = []
    devices: dict[str, Device] = {}
    places: dict[int, tuple[str, str]] = {}
    zone = ""
    for row in lines:
        if not row or not row[0].strip():
            continue
        if not _is_time(row[0]):
            heads.append(row)
            continue
        places = places or _columns(heads)
        seconds, zone = moment(row[0], f"line {lines.line_num}")
        for place, (name, ours) in places.items():
            value = number(row[place], f"line {lines.line_num}") if place < len(row) else float("nan")
            if value == value:
                devices.setdefault(name, Device()).add(seconds, ours, value)
    if not devices:
        raise UsageError("no values of compute.googleapis.com/instance/disk/… in it")
    return [Found(name, each.columns(stat), zone=zone, dated=True) for name, each in devices.items()]


def _is_time(text: str) -> bool:
    return bool(re.match(r'"?(\d{4}-\d{2}-\d{2}|\w{3} \w{3} \d{2} \d{4})', text.strip()))


def _columns(heads: Sequence[Sequence[str]]) -> dict[int, tuple[str, str]]:
    """By column: which disk, which metric. The metric is in a row above, the disk in those of labels.

    Devices of different machines often have the same name. Raises UsageError where labels do not tell them apart.
    """
    machines = _labels(heads, "instance_name") or _labels(heads, "instance_id")
    names = _labels(heads, "device_name")
    found: dict[int, tuple[str, str]] = {}
    taken: set[tuple[str, str]] = set()
    for row in heads:
        for place, word in enumerate(row):
            if (match := _METRIC.search(word)) and place not in found:
                words = (machines.get(place, ""), names.get(place, "") or "disk")
                one = " ".join(word for word in words if word), _OURS[match[1], match[2]]
                if one in taken:
                    raise UsageError(
                        f"column {place + 1}: a second column of {one[1]} of {one[0]}; show device_name and "
                        "instance_name in the chart, or filter it to one machine"
                    )
                found[place] = one
                taken.add(one)
    return found


def _labels(heads: Sequence[Sequence[str]], name: str) -> dict[int, str]:
    """By column: its value of a label; `device_name`, `metric.device_name`, `metric.labels.device_name`."""
    row = next((row for row in heads if row[0].strip().rpartition(".")[2] == name), ())
    return {place: word.strip() for place, word in enumerate(row) if place}
