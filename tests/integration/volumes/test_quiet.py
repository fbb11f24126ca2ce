"""A file system that was just made does nothing by itself: on a slow volume, its reads would be taken from the test."""

from __future__ import annotations

import time
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.conftest import need_program, need_root

from plimsoll.errors import TargetError
from plimsoll.volumes import filesystem, loop

MADE = ("ext2", "ext3", "ext4", "xfs", "btrfs")
WITHIN_S = 6.0
"""The kernel begins what it has put off at a random moment of the first five seconds."""


def test_a_new_file_system_does_nothing_by_itself(tmp_path: Path) -> None:
    need_root()
    with ExitStack() as cleaned:
        devices = {each: _mounted(each, tmp_path, cleaned) for each in MADE}
        before = {each: _counted(device) for each, device in devices.items()}
        time.sleep(WITHIN_S)
        assert {each: _counted(device) for each, device in devices.items()} == before


def test_what_is_asked_for_is_mounted_as_well(tmp_path: Path) -> None:
    need_root()
    with ExitStack() as cleaned:
        device = _mounted("ext4", tmp_path, cleaned, "noatime")
        (mount,) = filesystem.mounts_of(loop.number(device), device)
        assert {"noatime", filesystem.NO_PREFETCH} <= set(mount.options)


def test_a_kernel_that_does_not_know_it_mounts_as_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need_root()
    monkeypatch.setattr(filesystem, "NO_PREFETCH", "of_a_kernel_to_come")
    with ExitStack() as cleaned:
        device = _mounted("ext4", tmp_path, cleaned, "noatime")
        (mount,) = filesystem.mounts_of(loop.number(device), device)
        assert "noatime" in mount.options
    with ExitStack() as cleaned, pytest.raises(TargetError, match="bad option"):
        _mounted("ext4", tmp_path / "other", cleaned, "unheard_of")


def _mounted(file_system: str, folder: Path, cleaned: ExitStack, options: str = "") -> str:
    """The device of a new one; large enough that it has bitmaps to read, in a file with holes."""
    need_program(f"mkfs.{file_system}")
    folder.mkdir(exist_ok=True)
    image, point = folder / f"{file_system}.image", folder / file_system
    with image.open("wb") as file:
        file.truncate(20 << 30)
    device, _ = loop.attach(image)
    cleaned.callback(loop.detach, device)
    filesystem.make(file_system, device)
    point.mkdir()
    filesystem.mount(file_system, device, point, options)
    cleaned.callback(filesystem.unmount, str(point))
    return device


def _counted(device: str) -> list[str]:
    """What the kernel has counted of the device, in reads and writes."""
    words = (loop.BLOCK / Path(device).name / "stat").read_text().split()
    return [words[0], words[4]]
