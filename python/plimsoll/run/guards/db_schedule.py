"""Did the clients of a database test keep the rate that was asked for?"""

from __future__ import annotations

from plimsoll.model import Finding, Level
from plimsoll.run.evidence import RunEvidence
from plimsoll.run.guards._judge import finding, percent
from plimsoll.run.scores import saturated_share

NAME = "db_schedule"
TITLE = "Database rate reached"
KINDS = ("db",)
WHY = """At a fixed rate a server that cannot keep up, or too few clients, build a backlog, and latency counted from the
intended start then grows with the length of the run. Percentiles of such a run are withheld; where the backlog is so
long that nothing of the measured time was begun at all, the run says nothing."""


def check(evidence: RunEvidence) -> Finding | None:
    """Open loop only. A warning: the throughput is right; invalid where nothing was counted."""
    outcome = evidence.database
    offered = outcome["offered_operations"]
    if not offered:
        return None
    done = outcome["completed"] + sum(sum(outcome["errors"].get(name, {}).values()) for name in outcome["whole"])
    share, late = done / offered, saturated_share(outcome, done)
    level = Level.INVALID if not done else Level.WARN if late else Level.OK
    return finding(
        NAME,
        level,
        f"{done:,} of {offered:,} scheduled operations were done in time ({percent(share)})"
        + (": saturated, so the latencies are withheld" if late else ""),
        "Lower the rate (rate=), or raise clients= or threads=; of a saturated run only the throughput counts.",
        share=share,
    )
