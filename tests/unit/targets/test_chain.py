"""From a path to the devices below it, on machines that are described in small trees."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.unit.targets.machine_tree import Machine

from plimsoll.errors import TargetError
from plimsoll.targets.chain import Chain, chain_facts, chain_of, chain_of_device, chain_of_file


def names(chain: Chain) -> list[str]:
    return [device.name for device in chain.devices]


def of_file(machine: Machine, number: str, path: str = "/mnt/a/file") -> Chain:
    return chain_of_file(Path(path), number, machine.root)


def test_a_file_system_on_a_partition(machine: Machine) -> None:
    machine.disk("nvme0n1", "259:0", wwid="eui.0001")
    machine.partition("nvme0n1", 2, "259:2")
    machine.mount("259:2", "/", "ext4", "/dev/nvme0n1p2")
    chain = of_file(machine, "259:2")
    assert names(chain) == ["nvme0n1p2", "nvme0n1"]
    assert chain.counters == ("nvme0n1p2",), "the partition's own counters leave its neighbours out"
    assert chain.disks == ("nvme0n1",)
    assert chain.top is not None
    assert (chain.top.kind, chain.top.start_bytes, chain.top.size_bytes) == ("partition", 2048 * 512, 512 * 2**20)
    assert (chain.top.scheduler, chain.top.physical_block_bytes) == ("none", 4096), "read from the disk's queue"


def test_lvm_on_md_on_two_disks(machine: Machine) -> None:
    machine.disk("sda", "8:0")
    machine.disk("sdb", "8:16")
    machine.disk("md0", "9:0", md__uuid="aa:bb")
    machine.disk("dm-0", "253:0", dm__uuid="LVM-1234")
    machine.stack("md0", "sda", "sdb")
    machine.stack("dm-0", "md0")
    machine.mount("253:0", "/mnt/a", "xfs", "/dev/mapper/vg-lv")
    chain = of_file(machine, "253:0")
    assert names(chain) == ["dm-0", "md0", "sda", "sdb"]
    assert chain.counters == ("dm-0",), "below the array each byte may be written twice"
    assert chain.disks == ("sda", "sdb")
    assert [device.kind for device in chain.devices] == ["dm", "md", "disk", "disk"]


def test_a_loop_device_leads_to_the_disk_below_its_file(machine: Machine) -> None:
    (machine.root / "data").mkdir()
    image = machine.root / "data/image"
    image.write_text("x")
    status = os.stat(image)
    number = f"{os.major(status.st_dev)}:{os.minor(status.st_dev)}"
    machine.disk("vda", number)
    machine.mount(number, "/", "ext4", "/dev/vda")
    machine.disk("loop0", "7:0", loop__backing_file="/data/image", loop__dio="1")
    part = machine.partition("loop0", 1, "259:9")
    machine.mount("7:0", "/mnt/a", "ext4", "/dev/loop0")
    chain = of_file(machine, "7:0")
    assert names(chain) == ["loop0", "vda"]
    assert chain.counters == ("vda",)
    assert chain.disks == ("vda",)
    assert chain.device("loop0").backing_direct
    assert chain_of_device("259:9", machine.root).counters == ("vda",)
    assert names(chain_of_device("259:9", machine.root))[0] == part


def test_a_loop_device_whose_file_cannot_be_seen(machine: Machine) -> None:
    machine.disk("loop0", "7:0", loop__backing_file="/gone (deleted)")
    chain = chain_of_device("7:0", machine.root)
    assert chain.disks == ()
    assert "/gone" in chain.reason


def test_btrfs_over_two_devices(machine: Machine) -> None:
    machine.disk("sda", "8:0")
    machine.disk("sdb", "8:16")
    for name in ("sda", "sdb"):
        machine.write(f"sys/fs/btrfs/1234/devices/{name}/size", "1")
    machine.mount("0:45", "/mnt/a", "btrfs", "/dev/sda", "rw,compress=zstd:3")
    chain = of_file(machine, "0:45")
    assert chain.counters == ("sda", "sdb")
    assert chain.mount is not None
    assert chain.mount.option("compress") == "zstd:3"


def test_an_overlay_leads_to_its_upper_directory(machine: Machine) -> None:
    upper = machine.root / "var/upper"
    upper.mkdir(parents=True)
    status = os.stat(upper)
    number = f"{os.major(status.st_dev)}:{os.minor(status.st_dev)}"
    machine.disk("vda", number)
    machine.mount(number, "/", "ext4", "/dev/vda")
    machine.mount("0:50", "/mnt/a", "overlay", "overlay", "rw,lowerdir=/l,upperdir=/var/upper,workdir=/w")
    chain = of_file(machine, "0:50")
    assert chain.counters == ("vda",)
    assert chain.mount is not None
    assert chain.mount.file_system == "overlay"


@pytest.mark.parametrize(
    ("file_system", "source", "options", "words"),
    [
        ("tmpfs", "tmpfs", "rw", "in memory"),
        ("nfs4", "server:/export", "rw", "over a network"),
        ("overlay", "overlay", "rw,upperdir=/not/here", "cannot be seen"),
        ("overlay", "overlay", "ro,lowerdir=/l", "read-only"),
        ("zfs", "tank/data", "rw", "does not say"),
    ],
)
def test_places_without_a_device_say_why(
    machine: Machine, file_system: str, source: str, options: str, words: str
) -> None:
    machine.mount("0:60", "/mnt/a", file_system, source, options)
    chain = of_file(machine, "0:60")
    assert chain.devices == ()
    assert words in chain.reason
    assert chain_facts(chain)["no_device"] == chain.reason


def test_the_deepest_and_last_mount_counts(machine: Machine) -> None:
    machine.mount("0:1", "/", "ext4", "x")
    machine.mount("0:2", "/mnt", "tmpfs", "x")
    machine.mount("0:3", "/mnt/a\\040b", "tmpfs", "x")
    machine.mount("0:4", "/mnt/a\\040b", "ramfs", "x")
    chain = chain_of_file(Path("/mnt/a b/file"), "0:4", machine.root)
    assert chain.mount is not None
    assert (chain.mount.point, chain.mount.file_system) == ("/mnt/a b", "ramfs")
    beside = chain_of_file(Path("/mnt2/file"), "0:1", machine.root).mount
    assert beside is not None
    assert beside.point == "/"


def test_loop_devices_that_back_each_other_end(machine: Machine) -> None:
    machine.disk("loop0", "7:0", loop__backing_file="/img0")
    status = os.stat(machine.root)
    own = f"{os.major(status.st_dev)}:{os.minor(status.st_dev)}"
    (machine.root / "img0").write_text("x")
    link = machine.root / "sys/dev/block" / own
    link.symlink_to("../../devices/virtual/block/loop0")
    machine.mount(own, "/", "ext4", "/dev/loop0")
    assert names(chain_of_device("7:0", machine.root)) == ["loop0"]


def test_facts_hold_no_serial_numbers(machine: Machine) -> None:
    machine.disk("sda", "8:0", serial="SECRET-123")
    chain = chain_of_device("8:0", machine.root)
    assert chain.device("sda").serial == "SECRET-123"
    (device,) = chain_facts(chain)["devices"]
    assert len(device["key"]) == 12
    assert "SECRET" not in str(chain_facts(chain))


def test_this_machine() -> None:
    chain = chain_of(Path("/"))
    assert chain.mount is not None
    assert chain.devices or chain.reason


def test_a_path_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(TargetError, match="No such file"):
        chain_of(tmp_path / "none")
