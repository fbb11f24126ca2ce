"""Is a ship in the harbour?"""

from __future__ import annotations

from plimsoll.model import Finding, Level
from plimsoll.run.evidence import RunEvidence

NAME = "harbour"
TITLE = "ships in the harbour"
WHY = """A harbour without ships is no harbour."""


def check(evidence: RunEvidence) -> Finding | None:
    """A warning, whatever was measured."""
    ships = len(evidence.plan.parameters)
    return Finding(guard=NAME, level=Level.WARN, message=f"{ships} ships came in", advice="Send them out again.")
