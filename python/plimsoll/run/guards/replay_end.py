"""Was a trace replayed to its end?"""

from __future__ import annotations

from plimsoll.model import Finding, Level
from plimsoll.run.evidence import RunEvidence
from plimsoll.run.guards._judge import finding, percent
from plimsoll.units import format_duration

NAME = "replay_end"
TITLE = "Trace replayed to its end"
WHY = """A place that is slower than the one of the trace gets as long again and a minute. What is not issued by then is
missing from every number, and it is the part that came when the place was furthest behind."""


def check(evidence: RunEvidence) -> Finding | None:
    """Replays only."""
    recording = evidence.io.get("recording")
    if recording is None or not recording.get("operations"):
        return None
    left, all_of_them = evidence.outcome.get("unissued", 0), recording["operations"]
    lasts, had = (format_duration(each) for each in (recording["lasts_ns"], evidence.outcome["elapsed_ns"]))
    if not left:
        return finding(NAME, Level.OK, f"all {all_of_them:,} I/Os of the trace were issued", "", unissued_share=0.0)
    return finding(
        NAME,
        Level.INVALID,
        f"{left:,} of {all_of_them:,} I/Os of the trace were never issued ({percent(left / all_of_them)}): after {had} "
        f"the place was not done with {lasts} of it",
        "Replay it more slowly (--speed 0.5), or on a faster target.",
        unissued_share=left / all_of_them,
    )
