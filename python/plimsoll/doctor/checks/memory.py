"""How much memory is there, and is it limited?"""

from __future__ import annotations

from plimsoll.doctor.examination import Check, Examined
from plimsoll.model import Level
from plimsoll.units import MIB, format_size

NAME = "memory"
LEAST_BYTES = 512 * MIB
LEAST_SHARE = 0.10


def check(examined: Examined) -> Check | None:
    """RAM, the cgroup's limit, and what is available now."""
    memory = examined.host["memory"]
    total, limit, available = memory["total_bytes"], memory["limit_bytes"], memory["available_bytes"]
    limited = f", limited to {format_size(limit)} by a cgroup" if limit < total else ""
    message = f"memory: {format_size(total)}{limited}, {format_size(available)} available"
    if available < LEAST_BYTES or available < LEAST_SHARE * total:
        return Check(name=NAME, level=Level.WARN, message=message, advice="Stop programs that need much memory.")
    return Check(name=NAME, level=Level.OK, message=message)
