"""Did the hypervisor give this machine's processors to others?"""

from __future__ import annotations

from plimsoll.model import Finding
from plimsoll.run.evidence import RunEvidence
from plimsoll.run.guards._judge import finding, graded, percent, softened

NAME = "steal"
TITLE = "Stolen CPU time"
WHY = """In a virtual machine the hypervisor can run other guests while this one wants to work. Each such pause looks
like a slow operation."""
KINDS = ("io", "files", "db", "program")

HOST_NOISE = True
"""Noise of others, which hits all targets of a block alike: `noisy_host` in a study makes it a warning at most."""
WARN, INVALID = 0.01, 0.05
"""Δsteal / Δtotal of all processors."""


def check(evidence: RunEvidence) -> Finding | None:
    """Over the whole run; on bare metal the value is zero."""
    ticks = evidence.after.cpu.total - evidence.before.cpu.total
    if ticks <= 0:
        return None
    share = (evidence.after.cpu.steal - evidence.before.cpu.steal) / ticks
    level = graded(share, WARN, INVALID)
    return finding(
        NAME,
        softened(level, evidence.long_enough),
        f"CPU steal {percent(share)}: the hypervisor gave that much processor time to others",
        "Run when the host is quieter, or use an instance with processors of its own (no burstable or shared type).",
        steal=share,
    )
