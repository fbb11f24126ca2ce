"""Was the client of a database test the limit?"""

from __future__ import annotations

from plimsoll.drivers import works_in_client
from plimsoll.model import Finding, Level
from plimsoll.run.evidence import RunEvidence
from plimsoll.run.guards._judge import finding, graded, percent, softened

NAME = "db_client"
TITLE = "Database client"
KINDS = ("db",)
WHY = """A thread of the client that works all the time sends as fast as it can, and the server might take more. The
embedded databases do their work in the client's threads, so there it says nothing. With more threads than processors no
single thread can be busy all the time: then all of them together count."""

WARN = 0.85
"""Busiest thread, share of the measured time; or all threads, share of the time of all processors."""


def check(evidence: RunEvidence) -> Finding | None:
    """Servers only. A warning: the rate is a lower bound of what the server can do."""
    if not evidence.database["server"]:
        return None
    if works_in_client(evidence.db["server"], evidence.target.where):
        return None
    cpu = evidence.outcome["cpu"]
    thread, every = cpu["busiest_thread"], cpu["all_processors"]
    level = softened(graded(max(thread, every), WARN, float("inf")), evidence.long_enough)
    used = f"the busiest thread of the client used {percent(thread)} of a processor"
    more_threads = "more client threads (threads=), "
    if every >= WARN:
        used, more_threads = f"the client's threads used {percent(every)} of all processors", ""
    return finding(
        NAME,
        level,
        used + ("" if level is Level.OK else ": the server might be able to do more"),
        f"Use {more_threads}a client machine of its own, or several (--cluster).",
        busiest_thread=thread,
        all_processors=every,
    )
