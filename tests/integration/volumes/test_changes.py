"""A volume in use: other limits, shared limits, faults, and what a power loss leaves."""

from __future__ import annotations

import mmap
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import need_program
from tests.integration.volumes.conftest import Machine, fio

from plimsoll.errors import UnknownName, UsageError
from plimsoll.volumes import changes, lifecycle, registry

BLOCK = 4096


def buckets(name: str) -> dict[str, float]:
    return {each["name"]: each["tokens"] for each in changes.statistics(name)["plimsoll"]["buckets"]}


def fault(name: str, kind: str, **options: str) -> int | None:
    return changes.inject(name, changes.fault(kind, options))


def test_a_volume_grows_and_changes_type_under_a_mounted_file_system(machine: Machine) -> None:
    need_program("xfs_growfs")
    volume = machine.create("v", type="gp2", size="10GiB", file_system="xfs")
    assert volume.mount is not None
    Path(volume.mount, "kept").write_text("kept")
    assert buckets("v")["volume.iops"] > 2990
    said = machine.plimsoll("volume", "set", "v", "--type", "gp3", "--size", "20GiB", "--iops", "6000")
    assert "6,000 IOPS" in said.stdout
    assert "xfs_growfs" in said.stderr
    assert int(Path(f"/sys/block/{volume.device[5:]}/size").read_text()) * 512 == 20 * 2**30
    subprocess.run(["xfs_growfs", volume.mount], check=True, capture_output=True)
    assert os.statvfs(volume.mount).f_blocks * os.statvfs(volume.mount).f_frsize > 19 * 2**30
    assert Path(volume.mount, "kept").read_text() == "kept"
    assert buckets("v").keys() >= {"volume.iops", "volume.throughput"}
    assert "volume.iops_credits" not in buckets("v")
    assert registry.named("v").options["iops"] == "6000"


def test_credits_survive_a_change(machine: Machine) -> None:
    volume = machine.create("v", type="gp2", size="33GiB", time_scale=1000)
    begun = time.monotonic()
    fio(volume.device, "--rw=randread", "--bs=4k", "--iodepth=32", "--number_ios=3500", "--size=64m")
    left = buckets("v")["volume.iops_credits"]
    came_back = 100_000 * (time.monotonic() - begun)
    assert left < 5.4e6 - 3.4e6 + came_back, "each of 3,500 I/Os took the credits of a thousand"
    begun = time.monotonic()
    changes.modify("v", {"size": "66GiB"})
    after = buckets("v")["volume.iops_credits"]
    with pytest.raises(UsageError, match="credits cannot change"):
        changes.modify("v", {"credits": "50%"})
    assert after < left + 1e5 + 200_000 * (time.monotonic() - begun)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"size": "5GiB"}, "can grow, not shrink"),
        ({"type": "io1", "iops": "100000"}, "100 to 64,000 IOPS"),
        ({"raid": "0", "members": "2"}, "cannot change"),
        ({"instance": "m5.large"}, "cannot change"),
        ({"type": "gp33"}, "did you mean 'gp3'"),
    ],
)
def test_impossible_changes_change_nothing(machine: Machine, options: dict[str, str], reason: str) -> None:
    before = machine.create("v", size="10GiB")
    with pytest.raises((UsageError, UnknownName), match=reason):
        changes.modify("v", options)
    assert registry.named("v") == before


def test_volumes_of_one_instance_share_its_limits(machine: Machine) -> None:
    """t3.nano carries 250 IOPS in the long run: what one volume takes, the other has not."""
    for name in ("one", "two"):
        machine.create(name, instance="t3.nano", instance_name="web", size="4GiB")
    free = buckets("two")["instance.iops_credits"]
    fio(registry.named("one").device, "--rw=randread", "--bs=4k", "--iodepth=16", "--size=64m", "--number_ios=6000")
    assert buckets("two")["instance.iops_credits"] < free - 1000
    with pytest.raises(UsageError, match="instance web is t3"):
        machine.create("three", instance="m5.large", instance_name="web")
    lifecycle.delete("one")
    assert registry.instance_state("web").exists()
    lifecycle.delete("two")
    assert not registry.instance_state("web").exists()


def test_arrays_have_the_size_and_the_limits_of_their_members(machine: Machine) -> None:
    volume = machine.create("stripe", size="2GiB", raid=0, members=4)
    assert volume.size_bytes == 8 * 2**30 == int(Path(f"/sys/block/{volume.device[5:]}/size").read_text()) * 512
    assert {f"member{member}.iops" for member in range(4)} <= buckets("stripe").keys()


def test_faults_are_felt_and_go_away(machine: Machine) -> None:
    volume = machine.create("v")
    read = ["--rw=read", "--bs=4k", "--size=4k"]
    with pytest.raises(UsageError, match="volume v ends at"):
        fault("v", "error", offset=str(volume.size_bytes), length="4KiB")
    fault("v", "error", offset="1MiB", length="4KiB", only="read")
    assert fio(volume.device, *read)["error"] == 0
    assert fio(volume.device, *read, "--offset=1m")["error"] == 5
    assert fio(volume.device, "--rw=write", "--bs=4k", "--size=4k", "--offset=1m")["error"] == 0
    fault("v", "clear")
    assert fio(volume.device, *read, "--offset=1m")["error"] == 0
    fault("v", "slow", factor="300")
    slow = fio(volume.device, *read)["read"]["lat_ns"]["mean"]
    assert slow > 50e6, "hundreds of microseconds become more than 50 ms"
    fault("v", "clear")
    fault("v", "stall", **{"for": "1h"})
    with subprocess.Popen(["dd", f"if={volume.device}", "of=/dev/null", "bs=4k", "count=1", "iflag=direct"]) as reader:
        try:
            with pytest.raises(subprocess.TimeoutExpired):
                reader.wait(timeout=0.3)
        finally:
            fault("v", "clear")
        assert reader.wait(timeout=60) == 0
    fault("v", "detach")
    assert fio(volume.device, *read)["error"] != 0
    assert machine.plimsoll("volume", "fault", "v", "slow", check=False).stderr.strip().endswith("needs --factor")


def test_a_power_loss_drops_what_was_not_flushed_and_nothing_else(machine: Machine) -> None:
    """Blocks carry their number and version. After a power loss each holds what it held at the last flush."""
    volume = machine.create("v", write_cache_bytes=64 * 2**20)
    count, rounds = 64, 5
    with open(volume.device, "r+b", buffering=0) as device:
        flushed = dict.fromkeys(range(count), 0)
        for version in range(1, rounds + 1):
            durable = range(0, count, 2) if version % 2 else range(1, count, 3)
            _write(device, durable, version)
            os.fsync(device.fileno())
            flushed |= dict.fromkeys(durable, version)
            # The host's page cache would flush these by itself: past it, they lie in the volume's cache only.
            _write(device, range(count), 100 + version, direct=volume.device)
            lost = fault("v", "power-loss")
            assert lost == count * BLOCK
            assert _versions(volume.device, count) == flushed
    said = machine.plimsoll("volume", "fault", "v", "power-loss").stderr
    assert "no acknowledged write is lost: everything was flushed" in said


def test_a_volume_as_ebs_loses_no_acknowledged_write(machine: Machine) -> None:
    volume = machine.create("v")
    with open(volume.device, "r+b", buffering=0) as device:
        _write(device, range(8), 7, direct=volume.device)
    assert "no volatile cache" in machine.plimsoll("volume", "fault", "v", "power-loss").stderr
    assert set(_versions(volume.device, 8).values()) == {7}


def test_a_file_system_survives_a_power_loss(machine: Machine) -> None:
    """What was synced before is there after, and the journal makes the rest consistent."""
    volume = machine.create("v", file_system="ext4", write_cache_bytes=256 * 2**20)
    assert volume.mount is not None
    kept = Path(volume.mount, "kept")
    kept.write_bytes(b"k" * 100_000)
    descriptor = os.open(kept, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)
    for number in range(50):
        Path(volume.mount, f"later-{number}").write_bytes(b"l" * 10_000)
    fault("v", "power-loss", **{"for": "1h"})
    subprocess.run(["umount", volume.mount], check=True)
    fault("v", "clear")
    subprocess.run(["mount", volume.device, volume.mount], check=True)
    assert kept.read_bytes() == b"k" * 100_000
    subprocess.run(["umount", volume.mount], check=True)
    subprocess.run(["fsck.ext4", "-fn", volume.device], check=True, capture_output=True)


def test_random_writes_read_back(machine: Machine) -> None:
    """Sixteen thousand here; ten million in benches/volume.py."""
    volume = machine.create("v", type="gp3", size="40GiB", iops=16000)
    job = ["--rw=randwrite", "--bs=4k", "--size=64m", "--iodepth=32", "--verify=crc32c", "--verify_fatal=1"]
    assert fio(volume.device, *job)["error"] == 0


def _write(device: Any, blocks: range, version: int, *, direct: str | None = None) -> None:
    """Each block full of its version; with `direct` past the host's page cache."""
    if direct is None:
        for block in blocks:
            device.seek(block * BLOCK)
            device.write(bytes([version]) * BLOCK)
        return
    memory = mmap.mmap(-1, BLOCK)
    memory.write(bytes([version]) * BLOCK)
    descriptor = os.open(direct, os.O_RDWR | os.O_DIRECT)
    try:
        for block in blocks:
            os.pwritev(descriptor, [memory], block * BLOCK)
    finally:
        os.close(descriptor)
        memory.close()


def _versions(device: str, count: int) -> dict[int, int]:
    """What each block holds, read past the page cache."""
    found = {}
    memory = mmap.mmap(-1, BLOCK)
    descriptor = os.open(device, os.O_RDONLY | os.O_DIRECT)
    try:
        for block in range(count):
            os.preadv(descriptor, [memory], block * BLOCK)
            content = memory[:BLOCK]
            assert content == content[:1] * BLOCK, "a torn block"
            found[block] = content[0]
    finally:
        os.close(descriptor)
        memory.close()
    return found
