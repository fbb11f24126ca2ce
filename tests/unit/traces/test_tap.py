"""Records of the kernel become a trace: with its times, in few bytes, and with what was lost on the way."""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from plimsoll.targets.blockdev import BlockDevice
from plimsoll.traces import core, notes
from plimsoll.traces.observe import RESOLUTION_NS, header
from plimsoll.traces.places import Place
from plimsoll.traces.tracefs import POINTS

DEV = 8 << 20
START_NS = 5_000_000_000
RECORD = struct.Struct("<H6xI4xQIi8s16s")
"""Number of the tracepoint, device, sector, sectors, error, kind, process."""
FIELDS = {
    "dev": (8, 4),
    "sector": (16, 8),
    "nr_sector": (24, 4),
    "error": (28, 4),
    "rwbs[8]": (32, 8),
    "comm[16]": (40, 16),
}
Told = tuple[int, str, int, int, str, str]
"""When, which tracepoint, sector, sectors, kind, process."""
TOTALS = {"kinds": [{"events": 0, "bytes": 0}] * 4, "unfinished": 0, "last_arrival_ns": 0, "recorded_ns": 10**9}


def formats() -> dict[str, str]:
    """As tracefs describes them; a split names where its second part begins."""
    found = {}
    for number, point in enumerate(POINTS):
        names = {
            ("new_sector" if point == "block_split" and name == "nr_sector" else name): at
            for name, at in FIELDS.items()
        }
        rows = [f"\tfield:x {name};\toffset:{at};\tsize:{size};" for name, (at, size) in names.items()]
        found[point] = "\n".join([f"name: {point}", f"ID: {number}", "format:", *rows])
    return found


def page(told: Iterable[Told]) -> bytes:
    """A page of the ring buffer: each record with the time since the one before it."""
    parts, before = [], START_NS
    for at_ns, point, sector, sectors, kind, who in told:
        record = RECORD.pack(POINTS.index(point), DEV, sector, sectors, 0, kind.encode(), who.encode())
        parts.append(struct.pack("<II", at_ns - before << 5, len(record) + 4) + record)
        before = at_ns
    data = b"".join(parts)
    return struct.pack("<QQ", START_NS, len(data)) + data


def recorded(told: Iterable[Told], *, anonymous: bool = False) -> bytes:
    """The whole trace."""
    disk = BlockDevice.model_construct(name="sda", number="8:0", size_bytes=1 << 40, model="", kind="disk")
    about = header(Place([disk]), "observe", "events", 0)
    devices = [{"dev": DEV, "requests": True, "fua": False}]
    setup = {"header": about, "formats": formats(), "devices": devices, "anonymous": anonymous, "start_ns": START_NS}
    tap = core.tap(setup)
    tap.page(page(told))
    packed = tap.advance((1 << 64) - 1, False)
    last, _ = tap.finish(json.dumps({**TOTALS, "counters": [], "left_out": []}))
    return packed + last


def one(at_ns: int, sector: int, *, waits_ns: int = 7_000, takes_ns: int = 300_000, kind: str = "R") -> list[Told]:
    """An I/O of 4 KiB."""
    issued, done = at_ns + waits_ns, at_ns + waits_ns + takes_ns
    return [
        (at_ns, "block_bio_queue", sector, 8, kind, "db"),
        (issued, "block_rq_issue", sector, 8, kind, "db"),
        (done, "block_rq_complete", sector, 8, kind, "db"),
    ]


def rows(folder: Path, packed: bytes) -> tuple[list[Any], core.Contents]:
    path = folder / "load.trace"
    path.write_bytes(packed)
    reader = core.opened(path)
    reader.feed(packed)
    found = list(reader.events())
    reader.finish()
    return found + list(reader.events()), core.contents(path)


def test_times_are_those_of_the_kernel(tmp_path: Path) -> None:
    told = one(START_NS + 1_000_000, 800)
    [(arrival, issue, latency, kind, offset, size, _, who)], found = rows(tmp_path, recorded(told))
    assert (kind, offset, size, found.header["processes"][who]) == (0, 800 * 512, 4096, "db")
    for seen, true in ((arrival, 1_000_000), (issue, 7_000), (latency, 307_000)):
        assert abs(seen - true) <= RESOLUTION_NS
    assert found.header["resolution_ns"] == RESOLUTION_NS


def test_rounding_neither_lengthens_nor_shortens_latencies(tmp_path: Path) -> None:
    draw, told, true = random.Random(1), [], []
    for number in range(2000):
        waits, takes = draw.randrange(1, 5_000), draw.randrange(1, 20_000)
        told += one(START_NS + 100_000 * number + draw.randrange(999), 8 * number, waits_ns=waits, takes_ns=takes)
        true.append(waits + takes)
    found, _ = rows(tmp_path, recorded(told))
    assert sum(row[2] for row in found) == pytest.approx(sum(true), rel=0.001)
    assert all(row[1] <= row[2] for row in found)


def test_100_million_random_ios_have_at_most_a_gigabyte(tmp_path: Path) -> None:
    """Nothing of them can be foreseen: neither when they come, nor where they go, nor how long they take."""
    draw, at_ns, told = random.Random(1), float(START_NS), []
    for _ in range(60_000):
        at_ns += draw.expovariate(1 / 800_000)
        waits, takes = draw.lognormvariate(8.7, 0.5), draw.lognormvariate(12.7, 0.7)
        told += one(
            round(at_ns),
            draw.randrange(1 << 26) * 8,
            waits_ns=round(waits),
            takes_ns=round(takes),
            kind=draw.choice("RRW"),
        )
    told.sort()
    packed = recorded(told)
    found, _ = rows(tmp_path, packed)
    assert len(found) == 60_000
    assert len(packed) / len(found) * 100e6 <= 1e9


def test_no_name_is_in_a_trace_that_is_anonymous(tmp_path: Path) -> None:
    packed = recorded(one(START_NS + 1_000, 8), anonymous=True)
    [row], found = rows(tmp_path, packed)
    assert (row[7], found.header["processes"]) == (0, [""])


def test_what_was_under_way_at_either_edge_is_said(tmp_path: Path) -> None:
    early, late = one(START_NS + 1_000, 8)[2:], one(START_NS + 100_000_000, 16)[:2]
    between = one(START_NS + 1_000_000, 800)
    _, found = rows(tmp_path, recorded([*early, *between, *late]))
    assert notes.notes(found.header, found.totals) == (
        "completions of I/Os that were under way when the recording began: 1; they are left out",
        "I/Os that were never seen to complete: 1 of 2; they count, without a latency",
    )
    _, whole = rows(tmp_path, recorded(between))
    assert notes.notes(whole.header, whole.totals) == ()
