"""The store is in PostgreSQL, whose server is killed and comes back."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from benches.torture.postgres import Postgres
from benches.torture.turn import Strike, Turn

NAME = "store-server"
MEANING = "the server of a store in PostgreSQL is killed, and comes back"
SCENARIOS = ("long-session", "import", "take-in", "report", "export")
TOUCHES = frozenset({"store", "calls", "disks"})


@contextmanager
def fault(turn: Turn) -> Iterator[Strike]:
    away_s = turn.rng.choice((0.0, 0.5, 2.0, 2.0, 10.0))
    with Postgres.running(
        turn.sandbox.folder.parent / f"{turn.sandbox.folder.name}-server", turn.sandbox.later
    ) as server:
        turn.sandbox.store = server.new_database()
        over = threading.Event()

        def strike() -> None:
            turn.told.append(f"store's server killed, away for {away_s} s")
            server.kill()
            over.wait(away_s)
            server.start()

        yield strike
        over.set()
