"""Were the blocks of a volume from a snapshot touched before?"""

from __future__ import annotations

from plimsoll.catalog.targets import shape_of
from plimsoll.model import Finding, Level
from plimsoll.run.evidence import RunEvidence
from plimsoll.run.guards._judge import finding
from plimsoll.units import SECOND, format_value

NAME = "first_touch"
TITLE = "First touch of a volume from a snapshot"
WHY = """Each block of a volume from a snapshot (`snapshot=`, `first_touch=yes`) is fetched when it is touched for the
first time, which takes tens of milliseconds. So the first block of each test there is measured twice: what the first
touch gave is kept and told, and the repetition counts."""
KINDS = ("io", "files", "db")


def check(evidence: RunEvidence) -> Finding | None:
    """Of the first block of a test on such a volume; the repetition is no first touch any more."""
    shape = shape_of(evidence.target)
    if shape is None or "first_touch" not in shape.spec:
        return None
    totals = (evidence.totals(kind) for kind in ("read", "write"))
    operations = sum(each["operations"] for each in totals)
    rate = operations * SECOND / max(1, evidence.elapsed_ns)
    if not evidence.first:
        return finding(NAME, Level.OK, "not the first touch of these blocks", "", per_second=rate)
    seen = f": {format_value(rate, '1/s')}" if operations else ""
    return finding(
        NAME,
        Level.INVALID,
        f"the first touch of a volume that was made from a snapshot{seen}; measured a second time, and that counts",
        "Nothing has to be done. To see only what lasts, read the whole device once before, or have it initialised.",
        per_second=rate,
    )
