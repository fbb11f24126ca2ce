"""Which process something belongs to, in a way that survives reuse of process numbers and reboots."""

from __future__ import annotations

import hashlib
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
    machine: str = ""
    """Tells machines of one name apart; empty where an older version wrote it."""


def machine_key(root: Path = Path("/")) -> str:
    """16 hex digits that stand for this machine, or its name where it has no id. The id itself is not told."""
    identity = text_of(root / "etc/machine-id")
    if not identity:
        return platform.node()
    return hashlib.sha256(f"plimsoll {identity}".encode()).hexdigest()[:16]


def start_ticks(pid: int, root: Path = Path("/")) -> int:
    """When a process started, in ticks since boot; 0 if there is none."""
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
        start_ticks=start_ticks(pid, root),
        boot_id=_boot_id(root),
        pid_namespace=_pid_namespace(root),
        host=platform.node(),
        machine=machine_key(root),
    )


def is_alive(owner: Owner, root: Path = Path("/")) -> bool:
    """Whether the process may still run; True where that cannot be seen (another machine, another container)."""
    if owner.boot_id != _boot_id(root):
        # Only this machine's own earlier boots are over for sure; another one may have its name.
        here = platform.node(), machine_key(root)
        return (owner.host, owner.machine or here[1]) != here
    if owner.pid_namespace != _pid_namespace(root):
        return True
    return start_ticks(owner.pid, root) == owner.start_ticks != 0


def can_be_seen(owner: Owner, root: Path = Path("/")) -> bool:
    """Whether the processes of its boot and container are those that this process sees."""
    return owner.boot_id == _boot_id(root) and owner.pid_namespace == _pid_namespace(root)
