"""Does an I/O scheduler reorder what the tests send?"""

from __future__ import annotations

from plimsoll.doctor.examination import Check, Examined
from plimsoll.model import Level

NAME = "scheduler"
HEAVY = {"bfq", "cfq"}


def check(examined: Examined) -> Check | None:
    """The disks at the bottom. `none` suits flash and virtual disks; mq-deadline costs little."""
    disks = [examined.chain.device(name) for name in examined.chain.disks]
    named = sorted({disk.scheduler for disk in disks if disk.scheduler})
    if not named:
        return None
    heavy = [disk for disk in disks if disk.scheduler in HEAVY and not disk.rotational]
    if not heavy:
        return Check(name=NAME, level=Level.OK, message=f"I/O scheduler: {', '.join(named)}")
    return Check(
        name=NAME,
        level=Level.WARN,
        message=f"I/O scheduler: {heavy[0].scheduler} on {heavy[0].path} costs processor time and reorders requests",
        advice=f"echo none > /sys/block/{heavy[0].name}/queue/scheduler (as root), or count it as part of the result",
    )
