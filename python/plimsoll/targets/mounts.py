"""What is mounted where, from /proc/PID/mountinfo."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from plimsoll.model import Record

NETWORK = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "9p", "ceph", "glusterfs", "lustre", "afs", "beegfs", "gpfs", "virtiofs"}
)
MEMORY = frozenset({"tmpfs", "ramfs", "devtmpfs", "hugetlbfs"})
STACKED = frozenset({"overlay", "aufs", "ecryptfs"})
COPY_ON_WRITE = frozenset({"btrfs", "zfs", "bcachefs"})


class Mount(Record):
    """One line of mountinfo."""

    device_number: str
    """`major:minor` of the file system; major 0 where no single block device is below."""
    root: str
    point: str
    file_system: str
    source: str
    options: tuple[str, ...]
    """Options of the mount, then those of the file system."""

    @property
    def read_only(self) -> bool:
        """Whether the mount or its file system refuses writes."""
        return "ro" in self.options

    def option(self, name: str) -> str | None:
        """Value of `name=value` among the options."""
        return next((text.partition("=")[2] for text in self.options if text.startswith(f"{name}=")), None)


def is_block_device(path: Path) -> bool:
    """Whether `path`, or what it links to, is a block device node."""
    try:
        return stat.S_ISBLK(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def unescape(text: str) -> str:
    """The kernel writes blanks, tabs, newlines and backslashes as octal numbers."""
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), text)


def parse_mountinfo(text: str) -> list[Mount]:
    """The mounts of a mountinfo text, in order of mounting."""
    mounts = []
    for line in text.splitlines():
        left, dash, right = line.partition(" - ")
        before, after = left.split(" "), right.split(" ")
        if not dash or len(before) < 6 or len(after) < 3:
            continue
        mounts.append(
            Mount(
                device_number=before[2],
                root=unescape(before[3]),
                point=unescape(before[4]),
                file_system=after[0],
                source=unescape(after[1]),
                options=tuple(dict.fromkeys(f"{before[5]},{after[2]}".split(","))),
            )
        )
    return mounts


def read_mounts(root: Path = Path("/"), pid: str = "self") -> list[Mount]:
    """The mounts that process `pid` sees; empty where they cannot be read."""
    try:
        return parse_mountinfo((root / "proc" / pid / "mountinfo").read_text(errors="surrogateescape"))
    except OSError:
        return []


def mount_of(path: Path, mounts: list[Mount]) -> Mount | None:
    """The mount that holds the absolute, resolved `path`: the deepest one, and of those the last (it hides others)."""
    best: Mount | None = None
    for mount in mounts:
        if path.is_relative_to(mount.point) and (best is None or len(mount.point) >= len(best.point)):
            best = mount
    return best


def all_mounts(root: Path = Path("/")) -> list[tuple[str, Mount]]:
    """Every mount of every mount namespace that is visible, with the first pid that sees it.

    Without root privilege only the own namespaces can be read.
    """
    found: list[tuple[str, Mount]] = []
    namespaces: set[str] = set()
    processes = sorted((entry for entry in (root / "proc").glob("[0-9]*")), key=lambda entry: int(entry.name))
    for process in [root / "proc/self", *processes]:
        try:
            namespace = os.readlink(process / "ns/mnt")
        except OSError:
            namespace = f"unknown-{process.name}"
        if namespace not in namespaces:
            namespaces.add(namespace)
            found += [(process.name, mount) for mount in read_mounts(root, process.name)]
    return found
