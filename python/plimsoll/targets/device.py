"""A block device as target: what is known about it, and whether it can be used."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from plimsoll.errors import TargetError
from plimsoll.model import Target
from plimsoll.targets.blockdev import identity
from plimsoll.targets.chain import chain_facts, chain_of
from plimsoll.targets.safety import check_writable, find_device


def facts(target: Target, root: Path = Path("/")) -> dict[str, Any]:
    """The device and everything below it; `size_bytes`, `identity` and `logical_block_bytes` of the device itself."""
    path = Path(target.where)
    device = find_device(path, root)
    return {
        **chain_facts(chain_of(path, root)),
        "path": device.path,
        "size_bytes": device.size_bytes,
        "logical_block_bytes": device.logical_block_bytes,
        "physical_block_bytes": device.physical_block_bytes,
        "identity": identity(device, root),
    }


def check(target: Target, *, writes: bool, destroy: Sequence[str] = (), root: Path = Path("/")) -> None:
    """Refuse a device that cannot be read or, if the test `writes`, that may not be overwritten.

    `destroy` are the identities the user typed. Raises TargetError or UnsafeTarget.
    """
    path = Path(target.where)
    device = find_device(path, root)
    if device.size_bytes == 0:
        raise TargetError(f"target {target.name}: {path} has no size: no medium, or nothing is attached to it")
    if writes:
        check_writable(path, destroy, root)
    elif not os.access(path, os.R_OK):
        raise TargetError(f"target {target.name}: you may not read {path}; run as root, or choose a directory")
