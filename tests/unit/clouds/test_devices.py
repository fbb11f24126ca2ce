"""Which disk is which volume, on trees as machines show them: Nitro with serials, Xen without."""

from __future__ import annotations

from pathlib import Path

import pytest

from plimsoll.clouds.hosts.devices import by_serial, disks, went
from plimsoll.errors import TargetError

NITRO = {
    # m5d.large with the root volume, two EBS volumes and its own disk; the order is the kernel's, and says nothing.
    "nvme0n1": ("vol0f00000000000root", "Amazon Elastic Block Store"),
    "nvme1n1": ("AWS1A5B3C7D9E1F30001", "Amazon EC2 NVMe Instance Storage"),
    "nvme2n1": ("vol0bbbbbbbbbbbbbbbb", "Amazon Elastic Block Store"),
    "nvme10n1": ("vol0aaaaaaaaaaaaaaaa", "Amazon Elastic Block Store"),
}


def tree(root: Path, named: dict[str, tuple[str, str] | None], mounted: str = "") -> Path:
    """What /sys/block lists, with serials padded as the kernel pads them."""
    for name, shown in named.items():
        folder = root / "sys/block" / name
        folder.mkdir(parents=True)
        if shown is not None:
            (folder / "device").mkdir()
            (folder / "device/serial").write_text(f"{shown[0]}\n")
            (folder / "device/model").write_text(f"{shown[1]:<40}\n")
    (root / "proc").mkdir(exist_ok=True)
    (root / "proc/mounts").write_text(mounted)
    return root


def test_nitro_shows_serials(tmp_path: Path) -> None:
    root = tree(tmp_path, {**NITRO, "loop0": None})
    wanted = ["vol-0aaaaaaaaaaaaaaaa", "ephemeral0", "vol-0bbbbbbbbbbbbbbbb"]
    assert by_serial(wanted, root) == {
        "vol-0aaaaaaaaaaaaaaaa": "/dev/nvme10n1",
        "ephemeral0": "/dev/nvme1n1",
        "vol-0bbbbbbbbbbbbbbbb": "/dev/nvme2n1",
    }


def test_a_volume_that_is_not_there_yet_is_left_out(tmp_path: Path) -> None:
    root = tree(tmp_path, NITRO)
    assert by_serial(["vol-0cccccccccccccccc", "ephemeral1"], root) == {}


def test_xen_shows_none(tmp_path: Path) -> None:
    root = tree(tmp_path, {"xvda": None, "xvdf": None, "xvdg": None, "loop0": None, "ram0": None})
    assert by_serial(["vol-0aaaaaaaaaaaaaaaa"], root) == {}
    assert disks(root) == ["/dev/xvda", "/dev/xvdf", "/dev/xvdg"]


def test_the_disk_of_the_system_is_no_volume(tmp_path: Path) -> None:
    root = tree(tmp_path, {"xvda": None, "xvdb": None}, "/dev/xvda1 / ext4 rw 0 0\n")
    (root / "sys/block/xvda/xvda1").mkdir()
    (root / "sys/block/xvda/xvda1/partition").write_text("1\n")
    assert disks(root) == ["/dev/xvdb"]


def test_what_went_with_a_volume_and_came_with_it() -> None:
    before, without = ["/dev/xvdf", "/dev/xvdg"], ["/dev/xvdg"]
    assert went("vol-0a", before, without, before) == "/dev/xvdf"
    assert went("vol-0a", before, without, ["/dev/xvdg", "/dev/xvdh"]) == "/dev/xvdh", "its name may be another now"


@pytest.mark.parametrize(
    ("without", "again"), [(["/dev/xvdf", "/dev/xvdg"], ["/dev/xvdf", "/dev/xvdg"]), ([], ["/dev/xvdf", "/dev/xvdg"])]
)
def test_what_cannot_be_told_is_not_guessed(without: list[str], again: list[str]) -> None:
    with pytest.raises(TargetError, match="which disk is vol-0a cannot be told"):
        went("vol-0a", ["/dev/xvdf", "/dev/xvdg"], without, again)
