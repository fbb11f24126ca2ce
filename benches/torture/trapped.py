"""Starts a command whose chosen system calls ask first: `python trapped.py SOCKET NUMBERS COMMAND…`.

Installs a seccomp filter that hands those calls to a supervisor (`supervisor.py`), sends the supervisor its end, and
becomes the command. Whatever the command starts is under the same filter. Nothing of Plimsoll is loaded here.
"""

from __future__ import annotations

import ctypes
import os
import socket
import struct
import sys

SYS_SECCOMP = 317
SET_MODE_FILTER = 1
NEW_LISTENER = 1 << 3
WAIT_KILLABLE = 1 << 5
"""A call that the supervisor has in hand is not begun again when a signal arrives (Linux 5.19)."""
PR_SET_NO_NEW_PRIVS = 38
ALLOW, NOTIFY = 0x7FFF0000, 0x7FC00000
LOAD_WORD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06


def _filter(numbers: list[int]) -> bytes:
    """A program of the kernel's packet filter: calls with these numbers ask, all others pass."""
    steps = [struct.pack("HBBI", LOAD_WORD, 0, 0, 0)]
    for position, number in enumerate(numbers):
        steps.append(struct.pack("HBBI", JUMP_IF_EQUAL, len(numbers) - position, 0, number))
    return b"".join([*steps, struct.pack("HBBI", RETURN, 0, 0, ALLOW), struct.pack("HBBI", RETURN, 0, 0, NOTIFY)])


def _listener(numbers: list[int]) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    code = ctypes.create_string_buffer(_filter(numbers))
    program = struct.pack("HxxxxxxP", len(numbers) + 3, ctypes.addressof(code))
    if os.geteuid() != 0:
        libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    descriptor = libc.syscall(SYS_SECCOMP, SET_MODE_FILTER, NEW_LISTENER | WAIT_KILLABLE, program)
    if descriptor < 0:
        raise OSError(ctypes.get_errno(), "this kernel does not hand system calls to a supervisor")
    return int(descriptor)


if __name__ == "__main__":
    line = socket.socket(fileno=int(sys.argv[1]))
    socket.send_fds(line, [b"."], [_listener([int(number) for number in sys.argv[2].split(",")])])
    # The descriptors of both close when the command begins.
    os.execvp(sys.argv[3], sys.argv[3:])
