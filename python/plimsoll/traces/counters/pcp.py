"""`pmrep -o csv` of Performance Co-Pilot: rates of disk.dev.* by device."""

from __future__ import annotations

import csv
import re

from plimsoll.errors import UsageError
from plimsoll.traces.counters import Options
from plimsoll.traces.counters._tables import Device, collected, number
from plimsoll.traces.counters._times import Clock, moment
from plimsoll.traces.series import Found

NAME = "pcp"
TITLE = "pmrep -o csv (Performance Co-Pilot)"

KIB = 1024
_COLUMNS = {
    "read": ("reads", 1.0),
    "write": ("writes", 1.0),
    "read_bytes": ("read_bytes", KIB),
    "write_bytes": ("write_bytes", KIB),
    "avactive_weighted": ("waited_s", 1e-3),
    "aveq": ("waited_s", 1e-3),
}
"""disk.dev.* with what turns its rate into ours: bytes are counted in KiB, times in ms."""
_NAME = re.compile(r"disk\.(?:dev|dm|md)\.(\w+)-(.+)")


def recognise(head: str) -> bool:
    """A head with disk.dev."""
    return head.startswith("Time,") and "disk." in head.partition("\n")[0]


def read(text: str, options: Options) -> list[Found]:
    """Each device."""
    del options
    lines = csv.reader(text.splitlines())
    head = next(lines)
    places = {place: found for place, name in enumerate(head) if (found := _NAME.fullmatch(name.strip()))}
    known = {place: found for place, found in places.items() if found[1] in _COLUMNS}
    if not known:
        wanted = "disk.dev.read disk.dev.write disk.dev.read_bytes disk.dev.write_bytes"
        raise UsageError(f"no column of disk.dev; ask for {wanted}")
    devices: dict[str, Device] = {}
    clock, zone = Clock(), ""
    for row in lines:
        where = f"line {lines.line_num}"
        if len(row) != len(head):
            if not row:
                continue
            raise UsageError(f"{where}: {len(row)} fields under {len(head)} columns")
        seconds, zone = moment(row[0], where)
        now = clock.follow(seconds, where)
        for place, found in known.items():
            name, factor = _COLUMNS[found[1]]
            value = number(row[place], where)
            if value == value:
                devices.setdefault(found[2], Device()).add(now, name, value * factor)
    return collected(devices, zone, clock.notes)
