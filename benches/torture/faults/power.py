"""The machine loses its power: the command is gone, and so is whatever no flush made durable."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

from benches.torture.faults._volume import disk_below
from benches.torture.turn import Strike, Turn

NAME = "power"
MEANING = "power is lost: the command is killed, and unflushed writes are dropped"
SCENARIOS = ("long-session", "session", "import", "take-in", "merge", "report", "export")
TOUCHES = frozenset({"disks", "command", "calls"})


@contextmanager
def fault(turn: Turn) -> Iterator[Strike]:
    name = turn.rng.choice(("home", "home", "home", "disk", "out"))
    with disk_below(turn, name) as disk:

        def strike() -> None:
            turn.told.append(f"power of {name} lost")
            # What is told after the power is gone was told to nobody: the command must not go on.
            if turn.process is not None:
                turn.process.send_signal(signal.SIGSTOP)
            disk.fault("power-loss", "--for", "1h")
            turn.kill()

        yield strike
        disk.restart()
