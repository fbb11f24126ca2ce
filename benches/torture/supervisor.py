"""Stands between a command and the kernel: counts its system calls, and makes one of them fail, or the last one.

Every call is named by what it does and where (`write home/results.db-wal`), and counted under that name, over all
processes and threads that the command starts. So "the third write of the log" means the same in every repetition,
which a count of all calls would not. Calls on files of nobody's interest (Python's own, /usr, /proc) are let through.

Linux on x86-64; as root, or with a kernel that permits it to users.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

RECEIVE, SEND = 0xC0502100, 0xC0182101
"""SECCOMP_IOCTL_NOTIF_RECV and _SEND."""
CONTINUE = 1
LONGEST_PATH = 4096

# What it is called here: the numbers of the calls on x86-64.
CALLS: dict[str, tuple[int, ...]] = {
    "open": (2, 85, 257, 437),
    "read": (0, 17, 19, 295),
    "write": (1, 18, 20, 296),
    "sync": (74, 75, 277),
    "truncate": (76, 77, 285),
    "rename": (82, 264, 316),
    "unlink": (84, 87, 263),
    "mkdir": (83, 258),
    "link": (86, 88, 265, 266),
    "lock": (72, 73),
    "map": (9,),
    "ioctl": (16,),
    "connect": (42,),
    "clone": (56, 57, 58, 435),
    "mount": (165, 166),
}
ERRORS: dict[str, tuple[int, ...]] = {
    "open": (errno.EIO, errno.EMFILE, errno.ENOSPC),
    "read": (errno.EIO,),
    "write": (errno.EIO, errno.ENOSPC),
    "sync": (errno.EIO, errno.ENOSPC),
    "truncate": (errno.EIO, errno.ENOSPC),
    "rename": (errno.EIO, errno.ENOSPC),
    "unlink": (errno.EIO,),
    "mkdir": (errno.EIO, errno.ENOSPC),
    "link": (errno.EIO,),
    "lock": (errno.EIO, errno.ENOLCK),
    "map": (errno.ENOMEM,),
    "ioctl": (errno.EIO,),
    "connect": (errno.ECONNREFUSED, errno.ETIMEDOUT),
    "clone": (errno.EAGAIN,),
    "mount": (errno.EIO, errno.EBUSY),
}
_NAMES = {number: name for name, numbers in CALLS.items() for number in numbers}
# Where the path is among the arguments; those with a folder's descriptor before it have it at 1.
_PATH_AT = {2: 0, 85: 0, 76: 0, 82: 1, 84: 0, 87: 0, 83: 0, 86: 1, 88: 1, 257: 1, 437: 1, 264: 3, 316: 3, 263: 1,
            258: 1, 265: 3, 266: 2, 165: 1, 166: 0}  # fmt: skip
_FOLDER_AT = {257: 0, 437: 0, 264: 2, 316: 2, 263: 0, 258: 0, 265: 2, 266: 1}
_DESCRIPTOR_AT = {9: 4}
_SETS_LOCK = frozenset({6, 7, 37, 38})
"""fcntl's F_SETLK, F_SETLKW and those of open file descriptions; its other commands are no locks."""
_ANY_NUMBER = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{6,}|\d+")
_DEVICES = ("/dev/fuse", "/dev/loop")


@dataclass(frozen=True)
class Call:
    """One system call of a command, in a way that holds for its repetition."""

    name: str
    place: str
    number: int
    """From 1, among those of this name and place."""

    def __str__(self) -> str:
        return f"{self.name} {self.place} #{self.number}"


@dataclass
class Supervisor:
    """What becomes of the calls of one command and of all that it starts."""

    root: Path
    """Calls on files below it are counted; so are those on FUSE's and loop devices, connections and new processes."""
    fails: Call | None = None
    error: int = errno.EIO
    kills: Call | None = None
    """The command is killed (SIGKILL) when it makes this call; nothing else of its group is."""
    before: Mapping[Call, Callable[[], None]] = field(default_factory=dict)
    """What is done while these calls wait."""
    seen: Counter[tuple[str, str]] = field(default_factory=Counter)
    struck: str = ""
    """What was made to fail, with the process that did it; empty where it was never called."""

    def start(self, command: Sequence[str], **options: object) -> subprocess.Popen[str]:
        """`subprocess.Popen(command)` under supervision, which ends with the last process that the command started."""
        ours, its = socket.socketpair()
        numbers = ",".join(str(number) for number in _NAMES)
        words = [sys.executable, "-I", "-S", str(Path(__file__).parent / "trapped.py"), str(its.fileno()), numbers]
        process: subprocess.Popen[str] = subprocess.Popen(  # type: ignore[call-overload]
            [*words, *command], pass_fds=[its.fileno()], text=True, **options
        )
        its.close()
        with ours:
            _, received, *_ = socket.recv_fds(ours, 1, 1)
        if not received:
            raise OSError(f"no system calls of {command[0]} can be had here: {process.communicate()[1]}")
        threading.Thread(target=self._serve, args=(received[0], process.pid), daemon=True).start()
        return process

    def _serve(self, listener: int, command: int) -> None:
        """Answer until no process is left under the filter."""
        poll = select.poll()
        poll.register(listener, select.POLLIN)
        try:
            while not any(events & select.POLLHUP for _, events in poll.poll()):
                notice = bytearray(80)
                try:
                    fcntl.ioctl(listener, RECEIVE, notice)
                except (FileNotFoundError, InterruptedError):
                    # Its process was killed before we looked.
                    continue
                key, process, _, call = struct.unpack_from("QIIi", notice)
                # Behind the number of the call: its architecture and its address, then the arguments.
                arguments = struct.unpack_from("6Q", notice, 32)
                failed = self._judge(process, call, arguments, command)
                answer = struct.pack("QqiI", key, 0, -failed, 0 if failed else CONTINUE)
                with suppress(FileNotFoundError):
                    fcntl.ioctl(listener, SEND, answer)
        finally:
            os.close(listener)

    def _judge(self, process: int, number: int, arguments: tuple[int, ...], command: int) -> int:
        """The error that this call gets; 0 lets it through."""
        name = _NAMES[number]
        place = self._place(process, number, arguments)
        if place is None:
            return 0
        self.seen[name, place] += 1
        call = Call(name, place, self.seen[name, place])
        if call in self.before:
            self.before[call]()
        if call == self.kills:
            self.struck = f"killed at {call}"
            os.kill(command, signal.SIGKILL)
        if call == self.fails:
            self.struck = f"{errno.errorcode[self.error]} for {call} of {_comm(process)}"
            return self.error
        return 0

    def _place(self, process: int, number: int, arguments: tuple[int, ...]) -> str | None:
        """Where the call goes, or None where nobody wants to know."""
        name = _NAMES[number]
        if name in ("connect", "clone"):
            return _comm(process)
        if number == 72 and arguments[1] not in _SETS_LOCK:
            return None
        try:
            if number in _PATH_AT:
                path = self._named(process, number, arguments)
            else:
                descriptor = arguments[_DESCRIPTOR_AT.get(number, 0)] & 0xFFFFFFFF
                path = os.readlink(f"/proc/{process}/fd/{descriptor}")
        except OSError:
            return None
        if path.startswith(_DEVICES):
            return _ANY_NUMBER.sub("*", path[1:])
        inside = os.path.normpath(path)
        if not inside.startswith(f"{self.root}/"):
            return None
        return _ANY_NUMBER.sub("*", inside[len(str(self.root)) + 1 :])

    @staticmethod
    def _named(process: int, number: int, arguments: tuple[int, ...]) -> str:
        with open(f"/proc/{process}/mem", "rb", buffering=0) as memory:
            memory.seek(arguments[_PATH_AT[number]])
            # To the end of the page at most, behind which there may be nothing.
            text = memory.read(4096 - arguments[_PATH_AT[number]] % 4096)
            if b"\0" not in text:
                text += memory.read(LONGEST_PATH)
        path = os.fsdecode(text.partition(b"\0")[0])
        if path.startswith("/"):
            return path
        folder = arguments[_FOLDER_AT[number]] & 0xFFFFFFFF if number in _FOLDER_AT else 0xFFFFFF9C
        base = f"/proc/{process}/cwd" if folder == 0xFFFFFF9C else f"/proc/{process}/fd/{folder}"
        return os.path.join(os.readlink(base), path)

    def calls(self, most: int = 0) -> list[Call]:
        """All that was seen; of each name and place at most so many, the first half and the last."""
        found = []
        for (name, place), count in self.seen.items():
            numbers = range(1, count + 1)
            kept = numbers if not most or count <= most else [*numbers[: most - most // 2], *numbers[-(most // 2) :]]
            found += [Call(name, place, number) for number in kept]
        return found


def _comm(process: int) -> str:
    try:
        name = Path(f"/proc/{process}/comm").read_text().strip()
    except OSError:
        return "gone"
    return _ANY_NUMBER.sub("*", name)
