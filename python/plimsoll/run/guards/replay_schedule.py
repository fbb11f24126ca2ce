"""Was a trace replayed in its own times?"""

from __future__ import annotations

import base64

from plimsoll.model import Finding, Level
from plimsoll.run.evidence import RunEvidence
from plimsoll.run.guards._judge import finding, percent
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
    message = f"99 % of the I/Os were issued at most {format_duration(round(late))} after they were due"
    return finding(
        NAME,
        Level.OK if kept else Level.WARN,
        message if kept else f"{message}; {_since(evidence)}: {_because(evidence)}",
        "Replay it more slowly (--speed 0.5), or on a faster target; what was late counts in the latencies.",
        late_p99_ns=float(late),
    )


def _since(evidence: RunEvidence) -> str:
    since = evidence.outcome.get("late_since_ns")
    return (
        "at times late, and in time again at the end"
        if since is None
        else f"from {format_duration(since)} on every one was late"
    )


def _because(evidence: RunEvidence) -> str:
    """Our own limit, where that held most of the late ones back, and not the target."""
    late, by_depth = evidence.outcome.get("late", 0), evidence.outcome.get("late_by_depth", 0)
    if 2 * by_depth <= late:
        return "target or host could not follow the trace"
    depth, together = evidence.io["depth"], (evidence.io.get("recording") or {}).get("together", 0)
    full = f"{percent(by_depth / late)} of these waited because {depth:,} were in flight, the most that are kept"
    if together > depth:
        return (
            f"{full}, and in the trace up to {together:,} are due at one moment, which no target could be in time for"
        )
    return f"{full}: the target did not finish them as fast as the trace asks"
