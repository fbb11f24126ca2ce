"""`sar -d`: one line per device and period; it counts reads and writes together."""

from __future__ import annotations

import re
from dataclasses import replace

from plimsoll.errors import UsageError
from plimsoll.traces.counters import Options
from plimsoll.traces.counters._tables import Device, collected, number
from plimsoll.traces.counters._times import Clock, moment
from plimsoll.traces.series import Found

NAME = "sar"
TITLE = "sar -d"

_CLOCK = re.compile(r"\d{1,2}:\d{2}:\d{2}")
_LINE = re.compile(r"^(\d{1,2}:\d{2}:\d{2})(\s+[AP]M)?\s+(\S.*)$")
_DATE = re.compile(r"^Linux \S+.*?(\d{4}-\d{2}-\d{2}|\d{1,2}/\d{1,2}/\d{2,4}|\d{2}\.\d{2}\.\d{4})")
DAY_S = 86_400.0
HALF_DAY_S = 43_200.0


def recognise(head: str) -> bool:
    """A table of DEV with tps."""
    return any(_CLOCK.match(line) and {"DEV", "tps"} <= set(line.split()) for line in head.split("\n"))


def read(text: str, options: Options) -> list[Found]:
    """Each device. Reads and writes are told apart by their bytes."""
    del options
    devices: dict[str, Device] = {}
    clock, date, days, last = Clock(), "", 0.0, -1.0
    columns: dict[str, int] = {}
    restarts = 0
    for number_, line in enumerate(text.splitlines(), start=1):
        where = f"line {number_}"
        if match := _DATE.match(line):
            date, days, last = match[1], 0.0, -1.0
        restarts += "LINUX RESTART" in line
        match = _LINE.match(line)
        if match is None or "RESTART" in line:
            continue
        words = match[3].split()
        if "DEV" in words:
            columns = {name: place for place, name in enumerate(words)}
            continue
        if not columns or len(words) != len(columns):
            continue
        seconds, _ = moment(f"{date or '1970-01-01'} {match[1]}{match[2] or ''}", where)
        if seconds + days < last - HALF_DAY_S:
            days += DAY_S
        if seconds + days != last:
            last = seconds + days
            now = clock.follow(last, where)
        _row(devices.setdefault(words[columns["DEV"]], Device()), words, columns, now, where)
    notes = ["sar counts reads and writes together; they were told apart in proportion to their bytes", *clock.notes]
    notes += [f"the system was started again ({restarts} times) in between"] if restarts else []
    found = collected(devices, "", notes)
    return found if date else [replace(each, dated=False) for each in found]


def _row(device: Device, words: list[str], columns: dict[str, int], now: float, where: str) -> None:
    value = {name: number(words[place], where) for name, place in columns.items() if name != "DEV"}
    if "rkB/s" in value:
        read_bytes, write_bytes = value["rkB/s"] * 1024, value["wkB/s"] * 1024
    elif "rd_sec/s" in value:
        read_bytes, write_bytes = value["rd_sec/s"] * 512, value["wr_sec/s"] * 512
    else:
        raise UsageError(f"{where}: no column rkB/s or rd_sec/s")
    total = read_bytes + write_bytes
    share = read_bytes / total if total else 0.0
    device.add(now, "reads", value["tps"] * share)
    device.add(now, "writes", value["tps"] * (1 - share))
    device.add(now, "read_bytes", read_bytes)
    device.add(now, "write_bytes", write_bytes)
    queue = value.get("aqu-sz", value.get("avgqu-sz"))
    if queue is not None:
        device.add(now, "waited_s", queue)
