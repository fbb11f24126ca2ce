"""Profiles of loads of which everything is known."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from tests.golden.sentences.speech import Situation
from tests.unit.traces.test_profile import Io, blkparse, steady

from plimsoll.traces.profile.load import look
from plimsoll.traces.profile.sentences import answer

HIDDEN = "Demand is hidden"
NO_SATURATION = "No stretch shows a saturated device"
BURSTS = "It comes in bursts"
EVEN = "It is even"
VARIES = "It varies from second to second"
LITTLE = "Additional cache would absorb hardly anything"
CACHE = "of additional cache would absorb"
UNTIMED = "The trace lacks latencies"
FOUND = "in flight on average, itself included"

FIO = "fio version 3 iolog\n0 /dev/sda add\n0 /dev/sda open\n" + "".join(
    f"{20_000 * i} /dev/sda read {4096 * i} 4096\n" for i in range(100)
)


def _lines(content: str) -> Sequence[str]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "load.txt"
        path.write_text(content, encoding="utf-8")
        return answer(look(path))


def _situation(name: str, content: str, says: tuple[str, ...], never: tuple[str, ...]) -> Situation:
    return Situation("profiles", name, cache(lambda: _lines(content)), says, never)


def _of(name: str, ios: Sequence[Io], says: tuple[str, ...], never: tuple[str, ...]) -> Situation:
    return _situation(name, blkparse(ios), says, never)


SITUATIONS = [
    _of(
        "an even load that reads nothing twice",
        steady(50, 6),
        (EVEN, LITTLE, NO_SATURATION, FOUND, "8,0 did 50.2 I/Os"),
        (HIDDEN, BURSTS, CACHE, UNTIMED, "too short a time to tell a rate"),
    ),
    _of(
        "twice as much in one second of ten",
        [*steady(50, 9), *steady(100, 1, since=9)],
        (VARIES,),
        (EVEN, BURSTS),
    ),
    _of(
        "a fifth more in one second of ten",
        [*steady(50, 9), *steady(58, 1, since=9)],
        (EVEN,),
        (VARIES, BURSTS),
    ),
    _of(
        "a burst that reads the same again",
        [*steady(5, 6, blocks=20), *steady(200, 1, blocks=20, since=6)],
        (BURSTS, "1 MiB " + CACHE, NO_SATURATION),
        (EVEN, LITTLE, HIDDEN, UNTIMED),
    ),
    _of(
        "a plateau with forty times the latency",
        [*steady(40, 6), *steady(200, 6, latency_s=0.02, since=6), *steady(40, 6, since=12)],
        (HIDDEN, "a lower bound of what was asked of it", FOUND),
        (NO_SATURATION, UNTIMED),
    ),
    _of(
        "only writes",
        [(i / 20, 0.0005, "W", 8 * i, 8) for i in range(60)],
        (EVEN, "0 % reads"),
        (LITTLE, CACHE, HIDDEN),
    ),
    _of("one I/O", [(0.0, 0.0005, "R", 0, 8)], ("too short a time to tell a rate",), (EVEN, BURSTS, HIDDEN)),
    _situation("a log without latencies", FIO, (UNTIMED, EVEN), (HIDDEN, NO_SATURATION, FOUND)),
]
