"""Counters of which everything is known, and devices that are members of others, with what is said of them."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from tests.golden.sentences.speech import Situation
from tests.unit.targets.machine_tree import Machine
from tests.unit.traces.test_counters import IOSTAT, NEEDED, SAR, T, cloudwatch, matrix, node

from plimsoll.errors import PlimsollError
from plimsoll.targets.blockdev import read_device
from plimsoll.traces import demand
from plimsoll.traces.counters import Options, load
from plimsoll.traces.places import Place, lies_on, place_of
from plimsoll.traces.series import Column, Found, Series, build, in_periods_of
from plimsoll.units import MIB

WRAPPED, RESET, GAP = "wrapped at 2^32", "began again", "the load in them is not known and was left out"
NO_ZONE, BACK, TWICE, NO_NUMBERS = (
    "name no zone",
    "the clock goes back",
    "moments with several values",
    "that are no numbers from 0 on",
)
ONE_ZONE, SEVERAL, SOME = (
    "in different zones",
    "several devices; say which with --device NAME",
    "latencies are known of",
)
ALL = (WRAPPED, RESET, GAP, NO_ZONE, BACK, TWICE, NO_NUMBERS, ONE_ZONE, SEVERAL, SOME)


def _situation(name: str, speak: Callable[[], Sequence[str]], *says: str) -> Situation:
    never = tuple(each for each in ALL if not any(each in said for said in says))
    return Situation("monitoring", name, cache(speak), says, never)


def _made(kind: Any, *values: float, times: Sequence[float] | None = None, zone: str = "UTC", **more: Column) -> Series:
    """Of one device: all its columns alike."""
    column = Column(kind, times or [T + 10.0 * i for i in range(len(values))], values)
    return build(Found("sda", {**dict.fromkeys(NEEDED, column), **more}, zone=zone), "made")


def _built(name: str, *says: str, kind: str = "counter", values: Sequence[float], **more: Any) -> Situation:
    return _situation(name, lambda: _made(kind, *values, **more).notes, *says)


def _files(*texts: str, **options: Any) -> Sequence[str]:
    """What is said of monitoring as it is in files, or why it is refused."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / str(i) for i in range(len(texts))]
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text)
        try:
            return load(paths, Options(**options)).notes
        except PlimsollError as error:
            return [str(error)]


def _pages(status: str) -> Sequence[str]:
    answer = cloudwatch()[0].replace('"Complete"', f'"{status}"')
    return _files(answer, stat="Sum", period_s=300.0)


def _iostat(*times: str) -> str:
    return IOSTAT.format(**dict(zip(("first", "second", "third"), times, strict=True)))


BUSY: tuple[list[float], ...] = ([0, 10], [0, 10], [0, 10], [0, 10])
HOURS = ("10:00:00", "10:00:10", "10:00:20", "10:00:30")
ISO = [f"2026-09-21T00:00:{second:02}+0200" for second in (0, 10, 20, 30)]
FIRST = "the first report was left out"
TOGETHER, RESTARTED = "sar counts reads and writes together", "the system was started again (1 times) in between"

MONITORING = [
    _built("counters that grow", values=(0, 10, 20)),
    _built(
        "one that wraps", f"reads: the counter {WRAPPED} once, which was undone", values=(2**32 - 50, 2**32 - 10, 30)
    ),
    _built("one that is reset", f"reads: the counter {RESET} once (a reboot?)", GAP, values=(1000, 1100, 20, 120)),
    _built("a gap", "30 s were not observed (a gap)", GAP, kind="rate", values=(1, 1, 1), times=[T, T + 10, T + 50]),
    _built("without a zone", NO_ZONE, values=(0, 10, 20), zone=""),
    _built("two at one moment", f"{TWICE}: 1", values=(0, 5, 10, 20), times=[T, T + 10, T + 10, T + 20]),
    _built(
        "no number", f"reads: values {NO_NUMBERS}: 1; they were left out", GAP, kind="rate", values=(1, math.nan, 1, 1)
    ),
    _built(
        "latencies now and then",
        f"{SOME} 33 % of the time only",
        kind="rate",
        values=(1, 1, 1),
        waited_s=Column("rate", [T], [1]),
    ),
    _situation(
        "longer periods than there is of them",
        lambda: in_periods_of(_made("rate", 1, 1, 1, 1), 30.0).notes,
        "10 s were left out: less than half of a period of 30 s",
    ),
    _situation("periods that fit", lambda: in_periods_of(_made("rate", 1, 1, 1, 1), 20.0).notes),
    _situation("large I/Os", lambda: [demand.cut(_large(4 * MIB)) or ""], "are taken as several of 1 MiB"),
    _situation("small ones", lambda: [demand.cut(_large(4096)) or ""]),
    _situation(
        "two zones",
        lambda: _files(_iostat(*ISO[:3]), _iostat(*(each.replace("+0200", "+0300") for each in ISO[:3]))),
        f"{ONE_ZONE} for sda (+0200 and +0300)",
    ),
    _situation("iostat", lambda: _files(_iostat(*ISO[:3])), FIRST),
    _situation(
        "iostat whose clock goes back",
        lambda: _files(_iostat("09/21/2026 02:59:50 AM", "09/21/2026 03:00:00 AM", "09/21/2026 02:00:10 AM")),
        f"{BACK} by 3,590 s; times from there on were moved",
        FIRST,
        NO_ZONE,
    ),
    _situation("sar", lambda: _files(SAR.format(times=HOURS)), TOGETHER, NO_ZONE),
    _situation(
        "sar over a restart",
        lambda: _files(
            SAR.format(times=HOURS).replace("Average:", "10:00:35     LINUX RESTART	(2 CPU)\n\nAverage:")
        ),
        RESTARTED,
        TOGETHER,
        NO_ZONE,
    ),
    _situation(
        "several devices",
        lambda: _files(matrix([*node("sda", *BUSY), *node("sdb", *BUSY)])),
        f"{SEVERAL}: the file has sda, sdb. Of a RAID or LVM device take that",
    ),
    _situation(
        "one device and what is made of it",
        lambda: _files(matrix([*node("sda", *BUSY), *node("dm-0", *BUSY)])),
        "taken: sda; left out, because idle or made of it or part of it: dm-0",
    ),
    _situation("one device", lambda: _files(matrix(node("sda", *BUSY)))),
    _situation("all of CloudWatch's data", lambda: _pages("Complete")),
    _situation(
        "a part of CloudWatch's data",
        lambda: _pages("PartialData"),
        "VolumeReadOps: CloudWatch says that these are not all data",
    ),
]


def _large(size: int) -> Series:
    sizes = Column("rate", [T, T + 10], [size, size])
    ones = Column("rate", [T, T + 10], [1, 1])
    columns = {"reads": ones, "writes": ones, "read_bytes": sizes, "write_bytes": sizes}
    return build(Found("sda", columns, zone="UTC"), "made")


MEMBER, MADE_OF, PARTITION = "is a member of", "is made of", "is a partition: all of"
ITSELF, WRITEBACK = "the writes of the recording are in it", "appears later, as writeback by the kernel's own processes"


def _place(speak: Callable[[Machine], Sequence[str]]) -> Callable[[], Sequence[str]]:
    def spoken() -> Sequence[str]:
        with tempfile.TemporaryDirectory() as folder:
            machine = Machine(Path(folder))
            machine.disk("sda", "8:0")
            machine.partition("sda", 1, "8:1")
            machine.disk("sdb", "8:16")
            machine.disk("md0", "9:0")
            machine.disk("sdc", "8:32")
            machine.stack("md0", "sdb")
            return speak(machine)

    return cache(spoken)


def _of(*names: str) -> Callable[[], Sequence[str]]:
    def speak(machine: Machine) -> Sequence[str]:
        place = Place()
        for name in names:
            device = read_device(name, machine.root)
            assert device is not None
            place.add(device, machine.root)
        return place.notes

    return _place(speak)


def _of_process(machine: Machine) -> Sequence[str]:
    """Of a process with a file on a file system of sdc."""
    file = machine.root / "data"
    file.write_text("")
    device = file.stat().st_dev
    (machine.root / f"sys/dev/block/{device >> 8 & 0xFFF}:{device & 0xFF | device >> 12 & 0xFFF00}").symlink_to(
        machine.root / "sys/devices/virtual/block/sdc"
    )
    machine.write("proc/self/status", "Name:\tplimsoll\nNSpid:\t99\n")
    (machine.root / "proc/4711/fd").mkdir(parents=True)
    (machine.root / "proc/4711/fd/3").symlink_to(file)
    return place_of("4711", machine.root).notes


def _written(where: str) -> Callable[[], Sequence[str]]:
    """What is said of a recording on the disk that / is on, or in memory."""

    def speak() -> Sequence[str]:
        place = place_of("/")
        return [lies_on(Path(where), place) or ""]

    return cache(speak)


def _observed(name: str, speak: Callable[[], Sequence[str]], *says: str) -> Situation:
    every = (MEMBER, MADE_OF, PARTITION, ITSELF, WRITEBACK)
    never = tuple(each for each in every if not any(each in said for said in says))
    return Situation("places", name, speak, says, never)


PLACES = [
    _observed("a disk", _of("sdc")),
    _observed("a partition", _of("sda1"), f"sda1 {PARTITION} sda is observed"),
    _observed(
        "a member of a RAID",
        _of("sdb"),
        f"sdb {MEMBER} md0: its trace has what is left of the load",
        "observe /dev/md0 for what the applications ask for",
    ),
    _observed("a RAID", _of("md0"), f"md0 {MADE_OF} sdb: its trace has what the applications ask for"),
    _observed("a process", _place(_of_process), "the files of process 4711, those of others as well", WRITEBACK),
    _observed("a recording in memory", _written("/dev/shm/load.trace")),
    _observed("a recording on the observed disk", _written("/load.trace"), ITSELF),
]

SITUATIONS = [*MONITORING, *PLACES]
