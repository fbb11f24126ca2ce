"""Which loop devices use a file or a device, however it was named when they were attached.

The kernel remembers the path that was given to it, and paths lie: a bind mount, a hard link, another mount namespace or
the directories of an overlay give one file many. Its device and inode do not (loop(4), LOOP_GET_STATUS64).
"""

from __future__ import annotations

import fcntl
import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from plimsoll.targets.blockdev import BlockDevice, all_devices
from plimsoll.targets.mounts import STACKED, all_mounts

_GET_STATUS = 0x4C05
_STATUS = struct.Struct("=QQQ208x")
"""Device and inode of the backing file, and the device that a node stands for; the rest is not needed."""


class Backing(NamedTuple):
    """What a loop device reads and writes. Device numbers as `major:minor`."""

    device: str
    """The file system that holds the file or node."""
    inode: int
    node: str
    """The block device that the node stands for; `0:0` for a file."""


def backing_of(loop: BlockDevice) -> Backing | None:
    """What an attached loop device uses; None where it cannot be asked (no right to open it, or detached)."""
    try:
        descriptor = os.open(loop.path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        device, inode, node = _STATUS.unpack(fcntl.ioctl(descriptor, _GET_STATUS, bytes(_STATUS.size)))
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return Backing(_number(device), inode, _number(node))


def loops_on_file(file: Backing, root: Path = Path("/")) -> Iterator[BlockDevice]:
    """Attached loop devices that use this file, under whatever name."""
    plain: frozenset[str] | None = None
    for loop in _attached(root):
        other = backing_of(loop)
        if other is None or other.inode != file.inode or other.node != file.node:
            continue
        if other.device == file.device:
            yield loop
            continue
        plain = _plain_devices(root) if plain is None else plain
        # A file of an overlay has the inode of the file below, but a device number of its own.
        if not {other.device, file.device} <= plain:
            yield loop


def loops_on_device(number: str, root: Path = Path("/")) -> Iterator[BlockDevice]:
    """Attached loop devices that were made of the block device `major:minor`."""
    for loop in _attached(root):
        other = backing_of(loop)
        if other is not None and other.node == number:
            yield loop


def backing_of_file(path: Path) -> Backing:
    """The same three facts of a file or node (links followed). Raises OSError."""
    status = os.stat(path)
    return Backing(_number(status.st_dev), status.st_ino, _number(status.st_rdev))


def _attached(root: Path) -> list[BlockDevice]:
    if root != Path("/"):
        return []  # A recorded tree has no devices that could be asked.
    return [loop for loop in all_devices(root, "loop") if loop.kind == "loop" and loop.backing_file]


def _plain_devices(root: Path) -> frozenset[str]:
    """Numbers of file systems that hold their own files: not stacked on others, and known to some mount table."""
    return frozenset(mount.device_number for _, mount in all_mounts(root) if mount.file_system not in STACKED)


def _number(device: int) -> str:
    return f"{os.major(device)}:{os.minor(device)}"
