"""Files that an original's options make a front end write. The originals overwrite whatever has the name; here

- a file that a front end has written, and nobody has changed since, and an empty one are written over, as there;
- what is there under a name that the tool makes up (logs, output of commands), and what looks like the tool's own
  results, is kept under another name, and that is said;
- everything else under a name that was typed is refused before anything is measured, unless `--force` is typed as well.

What a front end has written is known by a mark with the file, an extended attribute with its size and time. Where a
file system has no attributes, its own results are kept each time.
"""

from __future__ import annotations

import io
import os
import re
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Literal

from plimsoll.errors import UsageError
from plimsoll.outgoing import check_regular, opener

_MARK = "user.plimsoll.output"
_UNFINISHED = b"unfinished"
_HEAD_BYTES = 4096
_MOST_KEPT = 1000


class _Result(io.TextIOWrapper):
    """A file whose end carries the mark."""

    def close(self) -> None:
        if not self.closed:
            try:
                self.flush()
                _mark(self.fileno(), finished=True)
            finally:
                super().close()


def check_result(
    path: str | Path,
    option: str,
    say: Callable[[str], None],
    *,
    force: bool = False,
    looks_right: re.Pattern[str] | None = None,
) -> None:
    """Before measuring: refuse to write over somebody's file, or say what becomes of it.

    `looks_right` is found in the beginning of the tool's own results; without it, the tool makes up the name.
    Raises UsageError.
    """
    if not _is_foreign(path) or force:
        return
    check_regular(path)
    if looks_right is not None and not looks_right.search(_head(path)):
        raise UsageError(
            f"{option}: {path} is there and was not written by this command: nothing was measured; name another file, "
            "or add --force to have it overwritten"
        )
    say(f"{path} is there and was not written by this command: it is kept as {_free_name(path)}")


def open_result(path: str | Path, mode: Literal["w", "a"] = "w", *, force: bool = False) -> io.TextIOWrapper:
    """`open_output` with the mark of a front end's result; what is somebody's under this name is kept under another.

    Raises UsageError and OSError.
    """
    if not force and _is_foreign(path):
        check_regular(path)
        os.rename(path, _free_name(path))
    raw = open(path, f"{mode}b", opener=opener)  # noqa: SIM115 (closed with what wraps it)
    _mark(raw.fileno(), finished=False)
    return _Result(raw, encoding="utf-8")


def _is_foreign(path: str | Path) -> bool:
    """A regular file that holds something, and is not as a front end left it."""
    try:
        status = os.stat(path)
    except OSError:
        return False
    if not stat.S_ISREG(status.st_mode) or not status.st_size:
        return False
    try:
        mark = os.getxattr(path, _MARK)
    except OSError:
        return True
    return mark not in (_UNFINISHED, _state(status))


def _state(status: os.stat_result) -> bytes:
    return f"{status.st_size} {status.st_mtime_ns}".encode()


def _mark(descriptor: int, *, finished: bool) -> None:
    status = os.fstat(descriptor)
    if stat.S_ISREG(status.st_mode):
        with suppress(OSError):
            os.setxattr(descriptor, _MARK, _state(status) if finished else _UNFINISHED)


def _head(path: str | Path) -> str:
    try:
        with open(path, "rb") as file:
            return file.read(_HEAD_BYTES).decode(errors="replace")
    except OSError:
        return ""


def _free_name(path: str | Path) -> Path:
    """`FILE.~1~`, as cp and mv number what they keep."""
    for number in range(1, _MOST_KEPT):
        name = Path(f"{path}.~{number}~")
        if not os.path.lexists(name):
            return name
    raise UsageError(f"{path}: there are {_MOST_KEPT - 1} older versions of it; remove some")
