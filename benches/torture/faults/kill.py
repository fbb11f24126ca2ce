"""The command is killed as it makes one of its system calls, which repeats better than a moment."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

from benches.torture.supervisor import Supervisor
from benches.torture.turn import Turn

NAME = "kill"
MEANING = "kill -9 at one system call"
SCENARIOS = ("session", "import", "take-in", "merge", "report", "export", "export-again", "volume", "volume-delete",
             "volume-session", "session-redis", "session-postgresql", "session-mariadb",
             "session-sqlite")  # fmt: skip
TOUCHES = frozenset({"calls"})


@contextmanager
def fault(turn: Turn) -> Iterator[None]:
    assert turn.supervisor is not None
    turn.endings.add(-signal.SIGKILL)
    turn.supervisor = Supervisor(turn.ground.folder, kills=turn.rng.choice(turn.supervisor.calls(most=40)))
    yield None
