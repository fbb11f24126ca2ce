"""A disk answers with I/O errors on a part of it, for a while."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from benches.torture.faults._volume import SIZE_BYTES, disk_below
from benches.torture.turn import Strike, Turn

NAME = "errors"
MEANING = "a disk answers with EIO on a part of it, for a while"
SCENARIOS = ("long-session", "import", "take-in", "report", "export", "session-redis", "session-sqlite")
TOUCHES = frozenset({"disks"})


@contextmanager
def fault(turn: Turn) -> Iterator[Strike]:
    name = turn.rng.choice(("home", "home", "disk", "out"))
    length = turn.rng.choice((1 << 20, 64 << 20, SIZE_BYTES))
    offset = turn.rng.randrange(0, SIZE_BYTES - length + 1, 4096)
    only = turn.rng.choice((None, "read", "write"))
    for_s = turn.rng.choice((0.1, 1.0, 3.0))
    with disk_below(turn, name) as disk:
        over = threading.Event()

        def strike() -> None:
            turn.told.append(f"EIO for {only or 'all I/O'} in {length >> 20} MiB at {offset} of {name} for {for_s} s")
            more = () if only is None else ("--only", only)
            disk.fault("error", "--offset", str(offset), "--length", str(length), *more)
            over.wait(for_s)
            disk.fault("clear")

        yield strike
        over.set()
        disk.restart()
