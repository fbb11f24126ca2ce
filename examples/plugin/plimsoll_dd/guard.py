"""Did dd measure memory?"""

from __future__ import annotations

from plimsoll.model import Finding, Level
from plimsoll.run.evidence import RunEvidence

PLIMSOLL_CONTRACT = 1
NAME = "dd_cached"
TITLE = "dd without fdatasync"
WHY = """Without conv=fdatasync dd ends when its data are in the page cache: the number is the speed of memory."""
KINDS = ("program",)


def check(evidence: RunEvidence) -> Finding | None:
    """None where it has nothing to say of this kind of run; level ok where all is well."""
    if evidence.plan.workload != "dd":
        return None
    if evidence.parameters["durable"]:
        return Finding(guard=NAME, level=Level.OK, message="the time includes fdatasync")
    return Finding(
        guard=NAME,
        level=Level.WARN,
        message="without fdatasync, dd ended before its data were on the disk",
        advice="Set durable=yes.",
    )
