"""Was a trace replayed in its own times?"""

from __future__ import annotations

import base64

from plimsoll.model import Finding, Level
from plimsoll.run.evidence import RunEvidence
from plimsoll.run.guards._judge import finding
from plimsoll.stats.histogram import decode
from plimsoll.units import MILLISECOND, format_duration

NAME = "replay_schedule"
TITLE = "Trace replayed on time"
WHY = """A replay that issues I/O later than it was recorded asks for less than the application did, and its latencies
are too good. They count from when an I/O was due, so that a late one is not hidden; where many are late, the place did
not get the load of the trace."""

KEPT_NS = MILLISECOND
"""p99 of the lateness of a schedule that was kept."""


def check(evidence: RunEvidence) -> Finding | None:
    """Replays in their own times only."""
    recorded = evidence.outcome.get("histograms", {}).get("lateness")
    if recorded is None:
        return None
    late = decode(base64.b64decode(recorded)).percentile(99.0)
    if late is None:
        return None
    kept = late <= KEPT_NS
    since = evidence.outcome.get("late_since_ns")
    message = f"I/Os were issued at most {format_duration(round(late))} after they were due (p99)"
    if not kept and since is not None:
        message += f"; from {format_duration(since)} on every one was late: target or host could not follow the trace"
    elif not kept:
        message += ": at times target or host could not follow the trace, and caught up later"
    return finding(
        NAME,
        Level.OK if kept else Level.WARN,
        message,
        "Replay it more slowly (--speed 0.5), or on a faster target; what was late counts in the latencies.",
        late_p99_ns=float(late),
    )
