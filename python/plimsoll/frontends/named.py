"""Files that the user named: each is reached through its folder, which is held open, and stays the same file from the
first look to the last.

The folder may be somebody else's, who can rename what is in it at any time. A link of somebody else is not followed.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from plimsoll.errors import TargetError, UnsafeTarget
from plimsoll.targets.held import HeldFolder, held

Identity = tuple[int, int]
"""Device and inode of a file."""


@dataclass
class NamedFiles:
    """The folders that are held, and the files that this command has made."""

    stack: ExitStack
    made: set[Identity] = field(default_factory=set)
    _folders: dict[Path, HeldFolder] = field(default_factory=dict)

    def reach(self, path: Path) -> Path:
        """A file through its folder; a device as it is named. Raises TargetError or UnsafeTarget."""
        real = _real(path)
        return path if real.is_block_device() else self._folder(real.parent) / real.name

    def together(self, paths: Sequence[Path]) -> list[Path]:
        """The files of one job, through the one folder that all of them are below."""
        if paths[0].is_block_device():
            return list(paths)
        reals = [_real(path) for path in paths]
        above = Path(os.path.commonpath([real.parent for real in reals]))
        return [self._folder(above) / real.relative_to(above) for real in reals]

    def _folder(self, path: Path) -> HeldFolder:
        if path not in self._folders:
            self._folders[path] = self.stack.enter_context(held(path))
        return self._folders[path]


def _real(path: Path) -> Path:
    """Where a file is, or will be."""
    if not path.is_symlink():
        return Path(os.path.realpath(path.parent)) / path.name
    owner, real = path.lstat().st_uid, Path(os.path.realpath(path))
    if owner not in (0, os.geteuid()) and not real.is_block_device():
        raise UnsafeTarget(
            f"{path} is a link of user {owner}, who can make it lead elsewhere at any time; name the file that it "
            f"leads to: {real}"
        )
    return real


def identity(path: Path | int) -> Identity:
    """That of a file that is there; a link is one of its own."""
    status = os.fstat(path) if isinstance(path, int) else os.lstat(path)
    return status.st_dev, status.st_ino


def identities(paths: Iterable[Path]) -> list[Identity]:
    """Those of files that are there; none of devices, which are held in another way."""
    return [identity(path) for path in paths if not path.is_block_device()]


def open_regular(path: Path, shown: Path, flags: int) -> int:
    """Open a file that is there, unless something else is. Raises OSError or TargetError."""
    # A pipe would wait for its other end.
    descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise TargetError(f"{shown} is no longer a regular file: somebody has put something else in its place")
    return descriptor


def remove_own(paths: Mapping[Path, Identity]) -> None:
    """Remove files that are still the ones that were made; others are left."""
    for path, made in paths.items():
        try:
            if identity(path) == made:
                os.unlink(path)
        except FileNotFoundError:
            continue
