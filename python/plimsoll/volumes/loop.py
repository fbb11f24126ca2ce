"""Loop devices: the block device in front of a served file."""

from __future__ import annotations

import os
import time
from pathlib import Path

from plimsoll.errors import TargetError
from plimsoll.targets.blockdev import text_of
from plimsoll.volumes.machine import Failed, run

BLOCK = Path("/sys/block")
GONE_S = 1.0


def attach(file: Path) -> tuple[str, int]:
    """A new loop device on `file`, past the page cache of the host, and the kernel's number of this attachment.

    A free device that somebody made read-only (`blockdev --setro`) stays so when it is attached: it is passed over.
    """
    passed_over: list[str] = []
    try:
        device = _next(file)
        while not is_writable(device):
            # Attached until the end, so that the next one is another.
            passed_over.append(device)
            device = _next(file)
    finally:
        for each in passed_over:
            detach(each)
    return device, sequence(device)


def _next(file: Path) -> str:
    try:
        return run("cannot attach a loop device", "losetup", "--find", "--show", "--direct-io=on", str(file)).strip()
    except Failed as error:
        used = sum(1 for _ in BLOCK.glob("loop*/loop/backing_file"))
        raise TargetError(
            f"{error}; {used} loop devices are in use here (`losetup --list` shows them, `losetup -d` frees one)"
        ) from None


def is_writable(device: str) -> bool:
    """Whether the kernel lets anyone write to it."""
    return text_of(BLOCK / Path(device).name / "ro") != "1"


def sequence(device: str) -> int:
    """The kernel's number of what is attached now; 0 where the kernel has none (before 5.15)."""
    text = text_of(BLOCK / Path(device).name / "diskseq")
    return int(text) if text.isdigit() else 0


def of_file(file: Path) -> list[str]:
    """Loop devices whose backing is this file."""
    return [
        f"/dev/{entry.parent.parent.name}"
        for entry in BLOCK.glob("loop*/loop/backing_file")
        if text_of(entry).removesuffix(" (deleted)") == str(file)
    ]


def is_attached(device: str) -> bool:
    """Whether anything is attached."""
    return (BLOCK / Path(device).name / "loop/backing_file").exists()


def number(device: str) -> str:
    """The device number as `major:minor`; empty where the device is gone."""
    return text_of(BLOCK / Path(device).name / "dev")


def size_bytes(device: str) -> int:
    """Size of any block device."""
    return int(text_of(BLOCK / Path(device).name / "size") or 0) * 512


def holders(device: str) -> list[str]:
    """Block devices that are made of this one (md, device mapper)."""
    return sorted(entry.name for entry in (BLOCK / Path(device).name / "holders").glob("*"))


def refresh_size(device: str) -> None:
    """Let the device take the size that its file has now."""
    run(f"cannot enlarge {device}", "losetup", "--set-capacity", device)


def detach(device: str) -> bool:
    """Detach; True once it is free, False if programs still hold it: then it goes when they let go."""
    try:
        run(f"cannot detach {device}", "losetup", "--detach", device)
    except Failed:
        # Someone was faster, or it is on its way already.
        if not is_attached(device):
            return True
    deadline = time.monotonic() + GONE_S
    while is_attached(device):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def users(numbers: set[int], points: set[str]) -> list[str]:
    """Processes with files open on one of these devices, or standing in a folder there: `fio (process 123)`.

    `numbers` are device numbers as of `st_dev` and `st_rdev`; `points` mount points, for which their own number counts.
    """
    wanted = set(numbers)
    for point in points:
        try:
            wanted.add(os.stat(point).st_dev)
        except OSError:
            continue
    return [
        f"{text_of(process / 'comm')} (process {process.name})"
        for process in sorted(Path("/proc").glob("[0-9]*"), key=lambda entry: int(entry.name))
        if int(process.name) != os.getpid() and _uses(process, wanted)
    ]


def _uses(process: Path, wanted: set[int]) -> bool:
    # Udev and blkid look at every new device for a moment.
    if text_of(process / "comm") in ("(udev-worker)", "systemd-udevd", "udevd"):
        return False
    try:
        links = [process / "cwd", process / "root", process / "exe", *(process / "fd").iterdir()]
    except OSError:
        return False
    for link in links:
        try:
            status = os.stat(link)
        except OSError:
            continue
        if status.st_dev in wanted or status.st_rdev in wanted:
            return True
    return False
