"""Which process something belongs to, in a way that survives reuse of process numbers and reboots."""

from __future__ import annotations

import os
import platform
from pathlib import Path

from plimsoll.model import Record
from plimsoll.targets.blockdev import text_of


class Owner(Record):
    """One process of one boot of one machine."""

    pid: int
    start_ticks: int
    """Start of the process since boot (field 22 of /proc/PID/stat): tells it from a later one with the same number."""
    boot_id: str
    pid_namespace: str
    host: str


def _start_ticks(pid: int, root: Path) -> int:
    # The command name may hold blanks and brackets; the numbers start after the last bracket.
    numbers = text_of(root / "proc" / str(pid) / "stat").rpartition(")")[2].split()
    return int(numbers[19]) if len(numbers) > 19 else 0


def _boot_id(root: Path) -> str:
    return text_of(root / "proc/sys/kernel/random/boot_id")


def _pid_namespace(root: Path) -> str:
    try:
        return os.readlink(root / "proc/self/ns/pid")
    except OSError:
        return ""


def current_owner(root: Path = Path("/")) -> Owner:
    """What tells this process from any other, also after a restart of the machine."""
    pid = os.getpid()
    return Owner(
        pid=pid,
        start_ticks=_start_ticks(pid, root),
        boot_id=_boot_id(root),
        pid_namespace=_pid_namespace(root),
        host=platform.node(),
    )


def is_alive(owner: Owner, root: Path = Path("/")) -> bool:
    """Whether the process may still run; True where that cannot be seen (another machine, another container)."""
    if owner.boot_id != _boot_id(root):
        return owner.host != platform.node()
    if owner.pid_namespace != _pid_namespace(root):
        return True
    return _start_ticks(owner.pid, root) == owner.start_ticks != 0
