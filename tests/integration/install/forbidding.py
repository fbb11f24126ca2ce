"""`python forbidding.py PROGRAM …`: the program without io_uring, as containers forbid it, by a seccomp filter."""

from __future__ import annotations

import ctypes
import os
import struct
import sys

FIRST, LAST = 425, 427
"""io_uring_setup, io_uring_enter, io_uring_register."""
LOAD, AT_LEAST, ABOVE, ANSWER = 0x20, 0x35, 0x25, 0x06
REFUSE, ALLOW = 0x0005_0001, 0x7FFF_0000
"""EPERM; go on."""
NO_NEW_PRIVILEGES, SET_SECCOMP, FILTER = 38, 22, 2


class Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_void_p))


def forbid() -> None:
    """From here on, and in every program that is started, these calls end with EPERM."""
    steps = (
        (LOAD, 0, 0, 0),
        (AT_LEAST, 0, 2, FIRST),
        (ABOVE, 1, 0, LAST),
        (ANSWER, 0, 0, REFUSE),
        (ANSWER, 0, 0, ALLOW),
    )
    held = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    program = Program(len(steps), ctypes.addressof(held))
    libc = ctypes.CDLL(None, use_errno=True)
    for words in ((NO_NEW_PRIVILEGES, 1, 0, 0, 0), (SET_SECCOMP, FILTER, ctypes.byref(program), 0, 0)):
        if libc.prctl(*words) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


if __name__ == "__main__":
    forbid()
    os.execv(sys.argv[1], sys.argv[1:])
