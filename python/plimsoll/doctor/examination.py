"""What the checks look at, and what they answer."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from plimsoll.errors import TargetError
from plimsoll.model import Level, Record
from plimsoll.targets.chain import Chain, chain_of
from plimsoll.targets.host import HostFacts, host_facts


class Check(Record):
    """One answer: `ok`, `warn` (results will be worse than they could be) or `invalid` (some tests cannot work)."""

    name: str
    level: Level
    message: str
    advice: str = ""


@dataclass(frozen=True)
class Examined:
    """A host and one place on it."""

    path: Path
    host: HostFacts
    chain: Chain
    total_bytes: int
    """Size of the file system under the path; 0 for a device."""
    free_bytes: int
    read_only: bool
    root: Path = Path("/")


def examine(path: Path, root: Path = Path("/")) -> Examined:
    """Look at the host and at the storage under `path`. Raises TargetError if the path cannot be read."""
    chain = chain_of(path, root)
    try:
        space = os.statvfs(path)
    except OSError as error:
        raise TargetError(f"cannot look at the file system of {path}: {error.strerror}; check the path") from None
    on_file_system = chain.mount is not None
    return Examined(
        path=path,
        host=host_facts(root),
        chain=chain,
        total_bytes=space.f_blocks * space.f_frsize if on_file_system else 0,
        free_bytes=space.f_bavail * space.f_frsize if on_file_system else 0,
        read_only=bool(space.f_flag & os.ST_RDONLY) and on_file_system,
        root=root,
    )
