"""Did the test have the memory of the instance that it was to be measured on?"""

from __future__ import annotations

from plimsoll.model import Finding, Level
from plimsoll.run.evidence import RunEvidence
from plimsoll.run.guards._judge import finding
from plimsoll.units import format_size

NAME = "instance_memory"
TITLE = "Memory of the instance"
WHY = """A volume with `memory=` stands for a machine with that much of it: what memory answers there is part of the
result. The bound is a memory cgroup that the test runs in; where the host has none, memory answers as much as it does
here."""
KINDS = ("io", "files", "db")


def check(evidence: RunEvidence) -> Finding | None:
    """Only where a bound was asked for."""
    asked = evidence.outcome.get("small_memory")
    if asked is None:
        return None
    if not asked["why_not"]:
        return finding(NAME, Level.OK, f"The test had {format_size(asked['bytes'])} of memory", bytes=asked["bytes"])
    return finding(
        NAME,
        Level.WARN,
        f"The memory was not limited to {format_size(asked['bytes'])}: {asked['why_not']}",
        "What memory answers is faster here than there. Run as root where memory cgroups can be written to, or leave "
        "memory= out.",
        bytes=asked["bytes"],
    )
