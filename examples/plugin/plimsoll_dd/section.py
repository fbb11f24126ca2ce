"""A section of every report: the command lines that were run."""

from __future__ import annotations

from plimsoll.report.document import Block, text
from plimsoll.report.evidence import Evidence

PLIMSOLL_CONTRACT = 1
ORDER = 95
"""Where it stands; Plimsoll's own go from 0 to 90."""
TITLE = "Command lines of dd"


def build(evidence: Evidence) -> list[Block]:
    """Its blocks; a section without any is left out."""
    told = [
        run.facts["program"]["command"] for run in evidence.runs if run.plan.workload == "dd" and "program" in run.facts
    ]
    return [text(*sorted({" ".join(words[2:]) for words in told}))] if told else []
