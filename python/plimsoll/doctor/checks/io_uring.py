"""May io_uring be used?"""

from __future__ import annotations

import os

from plimsoll.doctor.examination import Check, Examined
from plimsoll.model import Level

NAME = "io_uring"


def check(examined: Examined) -> Check | None:
    """The switch kernel.io_uring_disabled; a container may forbid the system calls on top of it."""
    allowed = examined.host["io_uring"]
    if allowed == "yes" or (allowed == "privileged" and os.geteuid() == 0):
        return Check(name=NAME, level=Level.OK, message="io_uring: allowed")
    return Check(
        name=NAME,
        level=Level.INVALID,
        message="io_uring: switched off on this machine" + (" for ordinary users" if allowed == "privileged" else ""),
        advice="sysctl kernel.io_uring_disabled=0 (as root), or use engine=libaio or engine=psync",
    )
