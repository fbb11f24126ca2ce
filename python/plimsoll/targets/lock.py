"""One session per place: a lock on the directory or device node itself; the kernel frees it when the process ends."""

from __future__ import annotations

import fcntl
import hashlib
import os
import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from plimsoll.errors import TargetError
from plimsoll.location import home
from plimsoll.targets.blockdev import text_of

UDEV_WAIT_S = 1.0
"""Udev holds a shared lock on a block device for moments after an event."""
SESSION_BYTES = 64
"""Room for a session's number in the lock file of an address."""


@contextmanager
def lock(path: Path) -> Iterator[None]:
    """Hold the directory or device `path` for this session. Raises TargetError if another session has it."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise TargetError(f"cannot open {path}: {error.strerror}; check the path and its permissions") from None
    extra = -1
    try:
        try:
            _take(descriptor, path)
        except OSError:
            # Some network file systems refuse locks on directories; a lock file of this user stands in.
            extra = os.open(_stand_in(descriptor), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            _take(extra, path)
        yield
    finally:
        os.close(descriptor)
        if extra >= 0:
            os.close(extra)


@contextmanager
def lock_address(address: str, session_id: str | None) -> Iterator[None]:
    """Hold a database for this session, against other sessions of this user. Raises TargetError if one has it.

    The workers of one session may share it; None shares with nobody.
    """
    descriptor = os.open(_lock_file(address), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        _take(descriptor, address, session_id)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def lock_machine(session_id: str) -> Iterator[None]:
    """Hold this machine for the workers of one session, against other sessions of this user on its workers.

    Two sessions in different folders of one machine share its processors and often its disk. Raises TargetError.
    """
    with lock_address(f"machine {platform.node()}", session_id):
        yield


def _take(descriptor: int, path: Path | str, session_id: str | None = None) -> None:
    deadline = time.monotonic() + UDEV_WAIT_S
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if session_id is not None:
                os.pwrite(descriptor, session_id.encode().ljust(SESSION_BYTES), 0)
                fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if session_id is not None and _joined(descriptor, session_id):
                return
            if time.monotonic() > deadline:
                pid = _holder(descriptor)
                by = f"process {pid}" if pid else "another process"
                raise TargetError(
                    f"{path} is in use by {by}; two sessions at one place would measure each other. "
                    "Wait until it ends, or measure elsewhere"
                ) from None
            time.sleep(0.05)


def _joined(descriptor: int, session_id: str) -> bool:
    """Whether the holder is this session, and shares."""
    if os.pread(descriptor, SESSION_BYTES, 0).decode(errors="replace").strip() != session_id:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _holder(descriptor: int) -> int | None:
    """The process with a lock on this inode, from /proc/locks."""
    status = os.fstat(descriptor)
    inode = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    for line in text_of(Path("/proc/locks")).splitlines():
        words = line.split()
        if len(words) > 5 and words[1] == "FLOCK" and words[5] == inode and int(words[4]) > 0:
            return int(words[4])
    return None


def _stand_in(descriptor: int) -> Path:
    status = os.fstat(descriptor)
    return _lock_file(f"{status.st_dev}:{status.st_rdev}:{status.st_ino}")


def _lock_file(place: str) -> Path:
    folder = home() / "locks"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder / hashlib.sha256(place.encode()).hexdigest()[:16]
