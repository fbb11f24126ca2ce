"""The harbour of a session."""

from __future__ import annotations

from plimsoll.report.document import Block, text
from plimsoll.report.evidence import Evidence

ORDER = 77
TITLE = "The harbour"


def build(evidence: Evidence) -> list[Block]:
    """One sentence."""
    return [text(f"{len(evidence.runs)} ships lay in it.")]
