"""Arrays and file systems on the disks of a target, made on their machine. They end with it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from plimsoll.clouds.wanted import Layout
from plimsoll.cluster.remote import answers
from plimsoll.targets.blockdev import identity
from plimsoll.targets.mounts import is_block_device
from plimsoll.targets.safety import find_device
from plimsoll.volumes import array, filesystem

MOUNTS = Path("/mnt/plimsoll")


@answers
def lay_out(layout: Layout, devices: Sequence[str]) -> str:
    """The place that is measured: a device, or a directory where its file system is mounted."""
    if layout.file_system:
        filesystem.check(layout.file_system)
    device = devices[0]
    if layout.raid is not None:
        device = array.assemble(layout.target, devices, layout.raid, layout.chunk_bytes)
    if not layout.file_system:
        return device
    filesystem.make(layout.file_system, device)
    point = MOUNTS / layout.target
    MOUNTS.mkdir(parents=True, exist_ok=True)
    filesystem.prepare_mount_point(point)
    filesystem.mount(layout.file_system, device, point, layout.mount_options)
    return str(point)


@answers
def identities(places: Sequence[str]) -> list[str]:
    """Of those that are devices: what allows them to be overwritten."""
    return [identity(find_device(Path(place))) for place in places if is_block_device(Path(place))]
