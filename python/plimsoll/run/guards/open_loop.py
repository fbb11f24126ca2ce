"""Could the place keep up with the rate that was asked for?"""

from __future__ import annotations

from plimsoll.model import Finding, Level
from plimsoll.run.evidence import RunEvidence
from plimsoll.run.guards._judge import finding, percent

NAME = "open_loop"
TITLE = "Offered rate reached"
WHY = """At a fixed rate a place that cannot keep up builds a backlog, and latency then grows with the length of the
run: it says how long the test was, not how fast the place is."""

LEAST = 0.99
"""Achieved / offered operations."""


def check(evidence: RunEvidence) -> Finding | None:
    """Open loop only. A warning: the throughput is right, the latencies are not comparable."""
    offered = evidence.outcome["offered_operations"]
    if not offered:
        return None
    done = sum(evidence.totals(kind)["operations"] for kind in ("read", "write", "trim"))
    share = done / offered
    # The last operations of a schedule are still in flight at its end; a replay goes on until they are done.
    is_replay = evidence.io.get("recording") is not None
    saturated = share < LEAST and offered - done > (0 if is_replay else evidence.in_flight)
    return finding(
        NAME,
        Level.WARN if saturated else Level.OK,
        f"{done:,} of {offered:,} scheduled operations were done{'' if is_replay else ' in time'} ({percent(share)})"
        + (": saturated, so the latencies are not comparable" if saturated else ""),
        "Lower the rate, or raise depth or threads; of a saturated run only the throughput counts.",
        share=share,
    )
