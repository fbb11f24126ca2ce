"""One system call fails."""

from collections.abc import Iterator
from contextlib import contextmanager

from benches.torture.supervisor import ERRORS, Supervisor
from benches.torture.turn import Turn

NAME = "call"
MEANING = "one system call fails: open, write, fsync, rename, connect, clone, …"
SCENARIOS = ("session", "import", "take-in", "merge", "report", "export", "export-again", "volume", "volume-delete",
             "volume-session", "session-redis", "session-sqlite")  # fmt: skip
TOUCHES = frozenset({"calls"})


@contextmanager
def fault(turn: Turn) -> Iterator[None]:
    assert turn.supervisor is not None
    call = turn.rng.choice(turn.supervisor.calls(most=40))
    error = turn.rng.choice(ERRORS[call.name])
    turn.supervisor = Supervisor(turn.sandbox.folder, fails=call, error=error)
    yield None
