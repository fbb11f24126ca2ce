"""Whether a block device may be overwritten. The answer is no unless everything below says yes.

Checked: the device itself, its partitions, the disk it is a partition of, everything made of it (dm, md, loop, bcache)
and loop devices that share its backing file, whatever it is called there. Refused: mounted anywhere that can be seen,
swap, in use by another device or program, read-only, or carrying a mark of a file system, partition table, volume
manager, RAID or encryption. Only then does the user's consent count: the identity of the device, typed. A file that a
device or swap space is made of is protected like that device.
"""

from __future__ import annotations

import errno
import os
import shlex
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from plimsoll.errors import TargetError, UnsafeTarget
from plimsoll.targets.backing import backing_of, backing_of_file, loops_on_device, loops_on_file
from plimsoll.targets.blockdev import (
    BlockDevice,
    all_devices,
    folder,
    identity,
    name_of_number,
    read_device,
    text_of,
)
from plimsoll.targets.mounts import all_mounts, unescape
from plimsoll.targets.signatures import ask_blkid, find_signatures

_OF_THE_SYSTEM = frozenset(("/", "/boot", "/etc", "/home", "/nix", "/opt", "/root", "/run", "/tmp", "/usr", "/var"))
_BELOW_THEM = ("/boot/", "/etc/", "/nix/", "/usr/", "/var/lib", "/var/log", "/sysroot")
"""Mount points that a running machine or container stands on (Filesystem Hierarchy Standard 3.0)."""


def find_device(path: Path, root: Path = Path("/")) -> BlockDevice:
    """The block device that a node, a link to one or a by-id name stands for. Raises TargetError."""
    try:
        status = os.stat(path)
    except OSError as error:
        hint = "it is a broken link" if path.is_symlink() else "check the path"
        raise TargetError(f"cannot look at {path}: {error.strerror}; {hint}") from None
    if not stat.S_ISBLK(status.st_mode):
        raise TargetError(f"{path} is not a block device; give a directory or a device node such as /dev/nvme1n1")
    number = f"{os.major(status.st_rdev)}:{os.minor(status.st_rdev)}"
    name = name_of_number(number, root)
    device = read_device(name, root) if name else None
    if device is None:
        raise TargetError(f"the kernel does not list {path} (device {number}) in /sys; is it still there?")
    return device


@contextmanager
def claim(path: Path, destroy: Sequence[str], root: Path = Path("/")) -> Iterator[BlockDevice]:
    """Hold the device for writing: checked, and kept from being mounted or used as swap until the end.

    `destroy` are the identities that the user typed. Raises UnsafeTarget or TargetError.
    """
    device = find_device(path, root)
    if reasons := list(in_use(device, root)):
        raise UnsafeTarget(_refusal(path, device, reasons))
    descriptor = _open_exclusively(path, device)
    try:
        # The name may have been given to another device since.
        opened = os.fstat(descriptor).st_rdev
        if f"{os.major(opened)}:{os.minor(opened)}" != device.number:
            raise UnsafeTarget(f"{path} became another device while it was checked; start again")
        if reasons := list(marks(device, descriptor, root)):
            raise UnsafeTarget(_refusal(path, device, reasons))
        check_consent(path, device, destroy, root)
        yield device
    finally:
        os.close(descriptor)


def check_writable(path: Path, destroy: Sequence[str], root: Path = Path("/")) -> None:
    """Raise UnsafeTarget or TargetError unless the device may be overwritten now."""
    with claim(path, destroy, root):
        pass


def check_consent(path: Path, device: BlockDevice, destroy: Sequence[str], root: Path = Path("/")) -> None:
    """Raise UnsafeTarget unless the identity of the device was typed exactly."""
    needed = identity(device, root)
    if needed in destroy:
        return
    given = f"; --destroy {' '.join(destroy)} names another device" if destroy else ""
    raise UnsafeTarget(
        f"the test overwrites all of {path} ({device.path}, {device.size_bytes} bytes, {device.model or device.kind})"
        f"{given}. If nothing on it is needed, add: --destroy '{needed}'"
    )


def in_use(device: BlockDevice, root: Path = Path("/")) -> Iterator[str]:
    """Reasons why the device is in use or cannot be written, each with what to do."""
    if device.read_only:
        yield f"{device.path} is read-only; `blockdev --setrw {device.path}` changes that if the device allows it"
    if device.size_bytes == 0:
        yield f"{device.path} has no size: no medium, or nothing is attached"
    twins = list(_twins(device, root))
    related = {other.name: other for member in (device, *twins) for other in relatives(member, root)}
    numbers = {other.number: other for other in related.values()}
    for pid, mount in all_mounts(root):
        source = _mounted_device(mount.device_number, mount.source, root)
        if source in numbers:
            whose = "" if pid == "self" else f" (seen by process {pid})"
            yield f"{numbers[source].path} is mounted at {mount.point}{whose}; {_way_out(pid, mount.point)}"
    for name in _swaps(root):
        if name in related:
            yield f"{related[name].path} is swap space in use; swapoff {related[name].path}"
    for holder in _above(device, root):
        yield f"{device.path} is part of {holder} (LVM, RAID, encryption, loop or multipath); take it out of it first"
    for other in twins:
        name = "" if other.backing_file == device.backing_file else f" under the name {other.backing_file}"
        yield f"{other.path} uses the same file {device.backing_file}{name}; detach it: losetup -d {other.path}"


def _way_out(pid: str, point: str) -> str:
    """What to do about a mount: nobody is told to take the system apart."""
    if pid != "self":
        return "end that process, or choose another device"
    if point in _OF_THE_SYSTEM or point.startswith(_BELOW_THEM):
        return "this machine runs from it: choose another device"
    return f"if nothing needs it there, unmount it: umount {shlex.quote(point)}"


def marks(device: BlockDevice, descriptor: int, root: Path = Path("/")) -> Iterator[str]:
    """Content that somebody put on the device or its partitions, each with what to do."""
    if (folder(device.name, root) / "bcache").is_dir():
        yield f"{device.path} belongs to bcache; detach it there first"
    parts = [part for part in (read_device(name, root) for name in device.partitions) if part is not None]
    if parts:
        names = ", ".join(part.path for part in parts)
        yield f"{device.path} has partitions ({names}); choose a device without, or remove them"
    for part in (device, *parts):
        own = part.name == device.name
        kinds = _kinds_on(descriptor, device.size_bytes) if own else _kinds_on_node(Path(part.path), part.size_bytes)
        for kind in kinds or ask_blkid(Path(part.path)):
            yield f"{part.path} carries a signature: {kind}; if nothing on it is needed: wipefs --all {part.path}"


def relatives(device: BlockDevice, root: Path = Path("/")) -> list[BlockDevice]:
    """The device, its partitions, the disk it is part of, and all that is made of any of these."""
    found: dict[str, BlockDevice] = {}
    waiting = [device.name, device.disk]
    while waiting:
        name = waiting.pop()
        if name in found or (other := read_device(name, root)) is None:
            continue
        found[name] = other
        # Partitions beside a partition hold other bytes; their use does no harm.
        sibling_free = name != device.disk or device.kind != "partition"
        waiting += [*_made_of(other, root), *(other.partitions if sibling_free else ())]
    return list(found.values())


def _above(device: BlockDevice, root: Path) -> list[str]:
    """Devices made of this one, its partitions, or the disk it is part of."""
    family = [device, *(read_device(name, root) for name in {*device.partitions, device.disk} - {device.name})]
    return sorted({f"/dev/{name}" for member in family if member for name in _made_of(member, root)})


def check_file(path: Path) -> None:
    """Raise UnsafeTarget if a file is what a device or swap space is made of: then writing to it is writing to that."""
    for loop in loops_on_file(backing_of_file(path)):
        reasons = "; and ".join(in_use(loop)) or f"detach it first: losetup -d {loop.path}"
        raise UnsafeTarget(f"{path} is not overwritten, because the loop device {loop.path} is made of it: {reasons}")
    for line in text_of(Path("/proc/swaps")).splitlines()[1:]:
        name = unescape(line.split()[0])
        if Path(name).exists() and os.path.samefile(name, path):
            raise UnsafeTarget(f"{path} is not overwritten, because it is swap space in use; swapoff {name}")


def _twins(device: BlockDevice, root: Path) -> Iterator[BlockDevice]:
    """Other loop devices on the same file, by device and inode; by the path where the kernel cannot be asked."""
    if not device.backing_file:
        return
    own = backing_of(device) if root == Path("/") else None
    same = {loop.name for loop in loops_on_file(own, root)} if own else set()
    for other in all_devices(root, "loop"):
        if other.name != device.name and (other.name in same or other.backing_file == device.backing_file):
            yield other


def _made_of(device: BlockDevice, root: Path) -> list[str]:
    """Holders as the kernel lists them, and loop devices on top of the device, which it does not list."""
    named = [
        loop.name
        for loop in all_devices(root, "loop")
        if loop.kind == "loop"
        and loop.backing_file.startswith("/dev/")
        and Path(os.path.realpath(root / loop.backing_file.lstrip("/"))).name == device.name
    ]
    asked = [loop.name for loop in loops_on_device(device.number, root)]
    return list(dict.fromkeys([*device.holders, *named, *asked]))


def _mounted_device(number: str, source: str, root: Path) -> str:
    """Device number below a mount; file systems with a number of their own name a device as source."""
    if not number.startswith("0:") or not source.startswith("/dev/"):
        return number
    return text_of(folder(Path(os.path.realpath(root / source.lstrip("/"))).name, root) / "dev")


def _swaps(root: Path) -> list[str]:
    lines = text_of(root / "proc/swaps").splitlines()[1:]
    return [Path(os.path.realpath(root / line.split()[0].lstrip("/"))).name for line in lines if line.split()]


def _open_exclusively(path: Path, device: BlockDevice) -> int:
    """Open so that nothing else can mount or claim the device; reading is enough for that."""
    try:
        return os.open(path, os.O_RDONLY | os.O_EXCL | os.O_CLOEXEC)
    except OSError as error:
        if error.errno == errno.EBUSY:
            raise UnsafeTarget(
                f"{path} ({device.path}) is in use by another program or by the kernel, which holds it exclusively; "
                "stop what uses it, or choose another device"
            ) from None
        hint = "run as root" if error.errno in (errno.EACCES, errno.EPERM) else "check that it is attached"
        raise TargetError(f"cannot open {path}: {error.strerror}; {hint}") from None


def _kinds_on(descriptor: int, size_bytes: int) -> list[str]:
    try:
        return find_signatures(descriptor, size_bytes)
    except OSError as error:
        return [f"unreadable ({error.strerror}), so it is not known what it holds"]


def _kinds_on_node(path: Path, size_bytes: int) -> list[str]:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        return [f"unreadable ({error.strerror}), so it is not known what it holds"]
    try:
        return _kinds_on(descriptor, size_bytes)
    finally:
        os.close(descriptor)


def _refusal(path: Path, device: BlockDevice, reasons: Sequence[str]) -> str:
    shown = f"{path}" if str(path) == device.path else f"{path} ({device.path})"
    return f"{shown} is not overwritten, because " + "; and ".join(reasons)
