"""Is the file system mounted in a way that tests can use?"""

from __future__ import annotations

from plimsoll.doctor.examination import Check, Examined
from plimsoll.model import Level
from plimsoll.targets.mounts import COPY_ON_WRITE, MEMORY, NETWORK

NAME = "mount_options"
UNSAFE = {"nobarrier", "barrier=0", "async", "data=writeback"}


def check(examined: Examined) -> Check | None:
    """Read-only, without write barriers, with discards on deletion, or not on a disk at all."""
    mount = examined.chain.mount
    if mount is None:
        return None
    what = f"file system: {mount.file_system} at {mount.point}"
    level, problem, advice = Level.OK, "", ""
    if examined.read_only or mount.read_only:
        level, problem, advice = Level.INVALID, "is read-only", "Choose another directory, or mount it for writing."
    elif mount.file_system in MEMORY:
        level, problem = Level.WARN, "keeps its files in memory"
        advice = "Results there say nothing about a disk; direct I/O may be refused."
    elif mount.file_system in NETWORK:
        level, problem = Level.WARN, "reaches its files over a network or from the host"
        advice = "Results include the network and the caches of the other side."
    elif unsafe := sorted(UNSAFE & set(mount.options)):
        level, problem = Level.WARN, f"is mounted with {', '.join(unsafe)}"
        advice = "Durable writes may be lost in a power cut and look faster than they are."
    elif "discard" in mount.options:
        level, problem = Level.WARN, "discards blocks when files are deleted (mount option discard)"
        advice = "Deleting large files disturbs the next run; mount without it and run fstrim now and then."
    elif mount.file_system in COPY_ON_WRITE:
        level, problem = Level.WARN, "copies on write and may compress or checksum"
        advice = "Overwriting is a new allocation there; say so when you quote results."
    return Check(name=NAME, level=level, message=f"{what} {problem}".strip(), advice=advice)
