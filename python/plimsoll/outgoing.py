"""Files that are written for the user. Only regular files lose what they held: a device named by mistake keeps it.

What a path names is looked at through a descriptor that opens nothing yet (O_PATH), and that very thing is opened then:
a device node, or a link to one, cannot take the place of a file in between.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from tempfile import TemporaryFile
from typing import Literal, TextIO, cast

from plimsoll.errors import UsageError

_TRIES = 3
"""A file may appear or vanish between two looks; nobody does that more often by accident."""
_NULL = (1, 3)


def check_regular(path: str | Path) -> None:
    """Raise UsageError if something is there that is no regular file (links followed), such as a device or a folder."""
    try:
        status = os.stat(path)
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise UsageError(f"cannot write {path}: the name is too long; choose a shorter one") from None
        return
    _check(path, status)


def check_output(path: str | Path) -> None:
    """Raise UsageError if a whole regular file could not be put at `path`: asked before hours of measuring, not after.

    Folders that are missing are made when it is written.
    """
    check_regular(path)
    folder = Path(os.path.abspath(path)).parent
    while not folder.exists() and not folder.is_symlink():
        folder = folder.parent
    if not folder.is_dir():
        raise UsageError(f"cannot write {path}: {folder} is not a folder; choose another place")
    if not os.access(folder, os.W_OK | os.X_OK, effective_ids=True):
        reason = (
            "the file system is read-only" if os.statvfs(folder).f_flag & os.ST_RDONLY else "no right to write there"
        )
        raise UsageError(f"cannot write {path}: {reason} ({folder}); choose another place")
    try:
        # Rights are not all: nobody makes files in /proc, or in a folder that is immutable.
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise UsageError(
            f"cannot write {path}: no file can be made in {folder} ({error.strerror}); choose another place"
        ) from None


def open_output(path: str | Path, mode: Literal["w", "a"] = "w") -> TextIO:
    """`open` for writing or appending UTF-8 text to a regular file, a pipe, a terminal or /dev/null.

    Raises UsageError for anything else, before it is opened, and OSError like `open`.
    """
    return cast(TextIO, open(path, mode, encoding="utf-8", opener=opener))


def opener(path: str, flags: int) -> int:
    """For `open`: what is there is looked at before it is opened. Raises UsageError and OSError."""
    for _ in range(_TRIES):
        try:
            seen = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except FileNotFoundError:
            try:
                return os.open(path, flags | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
            except FileExistsError:
                if os.path.islink(path) and not os.path.exists(path):
                    raise UsageError(f"{path} is a broken link; remove it, or name another file") from None
                continue
        try:
            _check(path, os.fstat(seen), streams=True)
            return os.open(f"/proc/self/fd/{seen}", flags & ~(os.O_CREAT | os.O_EXCL) | os.O_CLOEXEC | os.O_NOCTTY)
        finally:
            os.close(seen)
    raise UsageError(f"{path} is made and removed by another program at this moment; name another file")


def _check(path: str | Path, status: os.stat_result, *, streams: bool = False) -> None:
    kind = status.st_mode
    if stat.S_ISREG(kind):
        return
    if streams and (stat.S_ISFIFO(kind) or (stat.S_ISCHR(kind) and _keeps_nothing(status))):
        return
    names = ((stat.S_ISBLK, "a block device"), (stat.S_ISDIR, "a folder"), (stat.S_ISCHR, "a device"))
    name = next((name for fits, name in names if fits(kind)), "no regular file")
    raise UsageError(f"{path} is {name}, and a file is needed here: nothing was written; name a regular file")


def _keeps_nothing(status: os.stat_result) -> bool:
    number = (os.major(status.st_rdev), os.minor(status.st_rdev))
    # 4 and 5: terminals and the console; 136 to 143: pseudo-terminals (Documentation/admin-guide/devices.txt).
    return number == _NULL or number[0] in (4, 5) or 136 <= number[0] <= 143
