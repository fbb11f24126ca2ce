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

_WORK = {
    "checkpoints": "checkpoint",
    "background_saves": "snapshot or rewriting of the log",
    "compactions": "compaction",
}


def check(evidence: RunEvidence) -> Finding | None:
    """Servers that count it. A warning: what the run shows is part of the truth."""
    done = {name: count for name in _WORK if (count := change(evidence, name)) is not None}
    if not done:
        return None
    words = [f"{count:,} × {_WORK[name]}" if count > 1 else f"a {_WORK[name]}" for name, count in done.items() if count]
    return finding(
        NAME,
        Level.WARN if words else Level.OK,
        f"the database began {' and '.join(words)} within warm-up and run"
        if words
        else "the database had no work of its own",
        "Make runs so long that each holds several (runtime=), or compare only runs that hold as many.",
        **{name: float(count) for name, count in done.items()},
    )
