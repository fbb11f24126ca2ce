"""Do the files lie in memory, where no disk is measured?"""

from __future__ import annotations

from plimsoll.model import Finding, Level
from plimsoll.run.evidence import RunEvidence
from plimsoll.run.guards._judge import finding, moves_nothing

NAME = "memory_file_system"
TITLE = "Files in memory"
WHY = """tmpfs and ramfs look like any other folder (/tmp and /dev/shm often are one), but keep their files in memory.
No disk takes part, and no other guard can object, because there are no counters of a device to hold the test
against."""
KINDS = ("io", "files")


def check(evidence: RunEvidence) -> Finding | None:
    """Targets whose facts say which file system they are on. A warning: memory may be what is to be measured."""
    facts = evidence.target.facts
    if moves_nothing(evidence) or "in_memory" not in facts:
        return None
    kind = facts.get("file_system", "unknown")
    if not facts["in_memory"]:
        return finding(NAME, Level.OK, f"the file system ({kind}) does not keep its files in memory", in_memory=0)
    return finding(
        NAME,
        Level.WARN,
        f"the files lie in memory ({kind}): this is no disk",
        "Give a directory on the disk that you mean (`df -T` lists the file systems), or read these numbers as those "
        "of memory.",
        in_memory=1,
    )
