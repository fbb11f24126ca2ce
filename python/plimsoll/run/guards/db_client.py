"""Was the client of a database test the limit?"""

from __future__ import annotations

from plimsoll.model import Finding, Level
from plimsoll.run.evidence import RunEvidence
from plimsoll.run.guards._judge import finding, graded, percent, softened
from plimsoll.targets import database

NAME = "db_client"
TITLE = "Database client"
KINDS = ("db",)
WHY = """A thread of the client that works all the time sends as fast as it can, and the server might take more. The
embedded databases do their work in the client's threads, so there it says nothing."""

WARN = 0.85
"""Busiest thread, share of the measured time."""


def check(evidence: RunEvidence) -> Finding | None:
    """Servers only. A warning: the rate is a lower bound of what the server can do."""
    if not evidence.outcome.get("server") or _is_embedded(evidence):
        return None
    thread = float(evidence.outcome["cpu"]["busiest_thread"])
    level = softened(graded(thread, WARN, float("inf")), evidence.long_enough)
    return finding(
        NAME,
        level,
        f"the busiest thread of the client used {percent(thread)} of a processor"
        + ("" if level is Level.OK else ": the server might be able to do more"),
        "Use more client threads (threads=), a client machine of its own, or several (--cluster).",
        busiest_thread=thread,
    )


def _is_embedded(evidence: RunEvidence) -> bool:
    server = evidence.parameters["server"]
    if server == "none" and evidence.target.kind == "database":
        server = database.driver(evidence.target)
    return server in database.EMBEDDED
