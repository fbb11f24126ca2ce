"""Did discards run beside the test?"""

from __future__ import annotations

from plimsoll.model import Finding, Level
from plimsoll.run.evidence import RunEvidence
from plimsoll.run.guards._judge import finding, percent
from plimsoll.targets.blockdev import SECTOR
from plimsoll.units import format_size

NAME = "discard"
TITLE = "Discards"
WHY = """When files are deleted, the file system may tell the device to forget blocks (discard, trim). That takes the
device's time, sometimes long after the deletion."""

SMALLEST_SHARE = 0.001
"""Of all requests. Any discard at all would be too strict: with the mount option `discard`, one deleted log file
sends one."""


def check(evidence: RunEvidence) -> Finding | None:
    """The disks below; a trim test discards on purpose."""
    window = evidence.window
    if "trim" in evidence.io["mode"] or not evidence.on_device or window is None:
        return None
    counters = window.device(evidence.chain.disks)
    requests = counters.reads + counters.writes + counters.discards
    share = counters.discards / requests if requests else 0.0
    size = counters.discard_sectors * SECTOR
    return finding(
        NAME,
        Level.WARN if share > SMALLEST_SHARE else Level.OK,
        f"{counters.discards:,} discards of {format_size(size)} ran beside the test ({percent(share)} of the requests)",
        "Delete nothing large before a run, wait after it, or mount without `discard` and use fstrim between tests.",
        discards=counters.discards,
        share=share,
    )
