"""Which file the connections to a store have open: what stands at its path may be another one by now."""

from __future__ import annotations

import os
from pathlib import Path

from plimsoll.errors import StoreError

Identity = tuple[int, int]

OPTION = "plimsoll_open_file"
"""Execution option of an engine: its `OpenFile`."""
_DESCRIPTORS = Path("/proc/self/fd")


class OpenFile:
    """The one file that all connections of an engine share; the first of them says which."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._identity: Identity | None = None

    def claim(self) -> None:
        """A connection was opened. Raises StoreError if its file is not that at the path, or not that of the others."""
        found = identity(self.path)
        if found is None or not _is_open(found) or self._identity not in (None, found):
            raise StoreError(
                f"the store {self.path} was moved, deleted or replaced while it was in use; leave it in its place, and "
                "run the command again"
            )
        self._identity = found

    def release(self) -> None:
        """All connections are closed."""
        self._identity = None

    def is_elsewhere(self) -> bool:
        """Whether the path has another file now than the one that is open, or none."""
        return self._identity is not None and identity(self.path) != self._identity


def identity(path: Path) -> Identity | None:
    """Device and inode; None for what is not there."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _is_open(wanted: Identity) -> bool:
    """Whether this process has the file open; where nobody tells, it is believed."""
    try:
        descriptors = os.listdir(_DESCRIPTORS)
    except OSError:
        return True
    # The one that listed them is closed by now.
    return any(identity(_DESCRIPTORS / each) == wanted for each in descriptors)
