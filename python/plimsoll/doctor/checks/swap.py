"""Is swap space in use?"""

from __future__ import annotations

from plimsoll.doctor.examination import Check, Examined
from plimsoll.model import Level
from plimsoll.units import MIB, format_size

NAME = "swap"
NOTICEABLE_BYTES = 64 * MIB


def check(examined: Examined) -> Check | None:
    """Swap that is there does no harm; swap that is used means that memory was short."""
    memory = examined.host["memory"]
    used = memory["swap_used_bytes"]
    if not memory["swap_bytes"]:
        return Check(name=NAME, level=Level.OK, message="swap: none")
    message = f"swap: {format_size(used)} of {format_size(memory['swap_bytes'])} used"
    if used > NOTICEABLE_BYTES:
        advice = "Pages that come back during a run disturb it; free memory, or turn swap off for the tests: swapoff -a"
        return Check(name=NAME, level=Level.WARN, message=message, advice=advice)
    return Check(name=NAME, level=Level.OK, message=message)
