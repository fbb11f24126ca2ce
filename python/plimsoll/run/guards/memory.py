"""Was memory short?"""

from __future__ import annotations

from plimsoll.model import Finding, Level
from plimsoll.run.evidence import RunEvidence
from plimsoll.run.guards._judge import finding, percent
from plimsoll.units import format_size

NAME = "memory"
TITLE = "Memory and swap"
WHY = """Swapping is I/O that nobody asked for, and a machine out of memory stops programs at random: the run measures
that instead."""
KINDS = ("io", "files", "db", "program")

LARGEST_SWAP_PAGES = 256
"""1 MiB: a few pages of an idle program that come back say nothing; any more is invalid."""
LEAST_AVAILABLE = 0.05


def check(evidence: RunEvidence) -> Finding | None:
    """Pages swapped and programs killed during the run, and the least memory that was available."""
    before, after = evidence.before.vm, evidence.after.vm
    change = {name: after[name] - before[name] for name in after if name in before}
    if not change:
        return None
    swapped = change.get("pswpin", 0) + change.get("pswpout", 0)
    available = _least_available(evidence)
    values = {"swapped_pages": float(swapped), "available": available}
    if killed := change.get("oom_kill", 0):
        return finding(
            NAME,
            Level.INVALID,
            f"the kernel ran out of memory and killed {killed} of the running programs",
            "Free memory, or raise the memory limit of the container, and run again.",
            **values,
        )
    if swapped:
        return finding(
            NAME,
            Level.INVALID if swapped > LARGEST_SWAP_PAGES else Level.WARN,
            f"{swapped:,} pages were swapped during the run",
            "Stop programs that need much memory, or turn swap off for the time of the test (swapoff -a).",
            **values,
        )
    return finding(
        NAME,
        Level.WARN if available < LEAST_AVAILABLE else Level.OK,
        f"no swapping; at least {percent(available)} of memory was available",
        f"Less than {percent(LEAST_AVAILABLE)} is left of {format_size(_total(evidence))}: stop other programs.",
        **values,
    )


def _total(evidence: RunEvidence) -> int:
    return evidence.after.memory_bytes.get("MemTotal", 0)


def _least_available(evidence: RunEvidence) -> float:
    total = _total(evidence)
    if not total:
        return 1.0
    return min(sample.memory_bytes.get("MemAvailable", total) for sample in evidence.measured) / total
