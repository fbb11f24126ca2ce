"""The command is killed as it makes one of its system calls, which repeats better than a moment."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

from benches.torture.faults import _killed
from benches.torture.supervisor import Supervisor
from benches.torture.turn import Turn

NAME = "kill"
MEANING = "kill -9 at one system call"
SCENARIOS = (*_killed.SCENARIOS, "session-sqlite")
TOUCHES = frozenset({"calls"})


@contextmanager
def fault(turn: Turn) -> Iterator[None]:
    assert turn.supervisor is not None
    turn.endings.add(-signal.SIGKILL)
    turn.supervisor = Supervisor(turn.sandbox.folder, kills=turn.rng.choice(turn.supervisor.calls(most=40)))
    yield None
