"""From a path to the block devices below it, down to the hardware.

directory or file ─► mount ─► partition, dm, md, btrfs members ─► … ─► disk
                                   loop ─► its backing file ─► mount ─► …
"""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path
from typing import Any

from plimsoll.errors import TargetError
from plimsoll.model import Record
from plimsoll.targets.blockdev import BlockDevice, name_of_number, read_device
from plimsoll.targets.mounts import MEMORY, NETWORK, Mount, mount_of, read_mounts

DEEPEST = 8
"""Loop devices on file systems on loop devices: nobody nests deeper, and a cycle must end."""


class Chain(Record):
    """What lies below a path, from the top down."""

    mount: Mount | None = None
    """The file system that holds the path; None for a device."""
    devices: tuple[BlockDevice, ...] = ()
    """Every device below, each once, higher ones first."""
    counters: tuple[str, ...] = ()
    """Devices whose counters together see each byte of the path once: the lowest before bytes are copied or split."""
    disks: tuple[str, ...] = ()
    """The devices at the bottom that are made of no other."""
    reason: str = ""
    """Why there is no device below, as a sentence; empty otherwise."""

    def device(self, name: str) -> BlockDevice:
        """One of the devices by kernel name; raises KeyError."""
        return next((device for device in self.devices if device.name == name), None) or _missing(name)

    @property
    def top(self) -> BlockDevice | None:
        """The device right below the path."""
        return self.devices[0] if self.devices else None


def _missing(name: str) -> BlockDevice:
    raise KeyError(name)


def chain_of(path: Path, root: Path = Path("/")) -> Chain:
    """The chain below a directory, file or device node (links followed). Raises TargetError if it cannot be read."""
    try:
        status = os.stat(path)
    except OSError as error:
        raise TargetError(f"cannot look at {path}: {error.strerror}; check the path") from None
    if stat.S_ISBLK(status.st_mode):
        return chain_of_device(f"{os.major(status.st_rdev)}:{os.minor(status.st_rdev)}", root)
    number = f"{os.major(status.st_dev)}:{os.minor(status.st_dev)}"
    return chain_of_file(Path(os.path.realpath(path)), number, root)


def chain_of_device(number: str, root: Path = Path("/")) -> Chain:
    """The chain from the device `major:minor` down."""
    name = name_of_number(number, root)
    if name is None:
        return Chain(reason=f"the kernel does not list device {number} in /sys")
    return _assemble([name], None, root, DEEPEST)


def chain_of_file(
    path: Path, number: str, root: Path = Path("/"), depth: int = DEEPEST, mounts: list[Mount] | None = None
) -> Chain:
    """The chain below a resolved path on the file system with device number `number`.

    `mounts` are those of the process that has this path; default: those of this one.
    """
    mount = mount_of(path, read_mounts(root) if mounts is None else mounts)
    if name := name_of_number(number, root):
        members = _btrfs_members(name, root)
        return _assemble(members or [name], mount, root, depth)
    if mount is None:
        return Chain(reason=f"no mount is listed for {path}")
    return _below_anonymous(mount, root, depth)


def _below_anonymous(mount: Mount, root: Path, depth: int) -> Chain:
    """File systems with a device number of their own: btrfs, overlay, network, memory."""
    if mount.file_system in MEMORY:
        return Chain(mount=mount, reason=f"{mount.file_system} keeps its files in memory")
    if mount.file_system in NETWORK:
        return Chain(mount=mount, reason=f"{mount.file_system} reaches its files over a network or from the host")
    if mount.file_system == "overlay" and depth > 0:
        return _below_overlay(mount, root, depth)
    if mount.source.startswith("/dev/"):
        name = os.path.basename(os.path.realpath(root / mount.source.lstrip("/")))
        if read_device(name, root) is not None:
            return _assemble(_btrfs_members(name, root) or [name], mount, root, depth)
    return Chain(mount=mount, reason=f"{mount.file_system} does not say which devices hold its files")


def _below_overlay(mount: Mount, root: Path, depth: int) -> Chain:
    """Files of an overlay are written to its upper directory, which a container often cannot see."""
    upper = mount.option("upperdir")
    if upper:
        path = root / upper.lstrip("/")
        try:
            status = os.stat(path)
        except OSError:
            return Chain(mount=mount, reason=f"overlay: its upper directory {upper} cannot be seen from here")
        below = chain_of_file(Path(upper), f"{os.major(status.st_dev)}:{os.minor(status.st_dev)}", root, depth - 1)
        return below.model_copy(update={"mount": mount})
    return Chain(mount=mount, reason="overlay without an upper directory: it is read-only")


def _btrfs_members(name: str, root: Path) -> list[str]:
    """All devices of the btrfs file system that `name` belongs to."""
    for devices in (root / "sys/fs/btrfs").glob("*/devices"):
        members = sorted(entry.name for entry in devices.iterdir())
        if name in members:
            return members
    return []


def _assemble(tops: list[str], mount: Mount | None, root: Path, depth: int) -> Chain:
    """The chain from these devices down, one breadth after the other."""
    devices: dict[str, BlockDevice] = {}
    disks: dict[str, None] = {}
    counters = tuple(tops)
    reason = ""
    waiting = list(tops)
    while waiting:
        device = read_device(waiting.pop(0), root)
        if device is None or device.name in devices:
            continue
        devices[device.name] = device
        if device.kind == "loop" and device.backing_file and depth > 0 and not _is_emulated(device, root):
            below = _behind_loop(device, root, depth)
            devices |= {lower.name: lower for lower in below.devices if lower.name not in devices}
            disks |= dict.fromkeys(below.disks)
            reason = reason or below.reason
            counters = below.counters if counters == (device.name,) else counters
            continue
        lower = list(device.slaves) or ([device.disk] if device.kind == "partition" else [])
        waiting += lower
        if not lower:
            disks[device.name] = None
        elif counters == (device.name,) and device.kind == "partition" and _is_loop(device.disk, root):
            # The counters of a loop device's partition are as far from the hardware as those of the loop device.
            counters = (device.disk,)
    return Chain(
        mount=mount,
        devices=tuple(devices.values()),
        counters=counters,
        disks=tuple(disks),
        reason="" if disks else reason,
    )


def _is_loop(name: str, root: Path) -> bool:
    device = read_device(name, root)
    return device is not None and device.kind == "loop"


def _is_emulated(device: BlockDevice, root: Path) -> bool:
    """Whether Plimsoll serves what is behind the loop device: then this is the disk, wherever its bytes are."""
    return any(mount.source == "plimsoll" and mount.point == device.backing_file for mount in read_mounts(root))


def _behind_loop(device: BlockDevice, root: Path, depth: int) -> Chain:
    path = root / device.backing_file.lstrip("/")
    try:
        status = os.stat(path)
    except OSError:
        return Chain(reason=f"{device.path} is backed by {device.backing_file}, which cannot be seen from here")
    if stat.S_ISBLK(status.st_mode):
        return _assemble([os.path.basename(os.path.realpath(path))], None, root, depth - 1)
    number = f"{os.major(status.st_dev)}:{os.minor(status.st_dev)}"
    return chain_of_file(Path(device.backing_file), number, root, depth - 1)


def _device_facts(device: BlockDevice) -> dict[str, Any]:
    """Everything but the serial number; `key` stands for it, so that another disk can be told from this one."""
    facts = device.model_dump(mode="json", exclude={"serial"})
    if device.serial:
        facts["key"] = hashlib.sha256(f"plimsoll {device.serial}".encode()).hexdigest()[:12]
    return facts


def chain_facts(chain: Chain) -> dict[str, Any]:
    """The chain as plain values for a record: the file system, each device, and what the counters cover."""
    facts: dict[str, Any] = {
        "devices": [_device_facts(device) for device in chain.devices],
        "counters": list(chain.counters),
        "disks": list(chain.disks),
    }
    if chain.mount is not None:
        facts |= {
            "file_system": chain.mount.file_system,
            "mount_point": chain.mount.point,
            "mount_options": list(chain.mount.options),
        }
    if chain.reason:
        facts["no_device"] = chain.reason
    return facts
