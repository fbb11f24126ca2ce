"""Did other programs use the device?"""

from __future__ import annotations

from plimsoll.model import Finding, Level
from plimsoll.run.evidence import RunEvidence, Window
from plimsoll.run.guards._judge import device_window, finding, graded, moves_nothing, percent, softened
from plimsoll.units import MIB, format_size

NAME = "foreign_io"
TITLE = "Foreign I/O"
WHY = """Whatever other programs read and write on the same disk takes time from the test. The bytes that the disk
moved and this process did not ask for are theirs."""

HOST_NOISE = True
"""Noise of others, which hits all targets of a block alike: `noisy_host` in a study makes it a warning at most."""
WARN, INVALID = 0.01, 0.05
"""(device − own) / device."""
FLOOR_BYTES = MIB
"""Log files and access times; below it nothing is said."""


def check(evidence: RunEvidence) -> Finding | None:
    """The whole disk, beside the test's own partition too. Journal writes of durable writes are not foreign."""
    values = evidence.io
    asks_for_cache = not values["direct"] and not values["drop_cache"] and not evidence.syncs
    if moves_nothing(evidence) or asks_for_cache:
        return None
    window = device_window(NAME, evidence)
    if isinstance(window, Finding):
        return window
    device = foreign = 0.0
    for kind in ("read", "write"):
        moved, mine = _bytes(evidence, window, kind)
        device += moved
        foreign += max(0.0, moved - mine) if _can_tell(evidence, kind) else 0.0
    uncertain = sum(window.uncertain_bytes.values())
    share = foreign / device if device else 0.0
    level = graded(share, WARN, INVALID) if foreign > FLOOR_BYTES + uncertain else Level.OK
    # A run of so many seconds is judged alike, whether its block is in slices, and watched for longer, or not.
    return finding(
        NAME,
        softened(level, window.judged and evidence.long_enough),
        f"other programs moved {format_size(foreign)} of the {format_size(device)} on the disk ({percent(share)})",
        "Stop what else uses this disk (updates, backups, containers, other tests), and run again.",
        share=share,
        foreign_bytes=foreign,
    )


def _can_tell(evidence: RunEvidence, kind: str) -> bool:
    """Buffered writes reach the disk later, by a kernel thread, and durable ones write a journal: both look foreign."""
    return kind == "read" or not (evidence.syncs or (evidence.writes and not evidence.io["direct"]))


def _bytes(evidence: RunEvidence, window: Window, kind: str) -> tuple[float, float]:
    """What the disks moved, and what this process asked for, in the window."""
    # With several disks below, each byte may be written more than once: count where it is seen once.
    names = evidence.chain.disks if len(evidence.chain.disks) == 1 else evidence.chain.counters
    counters = window.device(names)
    moved = counters.read_bytes if kind == "read" else counters.write_bytes
    name = f"{kind}_bytes"
    asked = window.after.own_io.get(name, 0) - window.before.own_io.get(name, 0)
    return float(moved), max(float(asked), window.tool_bytes.get(kind, 0.0))
