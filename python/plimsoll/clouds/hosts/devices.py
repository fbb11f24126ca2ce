"""Which device of the kernel is which volume: by its serial, or by what comes and goes with it. Never by its letter.

Carried out on the machine; `root` is for tests on recorded trees.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from plimsoll.cluster.remote import answers
from plimsoll.errors import TargetError

STORE = "ephemeral"
"""Begins the id of a disk that the machine brings."""
STORE_MODEL = "Amazon EC2 NVMe Instance Storage"
_NO_DISKS = ("loop", "ram", "zram", "dm-", "md", "sr", "fd", "nbd")


@answers
def by_serial(volumes: Collection[str], root: Path = Path("/")) -> dict[str, str]:
    """The device of each volume whose serial a disk shows; disks of older types show none."""
    found = {_text(folder / "device/serial"): folder.name for folder in _folders(root)}
    stores = [each.name for each in _folders(root) if _text(each / "device/model") == STORE_MODEL]
    return {volume: f"/dev/{device}" for volume in volumes if (device := _device(volume, found, stores))}


def _device(volume: str, by_number: dict[str, str], stores: list[str]) -> str | None:
    """EBS shows vol-0abc as vol0abc."""
    if volume.startswith(STORE):
        place = int(volume.removeprefix(STORE))
        return stores[place] if place < len(stores) else None
    return by_number.get(volume.replace("-", "", 1))


@answers
def disks(root: Path = Path("/")) -> list[str]:
    """All disks that the kernel lists, in its order, without the one that the system is on."""
    return [f"/dev/{folder.name}" for folder in _folders(root) if not _is_mounted(folder, root)]


def went(volume: str, before: Collection[str], without: Collection[str], again: Collection[str]) -> str:
    """The one that was there before, away without the volume, and there again with it. Raises TargetError."""
    gone, came = set(before) - set(without), set(again) - set(without)
    if len(gone) != 1 or len(came) != 1:
        raise TargetError(
            f"which disk is {volume} cannot be told: {', '.join(sorted(gone)) or 'none'} went with it, and "
            f"{', '.join(sorted(came)) or 'none'} came with it"
        )
    return came.pop()


def _folders(root: Path) -> list[Path]:
    found = [each for each in (root / "sys/block").iterdir() if not each.name.startswith(_NO_DISKS)]
    return sorted(found, key=lambda each: (len(each.name), each.name))


def _is_mounted(folder: Path, root: Path) -> bool:
    """The disk itself, or a partition of it."""
    mounted = {line.split()[0] for line in _text(root / "proc/mounts").splitlines()}
    parts = [each.name for each in folder.iterdir() if (each / "partition").exists()]
    return any(f"/dev/{name}" in mounted for name in (folder.name, *parts))


def _text(file: Path) -> str:
    try:
        return file.read_text().strip()
    except OSError:
        return ""
