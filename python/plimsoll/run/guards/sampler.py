"""Did watching the run disturb it?"""

from __future__ import annotations

from plimsoll.model import Finding, Level
from plimsoll.run.evidence import RunEvidence
from plimsoll.run.guards._judge import finding, percent

NAME = "sampler"
TITLE = "Cost of watching"
WHY = """Reading the host's counters once a second takes processor time on the machine that is measured."""
KINDS = ("io", "files", "db", "program")

LARGEST_SHARE = 0.01


def check(evidence: RunEvidence) -> Finding | None:
    """Time spent on samples / measured time."""
    if not evidence.elapsed_ns:
        return None
    share = sum(sample.cost_ns for sample in evidence.samples) / evidence.elapsed_ns
    return finding(
        NAME,
        Level.WARN if share > LARGEST_SHARE and evidence.long_enough else Level.OK,
        f"reading the host's counters took {percent(share)} of the time",
        "The machine is short of processor time; stop other programs or use a larger machine.",
        share=share,
    )
