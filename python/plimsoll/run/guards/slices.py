"""Did the targets of a block disturb each other's slices?"""

from __future__ import annotations

from plimsoll.catalog.waits import party
from plimsoll.model import Finding, Level
from plimsoll.run.evidence import RunEvidence
from plimsoll.run.guards._judge import finding, graded, percent, softened
from plimsoll.units import format_duration

NAME = "slices"
KINDS = ("io", "db")
TITLE = "Slices of a block"
WHY = """Where targets alternate several times a second, each rests while another works. A volume with a limit on its
rate saves up meanwhile, and then shows more than it can sustain; and what one target leaves in flight at the end of
its slice is still done when the next one's has begun."""

WAITED = 0.02
"""Share of the block in which I/Os waited for a limit, from which on the limit was reached."""
WARN, INVALID = 0.05, 0.2
"""Share of the slices of others that were still coming in when this target's next one counted."""


def check(evidence: RunEvidence) -> Finding | None:
    """Blocks in slices: limits that made I/Os wait, and drains that were longer than what is discarded."""
    if not evidence.in_slices:
        return None
    limit, share = _longest_wait(evidence)
    if share > WAITED:
        return finding(
            NAME,
            softened(Level.INVALID, evidence.long_enough),
            f"I/Os waited for {party(limit)} in {percent(share)} of the block: what is saved up while another target "
            "works is spent in the next slice, so that the rate may be more than the limit allows for ever",
            "Use --interleave blocks: one target then runs after the other.",
            waited=share,
        )
    discard_ns = evidence.outcome["slices"]["discard_ns"]
    drains = [ns for each in evidence.beside for ns in each["slices"]["drain_ns"]]
    late = sum(ns > discard_ns for ns in drains) / len(drains) if drains else 0.0
    level = graded(late, WARN, INVALID)
    meaning = "" if level is Level.OK else ", so that the two disturbed each other"
    return finding(
        NAME,
        softened(level, evidence.long_enough),
        f"in {percent(late)} of the turns, I/Os of the target before were still in flight when measuring began, "
        f"{format_duration(discard_ns)} into the turn{meaning}",
        "Use less depth, or --interleave blocks: one target then runs after the other.",
        late=late,
        longest_drain_ns=float(max(drains, default=0)),
    )


def _longest_wait(evidence: RunEvidence) -> tuple[str, float]:
    """The limit that I/Os waited for longest, and in which share of the block."""
    span_ns = max(1, evidence.after.monotonic_ns - evidence.before.monotonic_ns)
    before, after = evidence.before.waited_ns, evidence.after.waited_ns
    waits = {name: (ns - before.get(name, 0)) / span_ns for name, ns in after.items()}
    return max(waits.items(), key=lambda each: each[1], default=("", 0.0))
