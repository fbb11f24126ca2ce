"""May io_uring be used?"""

from __future__ import annotations

import os

from plimsoll.doctor.examination import Check, Examined
from plimsoll.model import Level

NAME = "io_uring"


def check(examined: Examined) -> Check | None:
    """The switch kernel.io_uring_disabled, and whether a container forbids the system calls on top of it."""
    allowed = examined.host["io_uring"]
    if allowed == "yes" or (allowed == "privileged" and os.geteuid() == 0):
        return Check(name=NAME, level=Level.OK, message="io_uring: allowed")
    if allowed == "forbidden":
        return Check(
            name=NAME,
            level=Level.INVALID,
            message="io_uring: not for this process; containers forbid it by default, and old kernels have none",
            advice="start the container with a seccomp profile that allows it, or use engine=libaio",
        )
    return Check(
        name=NAME,
        level=Level.INVALID,
        message="io_uring: switched off on this machine" + (" for ordinary users" if allowed == "privileged" else ""),
        advice="sysctl kernel.io_uring_disabled=0 (as root), or use engine=libaio",
    )
