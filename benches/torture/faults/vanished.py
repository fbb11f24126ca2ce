"""The store goes: its file, or the whole folder; it comes back, or it does not."""

import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from benches.torture.stored import stored
from benches.torture.turn import Strike, Turn

NAME = "vanished"
MEANING = "the store is moved away or deleted while a command uses it"
SCENARIOS = ("long-session", "import", "take-in", "report", "session-redis")
TOUCHES = frozenset({"store", "disks"})


@contextmanager
def fault(turn: Turn) -> Iterator[Strike]:
    sandbox = turn.sandbox
    away = sandbox.folder / "away"
    how = turn.rng.choice(("moved", "moved", "deleted"))
    for_s = turn.rng.choice((0.3, 3.0, 60.0))
    over = threading.Event()

    def strike() -> None:
        files = [path for path in sandbox.home.glob("results.db*") if path.is_file()]
        if how == "deleted":
            turn.was_done = any(each.state == "done" for each in stored(sandbox, turn.before).new)
            for path in files:
                path.unlink(missing_ok=True)
            turn.store_taken = True
            turn.told.append(f"store deleted{' after its session was done' if turn.was_done else ''}")
            return
        turn.told.append(f"store moved away for {for_s} s")
        away.mkdir()
        for path in files:
            shutil.move(path, away / path.name)
        over.wait(for_s)
        _back(turn)

    yield strike
    over.set()


def _back(turn: Turn) -> None:
    """What was made in its place meanwhile is taken in, as a user would who finds two stores."""
    home, away = turn.sandbox.home, turn.sandbox.folder / "away"
    made = turn.sandbox.results.exists()
    if made:
        (turn.sandbox.folder / "meanwhile").mkdir()
        for path in home.glob("results.db*"):
            shutil.move(path, turn.sandbox.folder / "meanwhile" / path.name)
    for path in away.iterdir():
        shutil.move(path, home / path.name)
    if made:
        answer = turn.sandbox.run("merge", str(turn.sandbox.folder / "meanwhile/results.db"))
        assert answer.code == 0, answer.said
