"""fio's lockmem: memory that is pinned while jobs run, to squeeze the page cache."""

from __future__ import annotations

import ctypes
import mmap
import os
from collections.abc import Iterator
from contextlib import contextmanager

from plimsoll.errors import UsageError
from plimsoll.targets.host import memory_limit_bytes
from plimsoll.units import MIB, format_size

LEFT_BYTES = 128 * MIB
"""What fio leaves of the machine's memory."""


@contextmanager
def locked(asked_bytes: int) -> Iterator[None]:
    """So many bytes of memory cannot be used by anything else. Raises UsageError where that is not allowed."""
    length = min(asked_bytes, memory_limit_bytes() - LEFT_BYTES)
    if length <= 0:
        yield
        return
    memory = mmap.mmap(-1, length)
    try:
        start = ctypes.c_char.from_buffer(memory)
        libc = ctypes.CDLL(None, use_errno=True)
        try:
            if libc.mlock(ctypes.byref(start), ctypes.c_size_t(length)):
                raise UsageError(
                    f"lockmem: cannot lock {format_size(length)} of memory ({os.strerror(ctypes.get_errno())}); use "
                    "less, or raise the limit with `ulimit -l`"
                )
        finally:
            # The map cannot be closed while something points into it.
            del start
        yield
    finally:
        memory.close()
