"""One block device as /sys describes it."""

from __future__ import annotations

import re
from pathlib import Path

from plimsoll.model import Record

SECTOR = 512
"""Unit of sizes and counters in /sys and /proc/diskstats, whatever the device's own block size."""


class BlockDevice(Record):
    """A disk, partition or virtual device. Sizes in bytes; empty text where the kernel does not say."""

    name: str
    """Kernel name, such as `nvme0n1p2`."""
    number: str
    """`major:minor`."""
    kind: str
    """`disk`, `partition`, `loop`, `dm`, `md` or `zram`."""
    size_bytes: int
    start_bytes: int
    """Start of a partition on its disk, else 0."""
    disk: str
    """The disk of a partition, else the device itself."""
    partitions: tuple[str, ...]
    slaves: tuple[str, ...]
    """Devices that this one is made of."""
    holders: tuple[str, ...]
    """Devices that are made of this one."""
    backing_file: str
    """File or device behind a loop device."""
    backing_direct: bool
    """Whether a loop device bypasses the page cache of its file."""
    read_only: bool
    removable: bool
    model: str
    serial: str
    logical_block_bytes: int
    physical_block_bytes: int
    optimal_io_bytes: int
    largest_request_bytes: int
    alignment_offset_bytes: int
    rotational: bool
    scheduler: str
    write_cache: str
    """`write back` if data can be lost without a flush, else `write through`."""
    forced_unit_access: bool
    """The device can write one block durably without a flush (FUA)."""
    queue_requests: int
    read_ahead_bytes: int
    counts_io: bool
    """Whether the kernel keeps its counters."""

    @property
    def path(self) -> str:
        """Device node; the kernel writes `/` of a name as `!`."""
        return f"/dev/{self.name.replace('!', '/')}"


def text_of(path: Path) -> str:
    """Content of a small file without surrounding blanks; empty if it cannot be read."""
    try:
        return path.read_text(errors="replace").replace("\0", "").strip()
    except OSError:
        return ""


def number_of(path: Path) -> int:
    """A whole number from a small file; 0 if there is none."""
    text = text_of(path)
    return int(text) if re.fullmatch(r"-?\d+", text) else 0


def name_of_number(number: str, root: Path = Path("/")) -> str | None:
    """Kernel name of the device `major:minor`."""
    found = folder_of_number(number, root)
    return None if found is None else found.name


def folder_of_number(number: str, root: Path = Path("/")) -> Path | None:
    """The folder in /sys of the device `major:minor`."""
    links = root / "sys/dev/block"
    try:
        return (links / number).resolve(strict=True)
    except OSError:
        if _has_entries(links):
            return None
    # Containers hide that folder: they make it empty, or unreadable. The devices can still be seen by name.
    try:
        return next(
            (each.resolve() for each in (root / "sys/class/block").iterdir() if text_of(each / "dev") == number), None
        )
    except OSError:
        return None


def _has_entries(folder: Path) -> bool:
    try:
        return any(folder.iterdir())
    except OSError:
        return False


def folder(name: str, root: Path = Path("/")) -> Path:
    """The device's folder in /sys."""
    return (root / "sys/class/block" / name.replace("/", "!")).resolve()


def _children(path: Path) -> tuple[str, ...]:
    return tuple(sorted(entry.name for entry in path.iterdir())) if path.is_dir() else ()


def _kind(device: Path) -> str:
    if (device / "partition").exists():
        return "partition"
    for kind in ("dm", "md", "loop"):
        if (device / kind).is_dir():
            return kind
    # An idle loop device has no loop/ folder.
    return next((kind for kind in ("loop", "zram") if re.fullmatch(rf"{kind}\d+", device.name)), "disk")


def _chosen(text: str) -> str:
    """`[none] mq-deadline` → `none`."""
    match = re.search(r"\[(.+?)\]", text)
    return match[1] if match else text


def _serial(device: Path, root: Path) -> str:
    """What the device says identifies it; the namespace is added where an NVMe controller has several."""
    if identity := text_of(device / "dm/uuid") or text_of(device / "md/uuid"):
        return identity
    for place in ("serial", "device/serial"):
        if serial := text_of(device / place):
            namespace = text_of(device / "nsid")
            return serial if namespace in ("", "1") else f"{serial}_{namespace}"
    page = _scsi_serial(device / "device/vpd_pg80")
    if page:
        return page
    udev = root / "run/udev/data" / f"b{text_of(device / 'dev')}"
    match = re.search(r"^E:ID_SERIAL_SHORT=(.+)$", text_of(udev), re.MULTILINE)
    return match[1].strip() if match else text_of(device / "wwid") or text_of(device / "device/wwid")


def _scsi_serial(page: Path) -> str:
    """The unit serial number page: 4 bytes of header, then text."""
    try:
        return page.read_bytes()[4:].decode("ascii", "ignore").replace("\0", "").strip()
    except OSError:
        return ""


def read_device(name: str, root: Path = Path("/")) -> BlockDevice | None:
    """The device with this kernel name, or None if there is none (any more)."""
    device = folder(name, root)
    if not (device / "dev").exists():
        return None
    kind = _kind(device)
    # A partition shares the queue and the hardware of its disk.
    whole = device.parent if kind == "partition" else device
    queue = whole / "queue"
    return BlockDevice(
        name=device.name,
        number=text_of(device / "dev"),
        kind=kind,
        size_bytes=number_of(device / "size") * SECTOR,
        start_bytes=number_of(device / "start") * SECTOR,
        disk=whole.name,
        partitions=tuple(sorted(entry.parent.name for entry in device.glob("*/partition"))),
        slaves=_children(device / "slaves"),
        holders=_children(device / "holders"),
        backing_file=text_of(device / "loop/backing_file"),
        backing_direct=text_of(device / "loop/dio") == "1",
        read_only=text_of(device / "ro") == "1" or text_of(whole / "ro") == "1",
        removable=text_of(whole / "removable") == "1",
        model=text_of(whole / "device/model"),
        serial=_serial(whole, root),
        logical_block_bytes=number_of(queue / "logical_block_size") or SECTOR,
        physical_block_bytes=number_of(queue / "physical_block_size") or SECTOR,
        optimal_io_bytes=number_of(queue / "optimal_io_size"),
        largest_request_bytes=number_of(queue / "max_sectors_kb") * 1024,
        alignment_offset_bytes=number_of(device / "alignment_offset"),
        rotational=text_of(queue / "rotational") == "1",
        scheduler=_chosen(text_of(queue / "scheduler")),
        write_cache=text_of(queue / "write_cache"),
        forced_unit_access=text_of(queue / "fua") == "1",
        queue_requests=number_of(queue / "nr_requests"),
        read_ahead_bytes=number_of(queue / "read_ahead_kb") * 1024,
        counts_io=text_of(queue / "iostats") != "0",
    )


def all_devices(root: Path = Path("/"), prefix: str = "") -> list[BlockDevice]:
    """Every block device of the machine, partitions included, whose name starts with `prefix`."""
    names = [name for name in _children(root / "sys/class/block") if name.startswith(prefix)]
    return [device for name in names if (device := read_device(name, root)) is not None]


def identity(device: BlockDevice, root: Path = Path("/")) -> str:
    """What the user types to allow that the device is overwritten; differs between any two devices of a machine.

    The serial number; for a partition with its number behind it; the backing file of a loop device; and
    `KERNELNAME:BYTES` where there is no serial or where two disks claim the same one.
    """
    if device.kind == "loop" and device.backing_file:
        shared = [other for other in all_devices(root, "loop") if other.backing_file == device.backing_file]
        return device.backing_file if len(shared) == 1 else f"{device.name}:{device.size_bytes}"
    disk = read_device(device.disk, root)
    if disk is None or not disk.serial or disk.kind == "loop":
        return f"{device.name}:{device.size_bytes}"
    twins = [other for other in all_devices(root) if other.kind != "partition" and other.serial == disk.serial]
    if len(twins) > 1:
        return f"{device.name}:{device.size_bytes}"
    if device.kind == "partition":
        return f"{disk.serial}-part{number_of(folder(device.name, root) / 'partition')}"
    return disk.serial
