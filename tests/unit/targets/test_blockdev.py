"""Names, serial numbers and identities of block devices."""

from __future__ import annotations

import shutil

import pytest
from tests.unit.targets.machine_tree import Machine

from plimsoll.targets.blockdev import all_devices, identity, name_of_number, read_device
from plimsoll.targets.safety import in_use, relatives


def identity_of(machine: Machine, name: str) -> str:
    device = read_device(name, machine.root)
    assert device is not None
    return identity(device, machine.root)


@pytest.mark.parametrize(
    ("name", "files", "expected"),
    [
        ("nvme0n1", {"device__serial": "vol0123456789", "nsid": "1"}, "vol0123456789"),
        ("nvme0n2", {"device__serial": "vol0123456789", "nsid": "2"}, "vol0123456789_2"),
        ("vda", {"serial": "disk-1"}, "disk-1"),
        ("vdb", {}, "vdb:1073741824"),
        ("sda", {"device__vpd_pg80": "\x00\x80\x00\x04 WD-1 "}, "WD-1"),
        ("dm-3", {"dm__uuid": "LVM-abc"}, "LVM-abc"),
        ("sdq", {"device__wwid": "naa.5000"}, "naa.5000"),
    ],
)
def test_identity(machine: Machine, name: str, files: dict[str, str], expected: str) -> None:
    machine.disk(name, "8:0", **files)
    assert identity_of(machine, name) == expected


def test_udev_knows_serial_numbers_too(machine: Machine) -> None:
    machine.disk("sda", "8:0")
    machine.write("run/udev/data/b8:0", "S:disk/by-id/x\nE:ID_SERIAL=Maker_ABC\nE:ID_SERIAL_SHORT=ABC\n")
    assert identity_of(machine, "sda") == "ABC"


def test_a_partition_is_not_its_disk(machine: Machine) -> None:
    machine.disk("sda", "8:0", serial="ABC")
    machine.partition("sda", 3, "8:3")
    assert identity_of(machine, "sda3") == "ABC-part3"


def test_disks_with_the_same_serial_are_told_apart(machine: Machine) -> None:
    machine.disk("sda", "8:0", serial="0000")
    machine.disk("sdb", "8:16", serial="0000")
    assert identity_of(machine, "sda") != identity_of(machine, "sdb")


def test_all_identities_of_a_machine_differ(machine: Machine) -> None:
    machine.disk("sda", "8:0", serial="A")
    machine.partition("sda", 1, "8:1")
    machine.partition("sda", 2, "8:2")
    machine.disk("loop0", "7:0", loop__backing_file="/x")
    machine.disk("loop1", "7:1", loop__backing_file="/x")
    machine.disk("loop2", "7:2")
    identities = [identity(device, machine.root) for device in all_devices(machine.root)]
    assert len(identities) == 6
    assert len(set(identities)) == len(identities)


def test_a_device_that_is_gone(machine: Machine) -> None:
    assert read_device("sdz", machine.root) is None


def test_names_with_a_slash(machine: Machine) -> None:
    machine.disk("cciss!c0d0", "104:0")
    device = read_device("cciss/c0d0", machine.root)
    assert device is not None
    assert device.path == "/dev/cciss/c0d0"


def reasons(machine: Machine, name: str) -> str:
    device = read_device(name, machine.root)
    assert device is not None
    return "\n".join(in_use(device, machine.root))


def test_a_disk_in_lvm_on_a_partition(machine: Machine) -> None:
    machine.disk("sda", "8:0")
    machine.partition("sda", 1, "8:1")
    machine.disk("dm-0", "253:0", dm__uuid="LVM-x")
    machine.stack("dm-0", "sda1")
    machine.mount("253:0", "/var", "ext4", "/dev/mapper/x")
    device = read_device("sda", machine.root)
    assert device is not None
    assert {other.name for other in relatives(device, machine.root)} == {"sda", "sda1", "dm-0"}
    assert "/dev/dm-0 is mounted at /var" in reasons(machine, "sda")
    assert "part of /dev/dm-0" in reasons(machine, "sda")
    assert "part of /dev/dm-0" in reasons(machine, "sda1")


def test_the_neighbour_of_a_mounted_partition_is_free(machine: Machine) -> None:
    machine.disk("sda", "8:0")
    machine.partition("sda", 1, "8:1")
    machine.partition("sda", 2, "8:2")
    machine.mount("8:1", "/", "ext4", "/dev/sda1")
    assert reasons(machine, "sda2") == ""
    assert "mounted at /" in reasons(machine, "sda")


def test_a_partition_of_a_multipath_member(machine: Machine) -> None:
    machine.disk("sda", "8:0")
    machine.partition("sda", 1, "8:1")
    machine.disk("dm-0", "253:0", dm__uuid="mpath-1")
    machine.stack("dm-0", "sda")
    assert "part of /dev/dm-0" in reasons(machine, "sda1")


def test_a_member_of_a_mounted_btrfs(machine: Machine) -> None:
    machine.disk("sda", "8:0")
    machine.mount("0:45", "/mnt", "btrfs", "/dev/sda")
    assert "mounted at /mnt" in reasons(machine, "sda")


def test_swap_on_a_partition(machine: Machine) -> None:
    machine.disk("sda", "8:0")
    machine.partition("sda", 1, "8:1")
    machine.write("proc/swaps", "Filename Type Size Used Priority\n/dev/sda1 partition 1 0 -2\n")
    assert "swapoff /dev/sda1" in reasons(machine, "sda")


def test_mounts_of_other_processes_are_seen(machine: Machine) -> None:
    machine.disk("sda", "8:0")
    machine.write("proc/77/mountinfo", "30 1 8:0 / /inside rw - ext4 /dev/sda rw\n")
    assert "mounted at /inside (seen by process 77)" in reasons(machine, "sda")


def test_a_free_disk_has_no_reason(machine: Machine) -> None:
    machine.disk("sda", "8:0")
    machine.disk("sdb", "8:16", 0)
    assert reasons(machine, "sda") == ""
    assert "no size" in reasons(machine, "sdb")


@pytest.mark.parametrize(
    ("point", "told"),
    [
        ("/", "choose another device"),
        ("/boot/efi", "choose another device"),
        ("/home", "choose another device"),
        ("/var/lib/docker", "choose another device"),
        ("/mnt/my disk", "umount '/mnt/my disk'"),
        ("/home/me/disk", "umount /home/me/disk"),
        ("/var/tmp/disk", "umount /var/tmp/disk"),
    ],
)
def test_nobody_is_told_to_unmount_the_system(machine: Machine, point: str, told: str) -> None:
    machine.disk("sda", "8:0")
    machine.mount("8:0", point.replace(" ", "\\040"), "ext4", "/dev/sda")
    assert told in reasons(machine, "sda")
    assert ("umount" in told) == ("umount" in reasons(machine, "sda"))


@pytest.mark.parametrize("hidden", ["empty", "no folder"])
def test_containers_hide_the_devices_by_number(machine: Machine, hidden: str) -> None:
    machine.disk("sda", "8:0")
    shutil.rmtree(machine.root / "sys/dev/block")
    if hidden == "empty":
        (machine.root / "sys/dev/block").mkdir()
    assert name_of_number("8:0", machine.root) == "sda"
    assert name_of_number("8:1", machine.root) is None


def test_a_number_without_a_device(machine: Machine) -> None:
    machine.disk("sda", "8:0")
    assert name_of_number("8:0", machine.root) == "sda"
    assert name_of_number("0:42", machine.root) is None
