"""A gull looks at the command, and does nothing."""

from collections.abc import Iterator
from contextlib import contextmanager

from benches.torture.turn import Strike, Turn

NAME = "harbour"
MEANING = "a gull sits down beside the command"
SCENARIOS = ("import", "report")
TOUCHES = frozenset({"gulls"})


@contextmanager
def fault(turn: Turn) -> Iterator[Strike]:
    yield lambda: turn.told.append("a gull sat down")
    turn.told.append("it flew away")
