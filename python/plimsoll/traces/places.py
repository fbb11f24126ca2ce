"""Which devices are observed for a device, a path or a process, and what a reader has to know about that."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from plimsoll.errors import TargetError
from plimsoll.targets.blockdev import BlockDevice, name_of_number, read_device
from plimsoll.targets.chain import chain_of


@dataclass
class Place:
    """The whole devices that are observed."""

    devices: list[BlockDevice] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

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
        for device in _behind_process(int(where), root):
            place.add(device, root)
        if not place.devices:
            raise TargetError(f"process {where} has no file open on a block device; name the device or a path instead")
        place.notes.append(
            f"observed are all I/Os of the devices behind the files of process {where}, those of others as well; what "
            "it writes through the page cache appears later, as writeback by the kernel's own processes"
        )
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


def _behind_process(pid: int, root: Path) -> Iterator[BlockDevice]:
    folder = root / "proc" / str(pid) / "fd"
    try:
        entries = list(folder.iterdir())
    except PermissionError:
        raise TargetError(f"the open files of process {pid} cannot be seen; run as its user or as root") from None
    except OSError:
        raise TargetError(f"there is no process {pid}; name a device, a path or another process") from None
    for entry in entries:
        with suppress(OSError, TargetError):
            status = entry.stat()
            if stat.S_ISBLK(status.st_mode):
                yield from _numbered(status.st_rdev, root)
            elif stat.S_ISREG(status.st_mode) and (top := chain_of(entry, root).top) is not None:
                yield top


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
