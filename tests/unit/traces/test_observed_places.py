"""The devices behind a process, also of one in a container or seen from one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.unit.targets.machine_tree import Machine

from plimsoll.errors import TargetError
from plimsoll.traces.places import place_of

OURS, OF_ANOTHER_SPACE, WITHOUT_SPACES = "NSpid:\t99\n", "NSpid:\t4099\t99\n", ""


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    made = Machine(tmp_path / "root")
    made.disk("sda", "8:0")
    made.disk("sdb", "8:16")
    made.write("proc/self/status", f"Name:\tplimsoll\n{OURS}")
    return made


def opened(machine: Machine, file: Path, pid: int = 4711) -> None:
    """A process that has this file open."""
    folder = machine.root / "proc" / str(pid) / "fd"
    folder.mkdir(parents=True)
    (folder / "3").symlink_to(file)


def lies_on(machine: Machine, file: Path, disk: str) -> None:
    """The file system of this test's own folder is that of a disk of the machine."""
    number = file.stat().st_dev
    link = machine.root / f"sys/dev/block/{os.major(number)}:{os.minor(number)}"
    link.symlink_to(machine.root / f"sys/devices/virtual/block/{disk}")


def test_the_devices_of_its_files_are_observed(machine: Machine, tmp_path: Path) -> None:
    file = tmp_path / "data"
    file.write_text("")
    lies_on(machine, file, "sda")
    opened(machine, file)
    assert [each.name for each in place_of("4711", machine.root).devices] == ["sda"]


@pytest.mark.parametrize(("status", "refused"), [(OURS, False), (WITHOUT_SPACES, False), (OF_ANOTHER_SPACE, True)])
def test_numbers_of_another_namespace_are_refused(machine: Machine, tmp_path: Path, status: str, refused: bool) -> None:
    machine.write("proc/self/status", f"Name:\tplimsoll\n{status}")
    file = tmp_path / "data"
    file.write_text("")
    lies_on(machine, file, "sda")
    opened(machine, file)
    if refused:
        with pytest.raises(
            TargetError, match="of another PID namespace, where 4711 may be a process that is not meant"
        ):
            place_of("4711", machine.root)
    else:
        assert place_of("4711", machine.root).devices


def test_a_proc_that_does_not_show_this_process_is_of_another_namespace(machine: Machine, tmp_path: Path) -> None:
    (machine.root / "proc/self/status").unlink()
    opened(machine, tmp_path)
    with pytest.raises(TargetError, match="of another PID namespace"):
        place_of("4711", machine.root)


def mounts(machine: Machine, process: str, *lines: str) -> None:
    machine.write(f"proc/{process}/mountinfo", "".join(f"30 1 {line}\n" for line in lines))
    machine.write(f"proc/{process}/ns/mnt", "")


def test_a_process_in_a_container_has_its_own_mounts(machine: Machine, tmp_path: Path) -> None:
    """Its root is an overlay on sdb; what lies at the same path outside is on sda."""
    upper, file = machine.root / "layers/1/diff", tmp_path / "data"
    upper.mkdir(parents=True)
    file.write_text("")
    mounts(machine, "self", "8:0 / / rw - ext4 /dev/sda rw", "0:51 / /layers rw - btrfs /dev/sdb rw")
    mounts(machine, "4711", "0:50 / / rw - overlay overlay rw,lowerdir=/l,upperdir=/layers/1/diff,workdir=/w")
    opened(machine, file)
    assert [each.name for each in place_of("4711", machine.root).devices] == ["sdb"]


def test_why_files_have_no_device_is_said(machine: Machine, tmp_path: Path) -> None:
    file = tmp_path / "data"
    file.write_text("")
    mounts(machine, "self", "0:51 / / rw - tmpfs tmpfs rw")
    opened(machine, file)
    told = r"process 4711 has no file open on a block device \(tmpfs keeps its files in memory\); name the device"
    with pytest.raises(TargetError, match=told):
        place_of("4711", machine.root)


def test_a_process_beside_has_the_mounts_that_are_seen_from_here(machine: Machine, tmp_path: Path) -> None:
    file = tmp_path / "data"
    file.write_text("")
    mounts(machine, "self", "0:51 / / rw - btrfs /dev/sda rw")
    mounts(machine, "4711", "0:52 / / rw - btrfs /dev/sdb rw")
    opened(machine, file)
    (machine.root / "proc/4711/ns/mnt").unlink()
    os.link(machine.root / "proc/self/ns/mnt", machine.root / "proc/4711/ns/mnt")
    assert [each.name for each in place_of("4711", machine.root).devices] == ["sda"]
