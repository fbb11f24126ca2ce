"""What lies below the place?"""

from __future__ import annotations

from plimsoll.doctor.examination import Check, Examined
from plimsoll.model import Level
from plimsoll.units import format_size

NAME = "storage"


def check(examined: Examined) -> Check | None:
    """The disks at the bottom; without any, device counters cannot confirm results."""
    chain = examined.chain
    if not chain.disks:
        return Check(
            name=NAME,
            level=Level.WARN,
            message=f"storage: no device below {examined.path} ({chain.reason})",
            advice="Results cannot be checked against device counters there; choose a directory on a disk if you can.",
        )
    disks = [chain.device(name) for name in chain.disks]
    words = [
        f"{disk.path} ({format_size(disk.size_bytes)}, {disk.model or disk.kind}, "
        f"{'spinning, by its own account' if disk.rotational else 'not spinning'})"
        for disk in disks
    ]
    through = ", through a loop device" if any(device.backing_file for device in chain.devices) else ""
    return Check(name=NAME, level=Level.OK, message=f"storage: {', '.join(words)}{through}")
