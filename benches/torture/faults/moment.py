"""The command is killed, or asked to end, at any moment."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

from benches.torture.faults import _killed
from benches.torture.turn import Strike, Turn

NAME = "moment"
MEANING = "kill -9, Ctrl-C, SIGTERM or SIGHUP at any moment"
SCENARIOS = (*_killed.SCENARIOS, "long-session")
TOUCHES = frozenset({"command"})


@contextmanager
def fault(turn: Turn) -> Iterator[Strike]:
    number = turn.rng.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGHUP))

    def strike() -> None:
        turn.told.append(f"{number.name} to {turn.scenario.name}")
        if number is signal.SIGKILL:
            turn.kill()
        elif turn.process is not None:
            # Until it can clean up, it has nothing to clean up, and ends as the system has it.
            turn.endings.add(-number)
            turn.process.send_signal(number)

    yield strike
