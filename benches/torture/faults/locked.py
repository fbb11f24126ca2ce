"""Another program has the store for itself, for moments or for longer than anybody waits."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from benches.torture.turn import Strike, Turn

NAME = "locked"
MEANING = "another program holds the store's lock for a while"
SCENARIOS = ("long-session", "import", "take-in", "merge", "report", "export", "session-redis")
TOUCHES = frozenset({"store"})


@contextmanager
def fault(turn: Turn) -> Iterator[Strike]:
    for_s = turn.rng.choice((0.3, 2.0, 2.0, 8.0, 40.0))
    over = threading.Event()

    def strike() -> None:
        turn.told.append(f"store locked for {for_s} s")
        connection = sqlite3.connect(turn.sandbox.results, timeout=20, isolation_level=None)
        try:
            connection.execute("BEGIN EXCLUSIVE")
            # As long as said, whatever the command does meanwhile.
            over.wait(for_s)
            connection.execute("ROLLBACK")
        finally:
            connection.close()

    yield strike
    over.set()
