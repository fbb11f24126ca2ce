"""`iostat -x -t`: extended statistics with a time before each report."""

from __future__ import annotations

import re
from collections.abc import Mapping

from plimsoll.errors import UsageError
from plimsoll.traces.counters import Options
from plimsoll.traces.counters._tables import Device, collected, number
from plimsoll.traces.counters._times import Clock, moment
from plimsoll.traces.series import Found

NAME = "iostat"
TITLE = "iostat -x -t"

_HEAD = re.compile(r"Device:?\s")
_TIME = re.compile(r"^(\d{4}-\d{2}-\d{2}T\S+|\d{1,2}[/.]\d{1,2}[/.]\d{2,4}\s+\d{1,2}:\d{2}:\d{2}(?:\s*[AP]M)?)\s*$")
_UNITS = {"kB": 1024, "MB": 1024 * 1024, "sec": 512}


def recognise(head: str) -> bool:
    """A table of devices with reads and writes per second."""
    return any(_HEAD.match(line) and {"r/s", "w/s"} <= set(line.split()) for line in head.split("\n"))


def read(text: str, options: Options) -> list[Found]:
    """Each device; the first report, which is about the time since the start of the system, is left out."""
    del options
    devices: dict[str, Device] = {}
    clock, now, zone = Clock(), None, ""
    columns: dict[str, int] = {}
    reports = 0
    for number_, line in enumerate(text.splitlines(), start=1):
        where = f"line {number_}"
        if _TIME.match(line.strip()):
            seconds, zone = moment(line.strip(), where)
            now = clock.follow(seconds, where)
        elif _HEAD.match(line):
            columns = {name: place for place, name in enumerate(line.split())}
            reports += 1
        elif columns and line.strip() and not line.startswith("avg-cpu") and now is not None:
            words = line.split()
            if len(words) == len(columns) and reports > 1:
                _row(devices.setdefault(words[0], Device()), words, columns, (now, where))
        if not line.strip():
            columns = {}
    if reports and now is None:
        raise UsageError("no times: run iostat with -t, as in iostat -x -t 1")
    if reports == 1:
        raise UsageError("one report only, which is about the time since the start of the system: iostat -x -t 1 3600")
    note = "the first report was left out: it is about the time since the start of the system"
    return collected(devices, zone, [note, *clock.notes])


def _row(device: Device, words: list[str], columns: Mapping[str, int], at: tuple[float, str]) -> None:
    now, where = at
    value = {name: number(words[place], where) for name, place in columns.items() if place}
    reads, writes = value["r/s"], value["w/s"]
    device.add(now, "reads", reads)
    device.add(now, "writes", writes)
    for mark, name in (("r", "read_bytes"), ("w", "write_bytes")):
        unit = next((unit for unit in _UNITS if f"{mark}{unit}/s" in value), None)
        if unit is None:
            raise UsageError(f"{where}: no column {mark}kB/s; iostat -x shows it")
        device.add(now, name, value[f"{mark}{unit}/s"] * _UNITS[unit])
    queue = value.get("aqu-sz", value.get("avgqu-sz"))
    if queue is not None:
        device.add(now, "waited_s", queue)
