"""How many processors may this process use?"""

from __future__ import annotations

from plimsoll.doctor.examination import Check, Examined
from plimsoll.model import Level

NAME = "processors"


def check(examined: Examined) -> Check | None:
    """Processors, affinity and the cgroup's limit: a limited process is paused in the middle of a run."""
    processor = examined.host["processor"]
    limit, usable = processor["limit"], processor["usable"]
    message = f"processors: {usable} of {processor['logical']} usable, {processor['model'] or 'model unknown'}"
    if limit is not None and limit < usable:
        return Check(
            name=NAME,
            level=Level.WARN,
            message=f"{message}; a cgroup limits this process to {limit:g} processors' worth of time",
            advice="Once its time is used up it is paused, which looks like slow I/O; raise the container's limit.",
        )
    if usable < 2:
        advice = "The test and everything else share one processor: expect noise."
        return Check(name=NAME, level=Level.WARN, message=message, advice=advice)
    return Check(name=NAME, level=Level.OK, message=message)
