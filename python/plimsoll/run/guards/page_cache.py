"""Did the page cache answer reads that were meant for the device?"""

from __future__ import annotations

from plimsoll.model import Finding
from plimsoll.run.evidence import FLOOR_BYTES, RunEvidence
from plimsoll.run.guards._judge import device_window, finding, graded, moves_nothing, percent, softened

NAME = "page_cache"
TITLE = "Page-cache hits"
WHY = """A buffered read that the page cache answers says something about memory, not about the device. The share of
such reads shows in the device's counters."""

WARN, INVALID = 0.01, 0.05
"""1 − device reads / test reads."""


def check(evidence: RunEvidence) -> Finding | None:
    """Buffered reads after a dropped cache; a test that keeps the cache (drop_cache=no) asks for hits."""
    if evidence.io["direct"] or not evidence.io["drop_cache"] or not evidence.reads:
        return None
    if moves_nothing(evidence):
        return None
    window = device_window(NAME, evidence)
    if isinstance(window, Finding):
        return window
    tool = window.tool_bytes.get("read", 0.0)
    device = window.device(evidence.chain.counters).read_bytes
    slack = max(FLOOR_BYTES, window.uncertain_bytes.get("read", 0.0))
    hits = max(0.0, 1 - device / tool) if tool else 0.0
    level = graded(max(0.0, tool - device - slack) / tool if tool else 0.0, WARN, INVALID)
    return finding(
        NAME,
        softened(level, window.judged),
        f"the page cache answered {percent(hits)} of the bytes read, not the device",
        "Set direct=yes to bypass the cache, use a file of at least twice the memory, or set drop_cache=no if the "
        "cache is what you want to measure.",
        hits=hits,
    )
