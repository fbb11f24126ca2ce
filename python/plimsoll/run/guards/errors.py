"""Did operations fail?"""

from __future__ import annotations

from plimsoll.model import Finding
from plimsoll.run.evidence import RunEvidence
from plimsoll.run.guards._judge import finding, graded, percent

NAME = "errors"
TITLE = "Failed operations"
WHY = """A failed operation can be much faster or slower than a good one, and a device that fails is not the one you
meant to measure."""
KINDS = ("io", "files")

WARN, INVALID = 0.0001, 0.001
"""Failed / all operations."""


def check(evidence: RunEvidence) -> Finding | None:
    """All kinds together; a commit fails with its write or sync and is not counted twice."""
    totals = [counts for kind, counts in evidence.outcome["operations"].items() if kind != "commit"]
    failed = sum(counts["errors"] for counts in totals)
    tried = sum(counts["operations"] for counts in totals) + failed
    if not tried:
        return None
    share = failed / tried
    level = graded(share, WARN, INVALID)
    return finding(
        NAME,
        level,
        f"{failed:,} of {tried:,} operations failed ({percent(share)})",
        "Look at the kernel log (dmesg) for the device, and run without count_errors to see the first failure.",
        failed=failed,
        share=share,
    )
