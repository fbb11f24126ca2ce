"""fio's `prio`, `prioclass` and `nice`: set for the thread of a job, from which those of the core inherit them."""

from __future__ import annotations

import ctypes
import os
import platform

from plimsoll.errors import UsageError
from plimsoll.frontends.fio import values
from plimsoll.frontends.fio.section_options import Words

CLASS_SHIFT, LEVELS = 13, 8
REAL_TIME = 1
BEST_EFFORT = 2
THREAD = 1
"""`IOPRIO_WHO_PROCESS`: with 0, the thread that asks."""
CALLS = {"x86_64": 251, "aarch64": 30}
"""Number of the system call `ioprio_set`, which no library wraps."""


def of_job(words: Words) -> int | None:
    """The kernel's number of a job's I/O priority; nothing where it has none."""
    if not (words.given("prio") or words.given("prioclass")):
        return None
    kind = words.read("prioclass", values.whole) if words.given("prioclass") else BEST_EFFORT
    level = words.read("prio", values.whole) if words.given("prio") else 0
    if not 0 <= kind <= 3 or not 0 <= level < LEVELS:
        raise UsageError(f"{words.section.where}: prioclass is 0 to 3, prio is 0 to 7")
    return kind << CLASS_SHIFT | level


def nice_of(words: Words) -> int | None:
    """The job's niceness."""
    return words.read("nice", values.whole) if words.given("nice") else None


def check(words: Words) -> None:
    """Refuse what cannot be set here. Raises UsageError."""
    if of_job(words) is not None and platform.machine() not in CALLS:
        raise UsageError(
            f"{words.section.where}: prio is not known on {platform.machine()}; start Plimsoll under ionice"
        )
    if (nice := nice_of(words)) is not None and not -20 <= nice <= 19:
        raise UsageError(f"{words.section.where}: nice={nice}: use -20 to 19")


def take(words: Words) -> None:
    """Gives the calling thread what its job asks for. Raises UsageError where the user may not have it."""
    try:
        if (nice := nice_of(words)) is not None:
            os.setpriority(os.PRIO_PROCESS, 0, nice)
        if (priority := of_job(words)) is not None:
            libc = ctypes.CDLL(None, use_errno=True)
            if libc.syscall(CALLS[platform.machine()], THREAD, 0, priority):
                raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    except OSError as error:
        raise UsageError(
            f"{words.section.where}: nice or prioclass: {error.strerror}; only root may have this priority"
        ) from None
