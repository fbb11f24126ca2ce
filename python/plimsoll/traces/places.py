"""Which devices are observed for a device, a path or a process, and what a reader has to know about that."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from plimsoll.errors import TargetError
from plimsoll.targets.blockdev import BlockDevice, name_of_number, read_device, text_of
from plimsoll.targets.chain import chain_of, chain_of_file
from plimsoll.targets.mounts import Mount, read_mounts
from plimsoll.traces.cgroups import Group, group_of


@dataclass
class Place:
    """The whole devices that are observed."""

    devices: list[BlockDevice] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    group: Group | None = None
    """The cgroup of the process that was named, where the kernel counts its I/O."""

    def add(self, device: BlockDevice, root: Path = Path("/")) -> None:
        """Adds a device, or the disk of a partition, once."""
        whole = read_device(device.disk, root) if device.disk != device.name else device
        if whole is None:
            raise TargetError(f"{device.path} is gone; choose another device")
        if whole.name not in [known.name for known in self.devices]:
            self.devices.append(whole)
            self.notes += _notes(whole, root)
        if device.disk != device.name:
            self.notes.append(
                f"{device.name} is a partition: all of {whole.name} is observed, with offsets of {whole.name}"
            )


def lies_on(output: Path, place: Place, root: Path = Path("/")) -> str | None:
    """What a file that is written on an observed device adds to the trace; None where it lies elsewhere."""
    there = next(folder for folder in output.absolute().parents if folder.exists())
    chain = chain_of(there, root)
    below = {name for device in chain.devices for name in (device.name, device.disk)}
    hit = [device.name for device in place.devices if device.name in below]
    if not hit:
        return None
    return (
        f"{output} lies on {', '.join(hit)} itself: the writes of the recording are in it, by the process plimsoll and "
        "the kernel's writeback; -o on another device leaves them out"
    )


def place_of(where: str, root: Path = Path("/")) -> Place:
    """The devices behind `where`: a device node, a path, or the number of a process. Raises TargetError."""
    place = Place()
    path = Path(where)
    if where.isdecimal() and not path.exists():
        tops, reasons = _behind_process(int(where), root)
        for device in tops:
            place.add(device, root)
        if not place.devices:
            why = f" ({'; '.join(dict.fromkeys(reasons))})" if reasons else ""
            raise TargetError(
                f"process {where} has no file open on a block device{why}; name the device or a path instead"
            )
        place.notes.append(
            f"observed are all I/Os of the devices behind the files of process {where}, those of others as well; what "
            "it writes through the page cache appears later, as writeback by the kernel's own processes"
        )
        place.group = group_of(int(where), root)
        return place
    chain = chain_of(path, root)
    if chain.top is None:
        raise TargetError(f"there is no block device behind {where}: {chain.reason}; name a device, such as /dev/sda")
    tops = [device for device in chain.devices if not _below(device, chain.devices)]
    for device in tops or [chain.top]:
        place.add(device, root)
    return place


def _below(device: BlockDevice, devices: tuple[BlockDevice, ...]) -> bool:
    """Whether another of these devices is made of this one, or lies in a file on it."""
    top = devices[0]
    return device.name != top.name and (any(device.name in other.slaves for other in devices) or bool(top.backing_file))


def _behind_process(pid: int, root: Path) -> tuple[list[BlockDevice], list[str]]:
    """The devices right below the open files of a process, and why others have none."""
    if not _numbers_are_ours(root):
        raise TargetError(
            f"/proc shows the processes of another PID namespace, where {pid} may be a process that is not meant: "
            "mount that of this container (mount -t proc proc /proc), or name a device or a path"
        )
    folder = root / "proc" / str(pid) / "fd"
    try:
        entries = list(folder.iterdir())
    except PermissionError:
        raise TargetError(f"the open files of process {pid} cannot be seen; run as its user or as root") from None
    except OSError:
        raise TargetError(f"there is no process {pid}; name a device, a path or another process") from None
    found: list[BlockDevice] = []
    reasons: list[str] = []
    mounts = _mounts_of(pid, root)
    for entry in entries:
        with suppress(OSError, TargetError):
            status = entry.stat()
            if stat.S_ISBLK(status.st_mode):
                found += _numbered(status.st_rdev, root)
            elif stat.S_ISREG(status.st_mode):
                number = f"{os.major(status.st_dev)}:{os.minor(status.st_dev)}"
                chain = chain_of_file(Path(os.readlink(entry)), number, root, mounts=mounts)
                found += [] if chain.top is None else [chain.top]
                reasons += [] if chain.top is not None else [chain.reason]
    return found, reasons


def _numbers_are_ours(root: Path) -> bool:
    """Whether /proc numbers processes as this one's namespace does: else it knows this one by several numbers."""
    status = text_of(root / "proc/self/status")
    numbers = next((line.split()[1:] for line in status.splitlines() if line.startswith("NSpid:")), None)
    # Kernels without namespaces do not have the line; without this process, /proc is of a namespace beside.
    return bool(status) and (numbers is None or len(numbers) == 1)


def _mounts_of(pid: int, root: Path) -> list[Mount]:
    """What the paths of a process are below: its own mounts where it is in a container, else those seen from here."""
    own, its = (_mount_namespace(root / "proc" / name) for name in ("self", str(pid)))
    return read_mounts(root, "self" if its in (own, None) else str(pid))


def _mount_namespace(process: Path) -> int | None:
    with suppress(OSError):
        return (process / "ns/mnt").stat().st_ino
    return None


def _numbered(number: int, root: Path) -> Iterator[BlockDevice]:
    name = name_of_number(f"{os.major(number)}:{os.minor(number)}", root)
    if name is not None and (device := read_device(name, root)) is not None:
        yield device


def _notes(device: BlockDevice, root: Path) -> Iterator[str]:
    """What this device is a part of, or made of, and which one to take."""
    parts = [part for name in device.partitions if (part := read_device(name, root)) is not None]
    for holder in sorted({name for part in (device, *parts) for name in part.holders}):
        yield (
            f"{device.name} is a member of {holder}: its trace has what is left of the load after that has spread it; "
            f"observe /dev/{holder} for what the applications ask for, and {device.name} to replace this one disk"
        )
    if device.slaves:
        yield (
            f"{device.name} is made of {', '.join(device.slaves)}: its trace has what the applications ask for, and "
            "not what each of them gets"
        )
