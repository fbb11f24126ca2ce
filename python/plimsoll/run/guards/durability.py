"""Did durable writes reach stable storage?"""

from __future__ import annotations

from plimsoll.model import Finding, Level
from plimsoll.run.evidence import RunEvidence
from plimsoll.run.guards._judge import device_window, finding, moves_nothing, softened

NAME = "durability"
TITLE = "Flushes behind syncs"
WHY = """fsync promises that data survives a power cut. On a device with a volatile write cache that takes a flush. No
flush means that the promise was broken somewhere, and the commit rate is that of a cache."""

FEWEST_SYNCS = 10
LEAST_SHARE = 0.5
"""Flushes per sync and thread; threads that sync at the same time share a flush."""


def check(evidence: RunEvidence) -> Finding | None:
    """Tests with fsync, fdatasync or O_DSYNC, against the flush counters of the disks."""
    if not evidence.syncs or moves_nothing(evidence):
        return None
    window = device_window(NAME, evidence)
    if isinstance(window, Finding):
        return window
    disks = [device for device in evidence.chain.devices if device.name in evidence.chain.disks]
    if all(device.write_cache == "write through" for device in disks):
        return finding(NAME, Level.OK, "the device says that it has no volatile write cache, so no flush is needed")
    by_write = evidence.io["sync"] == "dsync"
    if by_write and all(device.forced_unit_access for device in disks):
        return finding(NAME, Level.OK, "each write is durable by itself (FUA), without a flush")
    syncs = window.tool_operations.get("write" if by_write else "sync", 0.0)
    flushes = window.device(evidence.chain.disks).flushes
    level = Level.OK
    if syncs >= FEWEST_SYNCS and flushes < LEAST_SHARE * syncs / evidence.in_flight:
        level = Level.WARN if flushes else Level.INVALID
    return finding(
        NAME,
        softened(level, window.judged),
        f"{flushes:,} flushes reached the device for {syncs:,.0f} syncs",
        "Look for a file system without barriers (mount option nobarrier or barrier=0), a write cache below that "
        "ignores flushes, or a hypervisor with an unsafe cache mode.",
        flushes=flushes,
        syncs=syncs,
    )
