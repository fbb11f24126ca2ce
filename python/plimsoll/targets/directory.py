"""A directory as target: what is known about it, and whether it can be used."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from plimsoll.errors import TargetError
from plimsoll.model import Target
from plimsoll.targets.chain import chain_facts, chain_of
from plimsoll.targets.mounts import COPY_ON_WRITE, MEMORY, NETWORK, STACKED
from plimsoll.units import MIB, format_size

RESERVE_SHARE = 0.02
RESERVE_BYTES = 64 * MIB
"""Left free beside the test files: a full file system breaks other programs and slows itself down."""


def facts(target: Target, root: Path = Path("/")) -> dict[str, Any]:
    """The file system, its devices and its space. Raises TargetError if the place cannot be read."""
    path = Path(target.where)
    chain = chain_of(path, root)
    space = _space(path)
    found = chain_facts(chain)
    found |= {
        "path": os.path.realpath(path),
        "total_bytes": space.f_blocks * space.f_frsize,
        "free_bytes": space.f_bavail * space.f_frsize,
        "file_system_block_bytes": space.f_bsize,
    }
    kind = found.get("file_system", "")
    for name, group in (
        ("in_memory", MEMORY),
        ("network", NETWORK),
        ("stacked", STACKED),
        ("copy_on_write", COPY_ON_WRITE),
    ):
        found[name] = kind in group or (name == "network" and kind.startswith("fuse."))
    return found


SMALLER = "set size= to less (databases: records=, scale=)"


def check(target: Target, *, needed_bytes: int = 0, advice: str = SMALLER) -> None:
    """Refuse a place that is no directory, cannot be written or has too little space. Raises TargetError.

    `needed_bytes` are kept free beside a reserve; `advice` says which setting asks for less.
    """
    path = Path(target.where)
    here = f"target {target.name}"
    if not path.exists():
        hint = "it is a broken link" if path.is_symlink() else "create it, or check the path"
        raise TargetError(f"{here}: {path} does not exist; {hint}")
    if not path.is_dir():
        raise TargetError(
            f"{here}: {path} is a file; a test writes to its target, so give the directory {path.parent} instead "
            "(a new folder is made there and removed afterwards) or a block device"
        )
    if os.statvfs(path).f_flag & os.ST_RDONLY:
        raise TargetError(f"{here}: the file system of {path} is mounted read-only; choose another place")
    if not os.access(path, os.W_OK | os.X_OK):
        raise TargetError(f"{here}: you may not write to {path}; change its permissions or choose another directory")
    space = _space(path)
    if not space.f_blocks:
        # ramfs and some FUSE file systems do not tell their size.
        return
    free = space.f_bavail * space.f_frsize
    reserve = min(RESERVE_BYTES, int(space.f_blocks * space.f_frsize * RESERVE_SHARE))
    if needed_bytes + reserve > free:
        raise TargetError(
            f"{here}: the test needs {format_size(needed_bytes)} in {path} and leaves {format_size(reserve)} free, "
            f"but only {format_size(free)} are free; {advice}, or make room"
        )


def _space(path: Path) -> os.statvfs_result:
    try:
        return os.statvfs(path)
    except OSError as error:
        raise TargetError(f"cannot look at the file system of {path}: {error.strerror}") from None
