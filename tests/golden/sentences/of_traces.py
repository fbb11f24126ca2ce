"""Traces and recordings of which everything is known, with what is said of them before they are used."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from tests.golden.sentences.speech import Situation
from tests.unit.traces.test_formats import CLOUDPHYSICS, HOUR_US, IOLOG2, MSR, TENCENT, alibaba
from tests.unit.traces.test_replay import LINES, OTHER

from plimsoll.errors import PlimsollError
from plimsoll.traces import cgroups, core, notes, observe, replay
from plimsoll.traces.seconds import from_trace, told
from plimsoll.units import MIB

LOST = "records that the kernel lost because its buffers were full"
BEGUN_BEFORE = "completions of I/Os that were under way when the recording began"
FAILED = "I/Os that failed"
GIVEN_UP = "I/Os that did not complete within 10 minutes"
NO_END = "I/Os that were never seen to complete"
CUT = "the file is cut short"
SEVERAL = "say which with --device NAME"
BACK, AHEAD, LATE = "steps back of the clock", "steps ahead of the clock", "or 10 minutes, out of order"
NO_LATENCIES, SECONDS = "how long each I/O took is not in this format", "times are whole seconds"
FORCED, PASS_THROUGH = "are to be durable when they are done (FUA)", "(pass-through)"
DROPPED, ANONYMOUS = "older parts of the recording were dropped", "the names of processes were left out"
ALL = (
    LOST, BEGUN_BEFORE, FAILED, GIVEN_UP, NO_END, CUT, SEVERAL, BACK, AHEAD, LATE, NO_LATENCIES, SECONDS, FORCED,
    PASS_THROUGH, DROPPED, ANONYMOUS, "that blktrace lost", "no arrivals (Q)", "has no times",
)  # fmt: skip
"""What the first words of a reader can be about; a trace of which nothing is to be said is not told any of it."""


def _others(*says: str) -> tuple[str, ...]:
    """Everything else."""
    return tuple(each for each in ALL if not any(each in said or said in each for said in says))


def _of_file(content: bytes | str) -> Sequence[str]:
    """What is said of one trace, or why it is refused."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "load"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        try:
            found = told(path)
            from_trace(path)
        except PlimsollError as error:
            return [str(error)]
        return found.notes


def _trace(name: str, content: bytes | str | Callable[[], bytes], *says: str) -> Situation:
    def speak() -> Sequence[str]:
        return _of_file(content() if callable(content) else content)

    return Situation("traces", name, cache(speak), says, _others(*says))


def _own(text: str, *, cut: int = 0, **totals: Any) -> bytes:
    """A trace in our own format, with what its end says instead, without its last bytes."""
    with tempfile.TemporaryDirectory() as folder:
        path, own = Path(folder) / "load.txt", Path(folder) / "own.trace"
        path.write_text(text)
        own.write_bytes(b"".join(core.converted(path)))
        found = {**core.contents(path).totals, **totals}
        whole = b"".join(core.joined([own], found, from_first=False))
    return whole[: len(whole) - cut]


OTHERS = "that are not of process 77 or of others in its cgroup"
NO_WRITEBACK = "do not count what a process writes through the page cache"


def _of_a_group(file: str, own_bytes: int) -> Sequence[str]:
    """Of a device that read 1000 bytes."""
    group = cgroups.Group(77, Path("/sys/fs/cgroup/pg") / file, "/pg")
    return notes.left_out(cgroups.of_others(group, "sda", (own_bytes, 0, 0), (1000, 0, 0, 0)))


def _blk(at_s: float, mark: str, flags: str = "R", sector: int = 1000, who: str = "db") -> str:
    return f"8,0 1 1 {at_s:.9f} 7 {mark} {flags} {sector} + 8 [{who}]\n"


def _io(at_s: float, flags: str = "R", sector: int = 1000) -> str:
    return _blk(at_s, "Q", flags, sector) + _blk(at_s + 0.0001, "C", flags, sector, "0")


WHOLE = _io(1) + _io(2) + _io(3)
SUMMARY = "Total (8,0):\n Reads Queued: 3, 12KiB\t Writes Queued: 0, 0KiB\nSkips: {} forward ({} -   1.2%)\n"
LONG = "".join(_io(i, sector=8 * i) for i in range(1, 1100))
SORTED = "".join(
    f"{device},R,0,4096,{1_577_808_000_000_000 + hour * HOUR_US + i}\n"
    for device in range(20)
    for hour in range(3)
    for i in range(70)
)
BEFORE = [5 * HOUR_US + i * 1000 for i in range(200)]

TRACES = [
    _trace("nothing to be said", WHOLE),
    _trace("nothing to be said of one of our own", lambda: _own(WHOLE)),
    _trace("blktrace lost nothing", WHOLE + SUMMARY.format(0, 0)),
    _trace(
        "blktrace lost events",
        WHOLE + SUMMARY.format(3, 12),
        "events that blktrace lost because its buffers were full: 12",
    ),
    _trace(
        "the kernel lost records", lambda: _own(WHOLE, left_out=notes.lost(1234)), f"{LOST}: 1,234; I/Os are missing"
    ),
    _trace(
        "under way when it began", _blk(0.5, "C", sector=8, who="0") + WHOLE, f"{BEGUN_BEFORE}: 1; they are left out"
    ),
    _trace(
        "one failed", WHOLE.replace("3.000100000 7 C R 1000 + 8 [0]", "3.000100000 7 C R 1000 + 8 [5]"), f"{FAILED}: 1"
    ),
    _trace("many failed", LONG.replace("[0]", "[5]"), f"{FAILED}: 1,099; they count like others"),
    _trace("one was given up", _blk(0.5, "Q", sector=4) + LONG, f"{GIVEN_UP}: 1", f"{NO_END}: 1 of 1,100"),
    _trace("one has no end", WHOLE + _blk(4, "Q"), f"{NO_END}: 1 of 4; they count, without a latency"),
    _trace(
        "no arrivals were recorded",
        "".join(_blk(i, "D") + _blk(i + 0.001, "C", who="0") for i in (1, 2)),
        "no arrivals (Q)",
    ),
    _trace("other requests", WHOLE + _blk(4, "C", "N", who="0"), f"{PASS_THROUGH}: 1; they are left out"),
    _trace(
        "SCSI commands that move nothing", CLOUDPHYSICS, "reads, writes, unmaps nor flushes: 1", NO_LATENCIES, SECONDS
    ),
    _trace("a write with a promise", WHOLE + _io(4, "WFS"), FORCED),
    _trace(
        "several devices",
        LINES + OTHER,
        "has several devices (8,0, 8,16); say which with --device NAME. Of a RAID or LVM",
    ),
    _trace("sorted by device", SORTED, "for the 17th time: the file is not in order of time"),
    _trace("a line without an end", f"{WHOLE}{'x' * 70_000}\n{WHOLE}", "is longer than any line of a trace"),
    _trace("a text that ends in a line", WHOLE + "8,0 1 1 4.0000", CUT),
    _trace("a file that lacks its end", lambda: _own(WHOLE, cut=1), CUT),
    _trace(
        "a clock that was set back",
        alibaba([*BEFORE, *(each - HOUR_US for each in BEFORE)]),
        f"{BACK}, the first by 3600 s in line 201: 1",
        NO_LATENCIES,
    ),
    _trace(
        "a clock that was set ahead",
        alibaba([0, 1000, 720 * HOUR_US]),
        f"{AHEAD}, the first by 29 days in line 3: 1",
        NO_LATENCIES,
    ),
    _trace(
        "one row that is late",
        alibaba([*BEFORE, 4 * HOUR_US, *(each + 200_000 for each in BEFORE)]),
        LATE,
        NO_LATENCIES,
    ),
    _trace("rows in order", alibaba(BEFORE), NO_LATENCIES),
    _trace("of one device and with latencies", MSR.replace("hm,1", "hm,0")),
    _trace("whole seconds", TENCENT.replace("1064", "1063"), NO_LATENCIES, SECONDS),
    _trace("an iolog with waits", IOLOG2, NO_LATENCIES),
    _trace("an iolog without waits", IOLOG2.replace("/x wait 2000 0\n", ""), NO_LATENCIES, "has no times"),
    _trace("the newest part of a ring", lambda: _own(WHOLE, left_out=[notes.DROPPED]), DROPPED),
    Situation(
        "traces",
        "anonymous",
        lambda: notes.notes({"notes": [notes.ANONYMOUS]}, core_totals()),
        (ANONYMOUS,),
        _others(ANONYMOUS),
    ),
    Situation(
        "traces",
        "a counter that was set back",
        lambda: notes.left_out(notes.counters_set_back(2)),
        ("intervals in which a counter went back, because a device was made anew: 2",),
        ALL,
    ),
    *(
        Situation("traces", name, partial(_of_a_group, file, own), says, never)
        for name, file, own, says, never in (
            ("of one group alone", "io.stat", 1000, (), (OTHERS,)),
            ("shared with others", "io.stat", 250, (f"{OTHERS} /pg: 75 % of the bytes read",), (NO_WRITEBACK,)),
            ("shared, version 1", "blkio.throttle.io_service_bytes_recursive", 250, (OTHERS, NO_WRITEBACK), ()),
        )
    ),
]


def core_totals() -> dict[str, Any]:
    """Of three I/Os of which all is known."""
    return {"kinds": [{"events": 3, "bytes": 12288}], "unfinished": 0, "left_out": []}


def _replayed(name: str, text: str, how: replay.How, *says: str, never: tuple[str, ...] = ()) -> Situation:
    def speak() -> Sequence[str]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "load.txt"
            path.write_text(text)
            load = replay.look_through(path)
            return replay.said(load, 0, how)

    return Situation("replays", name, cache(speak), says, never)


ONLY_READS, TRIMS, UNALIGNED = "only reads are replayed here", "trims: ", "that are not of whole blocks of"
TOGETHER, LONGEST = "I/Os are due at one moment", "are replayed as if they were that long"
AT_ONCE = "fio version 3 iolog\n0 /dev/sda add\n0 /dev/sda open\n" + "".join(
    f"0 /dev/sda read {4096 * i} 4096\n" for i in range(1500)
)
LARGE = f"fio version 3 iolog\n0 /x add\n0 /x open\n1 /x read 0 {8 * MIB}\n2 /x read {8 * MIB} {8 * MIB}\n"

REPLAYS = [
    _replayed("all of it", WHOLE, replay.How(), never=(ONLY_READS, TRIMS, UNALIGNED, TOGETHER, LONGEST, CUT)),
    _replayed(
        "trims and writes on a device",
        LINES,
        replay.How(reads_only=True),
        f"writes and flushes: 1; they are left out, because {ONLY_READS}",
        f"{TRIMS}1; they are left out",
    ),
    _replayed(
        "odd sectors on large blocks",
        LINES.replace("1000 + 8", "1001 + 9"),
        replay.How(align=4096),
        f"{UNALIGNED} 4,096 bytes, as the target needs them: 1",
        never=(ONLY_READS, TOGETHER),
    ),
    _replayed(
        "more at once than is kept", AT_ONCE, replay.How(), f"up to 1,500 {TOGETHER}", NO_LATENCIES, never=(LONGEST,)
    ),
    _replayed("more at once, closed", AT_ONCE, replay.How(closed=True), never=(TOGETHER,)),
    _replayed(
        "longer than a buffer", LARGE, replay.How(), f"I/Os longer than 4 MiB {LONGEST}", never=(TOGETHER, TRIMS)
    ),
    _replayed("a file that is cut", WHOLE + "8,0 1 1 4.0000", replay.How(), CUT),
]


class _Disk:
    """As much of a block device as its counters are compared for."""

    name, largest_request_bytes = "sda", 1 << 20


def _counted(sums: int, *, missing: int = 0, lost: int = 0, back: bool = False) -> Sequence[str]:
    """What is said where a device counted `sums` reads of 4 KiB, of which `missing` are not in the trace."""
    empty = {
        "requests": [0] * 4,
        "merged": [0] * 4,
        "bytes": [0] * 4,
        "latency_ns": [0] * 4,
        "in_flight": 0,
        "busy_ns": 0,
    }
    after = {**empty, "requests": [sums, 0, 0, 0], "bytes": [sums * 4096, 0, 0, 0]}
    seen = [{"parts": sums - missing, "bytes": (sums - missing) * 4096}, *({"parts": 0, "bytes": 0},) * 3]
    state = {"begun_before": 0, "between": [{"least": seen, "most": seen}]}
    before, after = (after, empty) if back else (empty, after)
    return observe.differences([_Disk()], [before], [after], state, lost)  # type: ignore[list-item]


MISSING, LOST_ONES, ANEW = (
    "so the trace is not all that the device did",
    "records were lost",
    "the device was made anew",
)


def _recorded(name: str, speak: Callable[[], Sequence[str]], *says: str) -> Situation:
    never = tuple(each for each in (MISSING, LOST_ONES, ANEW) if not any(each in said for said in says))
    return Situation("recordings", name, cache(speak), says, never)


RECORDINGS = [
    _recorded("all that the device did", lambda: _counted(100)),
    _recorded(
        "not all of it",
        lambda: _counted(1000, missing=1),
        f"sda counted 4,096,000 bytes of reads, the trace has 4,091,904: {MISSING}",
    ),
    _recorded("not all, for records were lost", lambda: _counted(1000, missing=1, lost=7), LOST_ONES),
    _recorded("made anew", lambda: _counted(100, back=True), f"the counters of sda were set back meanwhile: {ANEW}"),
]

SITUATIONS = [*TRACES, *REPLAYS, *RECORDINGS]
