"""Did the targets that ran at once get in each other's way?"""

from __future__ import annotations

from plimsoll.model import Finding, Level
from plimsoll.run.evidence import RunEvidence
from plimsoll.run.guards._judge import finding, percent, softened

NAME = "parallel"
TITLE = "Targets at once"
HOST_NOISE = True
WHY = """Targets that run at the same time share the machine. Where its processors are busy for more than half of the
time, one target's load takes from the other's; and where one was measured while the other was not, they were not
compared in the same weather."""

BUSY = 0.5
"""Of all processors, over the run."""
OVERLAP = 0.9
"""Share of a run in which all targets of its block must have been measured."""
INSTEAD = "Use --interleave blocks: one target then runs after the other."


def check(evidence: RunEvidence) -> Finding | None:
    """Blocks whose targets ran at once."""
    together = evidence.outcome.get("parallel")
    if together is None:
        return None
    ticks = evidence.after.cpu.total - evidence.before.cpu.total
    busy = 1 - (evidence.after.cpu.idle - evidence.before.cpu.idle) / ticks if ticks > 0 else 0.0
    apart = together["overlap"] < OVERLAP
    message = f"the processors of this machine were busy {percent(busy)} of the time while the targets ran at once"
    if apart:
        message = f"all targets of the block were measured together for only {percent(together['overlap'])} of the run"
    level = Level.INVALID if apart or busy > BUSY else Level.OK
    return finding(
        NAME, softened(level, evidence.long_enough), message, INSTEAD, busy=busy, overlap=together["overlap"]
    )
