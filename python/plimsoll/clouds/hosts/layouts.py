"""Arrays and file systems on the disks of a target, made on their machine. They end with it."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from plimsoll.clouds.wanted import Layout
from plimsoll.cluster.remote import answers
from plimsoll.errors import TargetError
from plimsoll.targets.blockdev import identity
from plimsoll.targets.mounts import is_block_device
from plimsoll.targets.safety import find_device
from plimsoll.volumes import array, filesystem
from plimsoll.volumes.machine import PACKAGES

MOUNTS = Path("/mnt/plimsoll")


@answers
def lay_out(layout: Layout, devices: Sequence[str]) -> str:
    """The place that is measured: a device, or a directory where its file system is mounted."""
    _check(layout)
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
def check_there(places: Sequence[str]) -> None:
    """Raise TargetError where something that was laid out is gone: a machine that booted again mounts nothing."""
    for place in map(Path, places):
        if not is_block_device(place) and not place.is_mount():
            raise TargetError(f"nothing is mounted at {place} any more, so this is not the volume that was measured")


def _check(layout: Layout) -> None:
    """Raise UnknownName, or TargetError with the programs that this machine's image lacks."""
    programs = {}
    if layout.file_system:
        filesystem.check(layout.file_system)
        programs[f"mkfs.{layout.file_system}"] = PACKAGES[layout.file_system]
    if layout.raid is not None:
        programs["mdadm"] = "mdadm"
    missing = [f"{name} (package {package})" for name, package in programs.items() if shutil.which(name) is None]
    if missing:
        raise TargetError(
            f"target {layout.target}: its machine's image lacks {' and '.join(missing)}; choose one that has it by "
            "--image, or leave the array or file system out"
        )


@answers
def identities(places: Sequence[str]) -> list[str]:
    """Of those that are devices: what allows them to be overwritten."""
    return [identity(find_device(Path(place))) for place in places if is_block_device(Path(place))]
