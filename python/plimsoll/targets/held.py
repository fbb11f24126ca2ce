"""Folders that are held open: what lies in them is reached by the descriptor, so that nobody can put another in their
place.

A name below a held folder is `/proc/self/fd/N/name`. The kernel goes on from the open folder there, wherever that was
moved since, and looks at no name above it. The system gets such a path (`folder / name`), people get `folder.path`.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from plimsoll.errors import TargetError
from plimsoll.targets.mounts import mount_of, read_mounts

_BY_DESCRIPTOR = re.compile(r"/proc/self/fd/\d+(?=/|\b)")
LINKLESS = ("vfat", "exfat", "msdos")
"""File systems without links of any kind, whose folders belong to whom the mount says."""


@dataclass(frozen=True)
class HeldFolder:
    """An open folder."""

    path: Path
    """As people know it; where it was when it was opened."""
    descriptor: int

    def __truediv__(self, name: str | Path) -> Path:
        """What is called so in it, as a path that cannot lead elsewhere."""
        return Path(os.fspath(self)) / name

    def __fspath__(self) -> str:
        """For system calls."""
        return f"/proc/self/fd/{self.descriptor}"

    def __str__(self) -> str:
        """The path as people know it, for messages."""
        return str(self.path)

    def is_still(self, parent: HeldFolder) -> bool:
        """Whether it has its name in `parent`, and that one is still where it was."""
        try:
            named = os.stat(self.path.name, dir_fd=parent.descriptor, follow_symlinks=False)
            above = os.stat(parent.path)
        except OSError:
            return False
        return os.path.samestat(named, os.fstat(self.descriptor)) and os.path.samestat(
            above, os.fstat(parent.descriptor)
        )


@contextmanager
def held(path: Path) -> Iterator[HeldFolder]:
    """Hold a folder that is there, whoever's it is. Raises TargetError."""
    real = Path(os.path.realpath(path))
    try:
        # O_PATH: a folder that one may write to, but not list, is a place as well.
        descriptor = os.open(real, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        raise TargetError(f"cannot open the folder {path}: {error.strerror}; check the path") from None
    try:
        yield HeldFolder(real, descriptor)
    finally:
        os.close(descriptor)


def make_folder(parent: HeldFolder, name: str) -> HeldFolder:
    """Make a folder that only this user can change, and open it; the caller closes it.

    Raises FileExistsError or another OSError where it cannot be made, TargetError where it is not ours alone.
    """
    os.mkdir(name, 0o700, dir_fd=parent.descriptor)
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(name, flags, dir_fd=parent.descriptor)
    try:
        _check_ours(parent.path / name, descriptor)
    except BaseException:
        os.close(descriptor)
        # Of whatever it is now: only an empty folder goes.
        with suppress(OSError):
            os.rmdir(name, dir_fd=parent.descriptor)
        raise
    return HeldFolder(parent.path / name, descriptor)


def _check_ours(path: Path, descriptor: int) -> None:
    """Raise TargetError unless the folder is new and of this user; root's must not be open to others either."""
    if stat.S_IMODE(os.fstat(descriptor).st_mode) & 0o077:
        # Some file systems do not take the mode when a folder is made; some never.
        with suppress(OSError):
            os.fchmod(descriptor, 0o700)
    status = os.fstat(descriptor)
    if os.listdir(descriptor):
        raise TargetError(f"{path} was made empty and is not: somebody exchanged it; choose a folder of your own")
    strange = status.st_uid != os.geteuid()
    # Where a mount has one mode for all, as with Windows shares, its users know; root risks more than they do.
    if not strange and (os.geteuid() or not status.st_mode & 0o022):
        return
    mount = mount_of(path.parent, read_mounts())
    if mount is not None and mount.file_system in LINKLESS:
        return
    what = f"belongs to user {status.st_uid}" if strange else "can be written by others"
    raise TargetError(
        f"the folder {path} {what}, though user {os.geteuid()} made it for itself alone: others could put files in the "
        "place of its own. Somebody exchanged it, or the file system decides by itself (NFS with root_squash, mount "
        "options uid= and umask=): choose a directory of your own, or run as the user that it belongs to"
    )


def make_file(folder: HeldFolder, name: str, content: bytes = b"", mode: int = 0o600) -> int:
    """Make a file that was not there; its descriptor, to be closed. Raises OSError."""
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(name, flags, mode, dir_fd=folder.descriptor)
    try:
        os.write(descriptor, content)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def readable(text: str) -> str:
    """A message with the places that folders held open have now, instead of their descriptors."""

    def place(found: re.Match[str]) -> str:
        try:
            return os.readlink(found[0])
        except OSError:
            return found[0]

    return _BY_DESCRIPTOR.sub(place, text)
