"""Did the data come back as it was written?"""

from __future__ import annotations

from plimsoll.model import Finding, Level
from plimsoll.run.evidence import RunEvidence
from plimsoll.run.guards._judge import finding

NAME = "verify"
TITLE = "Data read back"
WHY = """A place that returns other data than was written is broken, however fast it is."""


def check(evidence: RunEvidence) -> Finding | None:
    """Runs with verify=yes: checksum, offset and generation of every block."""
    verified = evidence.outcome["verified"]
    if verified is None:
        return None
    bad = verified["bad_blocks"]
    where = f", the first at byte {verified['first_bad_offset']}" if bad else ""
    return finding(
        NAME,
        Level.INVALID if bad else Level.OK,
        f"{bad:,} of {verified['blocks']:,} blocks came back damaged{where}",
        "Do not trust this place with data: look at the kernel log (dmesg), the device's health and the memory.",
        blocks=verified["blocks"],
        bad_blocks=bad,
    )
