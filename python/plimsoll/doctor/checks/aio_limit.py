"""Is there room for libaio's queues?"""

from __future__ import annotations

from plimsoll.doctor.examination import Check, Examined
from plimsoll.model import Level
from plimsoll.targets.blockdev import number_of

NAME = "aio_limit"
ENOUGH = 4096


def check(examined: Examined) -> Check | None:
    """fs.aio-max-nr minus what all programs have reserved."""
    limit = examined.host["aio_limit"]
    if not limit:
        return None
    free = limit - number_of(examined.root / "proc/sys/fs/aio-nr")
    message = f"libaio: {free:,} of {limit:,} queue places are free"
    if free < ENOUGH:
        advice = f"sysctl fs.aio-max-nr={max(2 * limit, 1_048_576)} (as root), or use engine=io_uring"
        return Check(name=NAME, level=Level.WARN, message=message, advice=advice)
    return Check(name=NAME, level=Level.OK, message=message)
