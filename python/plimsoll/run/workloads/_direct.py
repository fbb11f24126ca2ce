"""Whether the file system of a directory really has direct I/O: some take O_DIRECT and go through the page cache."""

from __future__ import annotations

import tempfile
from pathlib import Path

from plimsoll.errors import TargetError
from plimsoll.model import Target
from plimsoll.run.workers.local import alignment


def offset_alignment(target: Target) -> int:
    """Bytes of which offsets must be multiples, asked of a file without a name. Raises TargetError if refused."""
    with tempfile.TemporaryFile(dir=target.where) as probe:
        probe.truncate(64 * 1024)
        try:
            return alignment(Path(f"/proc/self/fd/{probe.fileno()}"))["offset"]
        except OSError as error:
            raise TargetError(
                f"target {target.name}: the file system of {target.where} refuses direct I/O ({error.strerror}); set "
                "direct=no (the page cache then answers too), or test a directory on another file system"
            ) from None
