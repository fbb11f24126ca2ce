"""Were the blocks that are read ever written?"""

from __future__ import annotations

from plimsoll.model import Finding, Level
from plimsoll.run.evidence import RunEvidence
from plimsoll.run.guards._judge import finding, graded, moves_nothing, not_checkable, percent

NAME = "unwritten"
TITLE = "Unwritten or zero blocks"
WHY = """File systems, thin volumes and flash answer reads of blocks that were never written, or hold only zeros,
without touching the medium: absurdly fast. Writing such a block costs extra work the first time."""

LARGEST_ZERO_SHARE = 0.01
FEWEST_SAMPLES = 50


def check(evidence: RunEvidence) -> Finding | None:
    """Holes and unwritten extents as the file system knows them, and blocks sampled at random for zeros."""
    if moves_nothing(evidence) or not (evidence.reads or evidence.writes):
        return None
    region = evidence.file.get("region_bytes", 0)
    if not region:
        return not_checkable(NAME, evidence.file.get("error", "the data file was not looked at"))
    empty_bytes = max(evidence.file.get("hole_bytes") or 0, evidence.file.get("unwritten_bytes") or 0)
    empty = empty_bytes / region
    zero = _zero_share(evidence)
    share = max(empty, zero)
    level = graded(share, LARGEST_ZERO_SHARE, LARGEST_ZERO_SHARE)
    what = "was never written" if empty >= zero else "holds only zeros"
    return finding(
        NAME,
        # Writes to such blocks do reach the device, though not at the speed of later ones.
        level if evidence.reads or level is Level.OK else Level.WARN,
        f"{percent(share)} of the region {what}" if share else "every block looked at was written",
        "Write the whole file or device with random data first: layout=refill.",
        empty_share=empty,
        zero_share=zero,
    )


def _zero_share(evidence: RunEvidence) -> float:
    """Share of sampled blocks with only zeros; 0 where the test itself writes zeros."""
    sampled = evidence.file.get("sampled_blocks", 0)
    asked_for = evidence.io["content"] == "zero" or evidence.io["compressible"] >= 1
    if sampled < FEWEST_SAMPLES or asked_for:
        return 0.0
    return float(evidence.file["zero_blocks"] / sampled)
