"""File systems on volumes: no work is left for later, and mounts have the kernel's other defaults unless told."""

from __future__ import annotations

import os
from pathlib import Path

from plimsoll.errors import TargetError, UnknownName
from plimsoll.targets.mounts import Mount, read_mounts
from plimsoll.volumes.machine import Failed, run

_EXT = ("-q", "-F", "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0")
PREZEROED = ",assume_storage_prezeroed=1"
"""A new volume reads as zeros, so nothing has to be zeroed again: seconds instead of minutes for a terabyte. Only
e2fsprogs from 1.47 on knows it."""
MAKE: dict[str, tuple[str, ...]] = {
    "ext2": ("-q", "-F", "-E", "nodiscard"),
    "ext3": _EXT,
    "ext4": _EXT,
    "xfs": ("-q", "-f", "-K"),
    "btrfs": ("-q", "-f", "-K"),
    "f2fs": ("-q", "-f"),
    "jfs": ("-q",),
    "nilfs2": ("-q", "-f"),
}
"""How each is made. What ext3 and ext4 would put off is done at once: their initialisation in the background would be
part of every measurement."""
NO_PREFETCH = "no_prefetch_block_bitmaps"
"""Without it, Linux from 5.13 on reads the bitmaps of ext2, ext3 and ext4 (160 reads for 20 GiB without flex_bg) at a
random moment of the first seconds after mounting, in the thread ext4lazyinit. What is written first needs a few of
them, and reads these then. (https://docs.kernel.org/admin-guide/ext4.html)"""


def check(file_system: str) -> None:
    """Raises UnknownName for one that is not in the table."""
    if file_system not in MAKE:
        raise UnknownName("file system", file_system, MAKE)


def make(file_system: str, device: str) -> None:
    """Make a file system. Raises TargetError with the reason of mkfs."""
    what, program, words = f"cannot make {file_system} on {device}", f"mkfs.{file_system}", MAKE[file_system]
    if words is _EXT:
        try:
            run(what, program, *words[:-1], words[-1] + PREZEROED, device)
            return
        except Failed as error:
            if "assume_storage_prezeroed" not in str(error):
                raise
    run(what, program, *words, device)


def prepare_mount_point(point: Path) -> bool:
    """An empty directory at `point`; True if it was made here. Raises TargetError if it cannot be one."""
    try:
        point.mkdir(mode=0o755)
        return True
    except FileExistsError:
        pass
    except OSError as error:
        raise TargetError(f"cannot make the mount point {point}: {error.strerror}; its parent must exist") from None
    if not point.is_dir():
        raise TargetError(f"{point} is not a directory; choose an empty one, or a new one")
    if any(point.iterdir()):
        raise TargetError(f"the mount point {point} is not empty; choose an empty directory, or a new one")
    if os.path.ismount(point):
        raise TargetError(f"something is mounted at {point}; choose another mount point")
    return False


def mount(file_system: str, device: str, point: Path, options: str = "") -> None:
    """Mount it. Raises TargetError."""
    what, words = f"cannot mount {device} at {point}", ("mount", "-t", file_system, device, str(point))
    if file_system.startswith("ext"):
        try:
            run(what, *words, "-o", ",".join(filter(None, (NO_PREFETCH, options))))
            return
        except Failed:
            pass  # An older kernel does not know the option; whatever else it was, the next attempt says it.
    try:
        run(what, *words, *(["-o", options] if options else []))
    except Failed as error:
        if f"unknown filesystem type '{file_system}'" in str(error):
            raise TargetError(f"this kernel does not know {file_system} (kernel {os.uname().release})") from None
        raise


def mounts_of(device_number: str, device: str) -> list[Mount]:
    """Where the device is mounted, the last mount first; btrfs has numbers of its own, so its source is compared."""
    here = [each for each in read_mounts() if device_number == each.device_number or each.source == device]
    return here[::-1]


def unmount(point: str, *, lazily: bool = False) -> None:
    """Take a mount away; `lazily` also while programs use it. Raises Failed while they do."""
    run(f"cannot unmount {point}", "umount", *(["--lazy"] if lazily else []), point)


def is_served(file: Path) -> bool:
    """Whether something is mounted at the file of a volume."""
    return any(each.point == str(file) for each in read_mounts())
