"""Is something else running?"""

from __future__ import annotations

from plimsoll.doctor.examination import Check, Examined
from plimsoll.model import Level

NAME = "load"
BUSY_SHARE = 0.25


def check(examined: Examined) -> Check | None:
    """Mean number of running and waiting tasks of the last minute, per processor."""
    load = examined.host["load"][0]
    message = f"other load: {load:.2f} tasks on {examined.host['processor']['logical']} processors"
    if load > BUSY_SHARE * examined.host["processor"]["logical"]:
        return Check(name=NAME, level=Level.WARN, message=message, advice="Stop other programs before you measure.")
    return Check(name=NAME, level=Level.OK, message=message)
