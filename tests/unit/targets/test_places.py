"""Directories, data files, owners and host facts, on this machine and on described ones."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import pytest
from tests.conftest import need
from tests.unit.targets.machine_tree import Machine

from plimsoll.errors import PlimsollError, TargetError
from plimsoll.location import home
from plimsoll.model import Target
from plimsoll.targets import datafile, directory
from plimsoll.targets.host import (
    command_line,
    cpu_limit,
    host_facts,
    io_uring_allowed,
    memory_limit_bytes,
    virtualisation,
)
from plimsoll.targets.owner import current_owner, is_alive
from plimsoll.units import GIB, MIB


def target(path: Path) -> Target:
    return Target(name="t", where=str(path))


def test_a_directory_that_can_be_used(tmp_path: Path) -> None:
    directory.check(target(tmp_path), needed_bytes=MIB)
    facts = directory.facts(target(tmp_path))
    assert facts["free_bytes"] <= facts["total_bytes"]
    assert facts["path"] == os.path.realpath(tmp_path)


def test_places_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "broken").symlink_to("nowhere")
    for name, words in (("none", "does not exist"), ("broken", "broken link"), ("file", "is a file; .* directory")):
        with pytest.raises(TargetError, match=words):
            directory.check(target(tmp_path / name))


def test_more_than_the_free_space_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TargetError, match="set size= to less"):
        directory.check(target(tmp_path), needed_bytes=2**60)


def test_a_read_only_file_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    space = namedtuple("space", "f_flag f_blocks f_frsize f_bavail")(os.ST_RDONLY, 1, 1, 1)
    monkeypatch.setattr("plimsoll.targets.directory.os.statvfs", lambda _path: space)
    with pytest.raises(TargetError, match="read-only"):
        directory.check(target(tmp_path))


def test_holes_and_zeros_of_a_data_file(tmp_path: Path) -> None:
    path = tmp_path / "data"
    with path.open("wb") as file:
        file.write(os.urandom(4 * MIB))
        file.truncate(16 * MIB)
    facts = datafile.facts(path)
    assert facts["region_bytes"] == 16 * MIB
    assert facts["hole_bytes"] == 12 * MIB
    assert facts["zero_blocks"] > facts["sampled_blocks"] / 2
    first = datafile.facts(path, 0, 4 * MIB)
    assert (first["hole_bytes"], first["zero_blocks"], first["sampled_blocks"]) == (0, 0, 200)


def test_space_that_was_only_reserved_is_unwritten(tmp_path: Path) -> None:
    path = tmp_path / "data"
    with path.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, 8 * MIB)
        os.fsync(file.fileno())
    facts = datafile.facts(path)
    need(facts["unwritten_bytes"] is not None, "a file system with FIEMAP below the temporary directory")
    assert max(facts["unwritten_bytes"], facts["hole_bytes"]) == 8 * MIB


def test_a_data_file_that_is_gone_or_empty(tmp_path: Path) -> None:
    assert datafile.facts(tmp_path / "none") == {}
    (tmp_path / "empty").touch()
    assert datafile.facts(tmp_path / "empty")["sampled_blocks"] == 0


def test_an_owner_lives_as_long_as_its_process() -> None:
    mine = current_owner()
    assert is_alive(mine)
    assert not is_alive(mine.model_copy(update={"start_ticks": mine.start_ticks + 1})), "the number was used again"
    assert not is_alive(mine.model_copy(update={"boot_id": "before"}))
    assert is_alive(mine.model_copy(update={"boot_id": "other", "host": "elsewhere"})), "another machine cannot be seen"
    assert is_alive(mine.model_copy(update={"boot_id": "other", "machine": "b" * 16})), "another machine of this name"
    assert not is_alive(mine.model_copy(update={"boot_id": "before", "machine": ""})), "written by an older version"
    assert is_alive(mine.model_copy(update={"pid_namespace": "pid:[1]", "pid": 4_000_000}))


def test_a_dead_process_is_dead() -> None:
    program = "from plimsoll.targets.owner import current_owner; print(current_owner().model_dump_json())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not is_alive(type(current_owner()).model_validate_json(done.stdout))


def test_home_is_where_it_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLIMSOLL_HOME", str(tmp_path / "own"))
    assert home() == tmp_path / "own"
    assert home().stat().st_mode & 0o777 == 0o700
    monkeypatch.delenv("PLIMSOLL_HOME")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert home() == tmp_path / "data/plimsoll"
    monkeypatch.setenv("PLIMSOLL_HOME", "/proc/nowhere")
    with pytest.raises(PlimsollError, match="set PLIMSOLL_HOME"):
        home()


def test_facts_of_this_host_are_plain_values() -> None:
    facts = host_facts()
    assert facts["processor"]["logical"] >= facts["processor"]["usable"] >= 1
    assert facts["memory"]["limit_bytes"] <= facts["memory"]["total_bytes"]


def test_secrets_on_the_kernel_command_line_are_blanked(machine: Machine) -> None:
    machine.write("proc/cmdline", "quiet rd.luks.key=/k root=/dev/sda1 ds.password=abc -- --token=x")
    assert command_line(machine.root) == "quiet rd.luks.key=… root=/dev/sda1 ds.password=…"


def test_limits_of_cgroup_version_2(machine: Machine) -> None:
    machine.write("proc/meminfo", "MemTotal:       16777216 kB")
    machine.write("proc/self/cgroup", "0::/system.slice/x.service")
    machine.write("sys/fs/cgroup/system.slice/x.service/memory.max", "max")
    machine.write("sys/fs/cgroup/system.slice/memory.max", str(4 * GIB))
    machine.write("sys/fs/cgroup/system.slice/x.service/cpu.max", "150000 100000")
    assert memory_limit_bytes(machine.root) == 4 * GIB
    assert cpu_limit(machine.root) == 1.5


def test_limits_of_cgroup_version_1_in_a_container(machine: Machine) -> None:
    machine.write("proc/meminfo", "MemTotal:       16777216 kB")
    machine.write("proc/self/cgroup", "5:memory:/docker/abc\n3:cpu,cpuacct:/docker/abc")
    machine.write("sys/fs/cgroup/memory/memory.limit_in_bytes", str(2 * GIB))
    machine.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "50000")
    machine.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000")
    assert memory_limit_bytes(machine.root) == 2 * GIB
    assert cpu_limit(machine.root) == 0.5


def test_no_limits(machine: Machine) -> None:
    machine.write("proc/meminfo", "MemTotal:       16777216 kB")
    machine.write("proc/self/cgroup", "5:memory:/")
    machine.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712")
    assert memory_limit_bytes(machine.root) == 16 * GIB
    assert cpu_limit(machine.root) is None


def test_io_uring_switch(machine: Machine) -> None:
    assert io_uring_allowed(machine.root) == "yes"
    for text, expected in (("0", "yes"), ("1", "privileged"), ("2", "no")):
        machine.write("proc/sys/kernel/io_uring_disabled", text)
        assert io_uring_allowed(machine.root) == expected


def test_virtualisation(machine: Machine) -> None:
    assert virtualisation(machine.root) == "none"
    machine.write("sys/class/dmi/id/sys_vendor", "Amazon EC2")
    machine.write("sys/class/dmi/id/product_name", "m7i.large")
    assert virtualisation(machine.root) == "Amazon EC2 m7i.large"
    machine.write(".dockerenv", "")
    assert virtualisation(machine.root) == "docker, Amazon EC2 m7i.large"
