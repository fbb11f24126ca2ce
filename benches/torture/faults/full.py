"""A disk is full, for a while or to the end: that of the store, of the place that is measured, or of the outputs."""

import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from benches.torture.turn import Strike, Turn

NAME = "full"
MEANING = "a disk is full: the store's, the target's, or that of the outputs"
SCENARIOS = ("long-session", "import", "take-in", "merge", "report", "export", "volume", "volume-session",
             "session-redis", "session-postgresql", "session-sqlite")  # fmt: skip
TOUCHES = frozenset({"disks"})

SIZES = {"home": "64m", "disk": "256m", "out": "32m", "tmp": "64m"}


@contextmanager
def fault(turn: Turn) -> Iterator[Strike]:
    name = turn.rng.choice(sorted(SIZES))
    place = turn.sandbox.folder / name
    mount = [
        "mount",
        "-t",
        "tmpfs",
        "-o",
        f"size={SIZES[name]},mode={'1777' if name == 'tmp' else '755'}",
        "plimsoll-torture",
        str(place),
    ]
    subprocess.run(mount, check=True)
    spared = turn.rng.choice((0, 0, 4096, 20_000, 200_000))
    for_s = turn.rng.choice((None, 0.2, 2.0))
    timers: list[threading.Timer] = []
    filler = place / ".lost-room"

    def strike() -> None:
        turn.told.append(f"{name} full but for {spared:,} bytes{f', for {for_s} s' if for_s else ''}")
        with suppress(OSError), filler.open("wb", buffering=0) as file:
            while True:
                file.write(bytes(1 << 16))
        with suppress(OSError):
            os.truncate(filler, max(0, filler.stat().st_size - spared))
        if for_s is not None:
            timers.append(threading.Timer(for_s, lambda: filler.unlink(missing_ok=True)))
            timers[0].start()

    yield strike
    for timer in timers:
        timer.join()
    filler.unlink(missing_ok=True)
