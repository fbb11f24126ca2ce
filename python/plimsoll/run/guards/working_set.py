"""Is the file large enough that memory cannot stand in for the device?"""

from __future__ import annotations

from plimsoll.model import Finding, Level
from plimsoll.run.evidence import RunEvidence
from plimsoll.run.guards._judge import finding, graded_below, moves_nothing, not_checkable, percent, softened
from plimsoll.units import format_number, format_size

NAME = "working_set"
TITLE = "Working set against memory"
WHY = """Without direct I/O, a file that fits into memory is soon served from there, and writes end in memory until
the kernel gets round to them. Only a file clearly larger than memory says something about the device."""

WARN, INVALID = 2.0, 1.0
"""Size of the file / memory that the process may use."""
MISSES = 0.95
"""Where the device's counters show that it did the work, the size does not matter."""


def check(evidence: RunEvidence) -> Finding | None:
    """Buffered runs that are not made durable inside the measured time."""
    values = evidence.io
    if values["direct"] or moves_nothing(evidence) or not evidence.memory_limit_bytes:
        return None
    if not evidence.reads and (evidence.syncs or values["sync_at_end"] or not evidence.writes):
        return None
    if not evidence.on_device:
        return not_checkable(NAME, evidence.why_not_checkable)
    ratio = values["size"] / evidence.memory_limit_bytes
    sizes = f"{format_size(values['size'])} of file, {format_size(evidence.memory_limit_bytes)} of memory"
    if not values["drop_cache"]:
        return finding(NAME, Level.OK, f"the page cache is part of this test ({sizes})", ratio=ratio)
    reached = _reached_device(evidence)
    if reached is not None and reached >= MISSES:
        message = f"the device did {percent(reached)} of the work ({sizes})"
        return finding(NAME, Level.OK, message, ratio=ratio, reached=reached)
    level = graded_below(ratio, WARN, INVALID)
    enough = level is Level.OK
    return finding(
        NAME,
        softened(level, evidence.long_enough),
        f"the file is {format_number(ratio)} times the memory ({sizes}), "
        + ("too large for memory to stand in for the device" if enough else "so memory can stand in for the device"),
        "Set direct=yes, use size= of at least twice the memory, add sync=fdatasync or sync_at_end=yes for writes, or "
        "set drop_cache=no if memory is what you want to measure.",
        ratio=ratio,
    )


def _reached_device(evidence: RunEvidence) -> float | None:
    """Share of the test's bytes that the device moved in the same time; the smaller of reads and writes."""
    window = evidence.window
    if window is None:
        return None
    counters = window.device(evidence.chain.counters)
    pairs = (("read", counters.read_bytes), ("write", counters.write_bytes))
    shares = [done / window.tool_bytes[kind] for kind, done in pairs if window.tool_bytes.get(kind)]
    return min(1.0, *shares) if shares else None
