"""A server that a session started is killed: that of a database, or that of a volume."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

from benches.torture.sandbox import PLIMSOLL
from benches.torture.turn import Strike, Turn

NAME = "server"
MEANING = "a private server dies: Redis, PostgreSQL, MariaDB, or that of a served volume"
SCENARIOS = ("session-redis", "session-postgresql", "session-mariadb", "volume-session", "volume", "volume-delete")
TOUCHES = frozenset({"servers"})

SERVERS = ("redis-server", "postgres", "mariadbd", "plimsoll.volumes.server")


@contextmanager
def fault(turn: Turn) -> Iterator[Strike]:
    after_s = turn.rng.random() * 2

    def strike() -> None:
        while not (found := _servers(turn)):
            if turn.process is None or turn.process.poll() is not None:
                turn.told.append("no server was there")
                return
            time.sleep(0.01)
        time.sleep(after_s)
        found = _servers(turn) or found
        if turn.scenario.name == "volume":
            # Its data goes with its server, also when it had just been made.
            turn.scenario = replace(turn.scenario, missing=lambda _sandbox, _stored: [])
        number, words = turn.rng.choice(sorted(found))
        turn.told.append(f"SIGKILL to {os.path.basename(words.split()[0])}")
        with suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)

    yield strike


def _servers(turn: Turn) -> list[tuple[int, str]]:
    """Not the command itself, whose words name the server as well."""
    found = [(number, words) for number, words in turn.sandbox.processes() if f"{PLIMSOLL} " not in words]
    return [(number, words) for number, words in found if any(name in words for name in SERVERS)]
