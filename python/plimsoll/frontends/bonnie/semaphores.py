"""The semaphores that several Bonnie++ processes meet at (`-p`): System V, one per test, of the original's key.

Python has none, so the C library is asked. Waiting at them is the core's (`crates/files`, `bonnie/gate.rs`).
"""

from __future__ import annotations

import ctypes
import os
from ctypes import get_errno

from plimsoll.errors import TargetError, UsageError

KEY, TESTS = 4711, 12
_CREATE, _REMOVE, _SET_VALUE, _MODE = 0o1000, 0, 16, 0o600
_MOST = 1000


def make(processes: int) -> str:
    """Semaphores for so many processes, in place of those that are there; what to tell the user."""
    if not 1 <= processes <= _MOST:
        raise UsageError(f"-p {processes}: it takes 1 to {_MOST} processes, or -1 to remove the semaphores")
    library = ctypes.CDLL(None, use_errno=True)
    semaphores = _checked(library.semget(KEY, TESTS, _CREATE | _MODE))
    for number in range(TESTS):
        _checked(library.semctl(semaphores, number, _SET_VALUE, ctypes.c_long(processes)))
    return f"Creating semaphore for {processes} procs."


def remove() -> str:
    """No semaphores any more; processes that wait at them end. What to tell the user."""
    library = ctypes.CDLL(None, use_errno=True)
    semaphores = _checked(library.semget(KEY, TESTS, 0))
    _checked(library.semctl(semaphores, 0, _REMOVE, ctypes.c_long(0)))
    return "Semaphore removed."


def _checked(result: int) -> int:
    if result < 0:
        reason = os.strerror(get_errno())
        raise TargetError(f"the semaphores of Bonnie++ (key {KEY}) cannot be used: {reason}; see ipcs -s")
    return result
