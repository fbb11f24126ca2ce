"""Did the server do work of its own within the run?"""

from __future__ import annotations

from plimsoll.model import Finding, Level
from plimsoll.run.evidence import RunEvidence
from plimsoll.run.guards._judge import finding
from plimsoll.run.guards._server import change

NAME = "db_background"
TITLE = "The database's own work"
KINDS = ("db",)
WHY = """A checkpoint writes what the server has put off, a snapshot or a rewritten log the whole data set, a compaction
what it merges. One that falls into a short run makes it slow, and the next run, which has none, fast; both are right
for their ten seconds, and neither for a day."""

SEVERAL = 5
"""Of one kind, from which on a run holds its usual share of that work."""

_WORK = {
    "checkpoints": ("a checkpoint", "checkpoints"),
    "background_saves": ("a snapshot or rewriting of the log", "snapshots or rewritings of the log"),
    "compactions": ("a compaction", "compactions"),
}


def check(evidence: RunEvidence) -> Finding | None:
    """Servers that count it. A warning where it is a matter of chance that the run holds so much of it."""
    done = {name: count for name in _WORK if (count := change(evidence, name)) is not None}
    if not done:
        return None
    words = [_WORK[name][0] if count == 1 else f"{count:,} {_WORK[name][1]}" for name, count in done.items() if count]
    told = f"the database began {' and '.join(words)} within warm-up and run"
    return finding(
        NAME,
        Level.WARN if any(0 < count < SEVERAL for count in done.values()) else Level.OK,
        told if words else "the database had no work of its own",
        f"Make runs so long that each holds at least {SEVERAL} (runtime=), or compare only runs that hold as many.",
        **{name: float(count) for name, count in done.items()},
    )
