"""From create to delete, as users do it."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import NoReturn

import pytest
from tests.conftest import need_program
from tests.integration.run import starter
from tests.integration.volumes.conftest import Machine, fio

from plimsoll.errors import TargetError, UnknownName, UsageError
from plimsoll.volumes import changes, lifecycle, registry


def test_a_volume_from_the_command_line(machine: Machine, tmp_path: Path) -> None:
    point = tmp_path / "data"
    shape = ["--type", "gp2", "--size", "10GiB", "--instance", "m5.large"]
    words = ["volume", "create", "data", *shape, "--fs", "ext4", "--json", "--mount", str(point)]
    made = json.loads(machine.plimsoll(*words).stdout)
    assert made["mount_point"] == str(point)
    assert os.path.ismount(point)
    assert stat.S_ISBLK(os.stat(made["device"]).st_mode)
    assert made["size_bytes"] == 10 * 2**30 == int(Path(f"/sys/block/{made['device'][5:]}/size").read_text()) * 512
    (point / "hello").write_text("world")
    [listed] = json.loads(machine.plimsoll("volume", "list", "--json").stdout)
    assert listed == made
    assert made["device"] in machine.plimsoll("volume", "list").stdout
    page = json.loads(machine.plimsoll("volume", "stats", "data", "--json").stdout)
    assert {"total_read_ops", "ebs_volume_performance_exceeded_iops", "volume_queue_length"} <= page.keys()
    credits = next(each for each in page["plimsoll"]["buckets"] if each["name"] == "volume.iops_credits")
    assert credits["capacity"] == 5.4e6
    assert "volume iops credits" in machine.plimsoll("volume", "stats", "data").stdout
    assert stat.S_IMODE((registry.named("data").folder / "socket").stat().st_mode) == 0o600
    machine.plimsoll("volume", "delete", "data")
    assert machine.left() == []
    assert not point.exists()


@pytest.mark.parametrize("file_system", ["ext2", "ext3", "ext4", "xfs", "btrfs"])
def test_file_systems_are_made_past_the_model(machine: Machine, file_system: str) -> None:
    need_program(f"mkfs.{file_system}")
    volume = machine.create("fs", file_system=file_system, type="gp2", size="100GiB", backing="sparse")
    assert volume.mount is not None
    Path(volume.mount, "file").write_text("content")
    page = changes.statistics("fs")
    assert page["total_write_ops"] < 100, "formatting counts nowhere"
    credits = next(each for each in page["plimsoll"]["buckets"] if each["name"] == "volume.iops_credits")
    assert credits["tokens"] > 5.39e6
    lifecycle.delete("fs")


def test_a_name_is_used_once_and_a_full_directory_is_no_mount_point(machine: Machine, tmp_path: Path) -> None:
    machine.create("one")
    with pytest.raises(UsageError, match="a volume named one exists"):
        machine.create("one")
    (tmp_path / "something").write_text("mine")
    with pytest.raises(TargetError, match="is not empty"):
        machine.create("two", file_system="ext4", mount=tmp_path)
    assert [volume.name for volume in registry.volumes()] == ["one"]
    assert (tmp_path / "something").read_text() == "mine"
    with pytest.raises(UnknownName, match="did you mean 'one'"):
        changes.statistics("onne")


def test_a_volume_in_use_is_not_deleted_unless_forced(machine: Machine) -> None:
    volume = machine.create("busy", file_system="ext4")
    assert volume.mount is not None
    with (Path(volume.mount) / "open").open("w") as file:
        refused = machine.plimsoll("volume", "delete", "busy", check=False)
        assert refused.returncode == 2
        assert f"process {os.getpid()}" in refused.stderr, refused.stderr
        file.write("still works")
        file.flush()
        os.fsync(file.fileno())
        machine.plimsoll("volume", "delete", "busy", "--force")
        assert registry.volumes() == []
    device = Path(volume.device).name
    _eventually(lambda: not Path(f"/sys/block/{device}/loop/backing_file").exists())


def test_an_open_device_counts_as_use(machine: Machine) -> None:
    volume = machine.create("raw")
    with open(volume.device, "rb"):
        refused = machine.plimsoll("volume", "delete", "raw", check=False)
        assert "is in use by" in refused.stderr
    machine.plimsoll("volume", "delete", "raw")


def test_delete_does_not_wait_for_a_slow_volume(machine: Machine) -> None:
    """A stalled volume full of unwritten data goes away at once, not at its own speed."""
    volume = machine.create("slow", file_system="ext4", type="sc1", size="125GiB", backing="sparse")
    assert volume.mount is not None
    Path(volume.mount, "data").write_bytes(b"x" * 30_000_000)
    changes.inject("slow", changes.fault("stall", {"for": "1h"}))
    lifecycle.delete("slow")


def test_killed_servers_and_creators_are_swept_by_the_next_command(machine: Machine, tmp_path: Path) -> None:
    volume = machine.create("victim", file_system="xfs", backing="sparse", mount=tmp_path / "mount")
    other = machine.create("other", file_system="ext4")
    assert other.mount is not None
    Path(other.mount, "kept").write_text("kept")
    job = ["--rw=randwrite", "--bs=4k", "--size=16m", "--iodepth=8", "--runtime=600", "--time_based"]
    words = ["fio", "--name=j", f"--filename={volume.mount}/file", "--ioengine=libaio", "--direct=1", *job]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=tmp_path) as running:
        _eventually(lambda: changes.statistics("victim")["total_write_ops"] > 100)
        server = registry.server(volume.folder)
        assert server is not None
        os.kill(server.pid, signal.SIGKILL)
        assert running.wait(timeout=60) != 0, "fio gets errors, not silence"
    said = machine.plimsoll("volume", "list").stderr
    assert "removed volume victim: its server is gone" in said
    assert not (tmp_path / "mount").exists()
    assert Path(other.mount, "kept").read_text() == "kept"
    _eventually(lambda: not any("victim" in what for what in machine.left()))
    lifecycle.delete("other")


@pytest.mark.parametrize("when", ["server", "device", "mkfs"])
def test_a_killed_create_leaves_nothing_after_the_next_command(machine: Machine, when: str) -> None:
    """Killed at three moments: once the server, the loop device, or the file system is there."""
    target = {"server": "loop.attach", "device": "filesystem.make", "mkfs": "filesystem.mount"}[when]
    program = (
        "import os, signal\n"
        "from plimsoll.volumes import filesystem, lifecycle, loop\n"
        f"def die(*_): os.kill(os.getpid(), signal.SIGKILL)\n"
        f"{target} = die\n"
        "lifecycle.create(lifecycle.VolumeRequest('half', {'type': 'gp3', 'size': '1GiB'}, file_system='ext4'))\n"
    )
    died = subprocess.run([sys.executable, "-c", program], capture_output=True)
    assert died.returncode == -signal.SIGKILL, died.stderr
    assert machine.left(), "it had begun"
    assert "removed volume half: its maker was killed" in machine.plimsoll("list", "suites").stderr
    assert machine.left() == []


def test_an_interrupted_create_cleans_up_itself(machine: Machine) -> None:
    program = (
        "import os, signal\n"
        "from plimsoll.volumes import filesystem, lifecycle\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "filesystem.mount = lambda *_: os.kill(os.getpid(), signal.SIGINT)\n"
        "lifecycle.create(lifecycle.VolumeRequest('half', {'type': 'gp3', 'size': '1GiB'}, file_system='ext4'))\n"
    )
    stopped = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "KeyboardInterrupt" in stopped.stderr
    assert machine.left() == []


def test_a_server_that_does_not_answer_is_ended(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    volume = machine.create("mute", file_system="ext4")
    server = registry.server(volume.folder)
    assert server is not None
    os.kill(server.pid, signal.SIGSTOP)
    monkeypatch.setattr("plimsoll.volumes.control.TIMEOUT_S", 0.2)
    with pytest.raises(TargetError, match="does not answer"):
        changes.statistics("mute")
    lifecycle.delete("mute", force=True)
    assert machine.left() == []


def test_a_volume_with_a_keeper_goes_with_it(machine: Machine) -> None:
    """As sessions keep theirs: killed sessions leave their volumes to the next command."""
    program = (
        "from plimsoll.targets.owner import current_owner\n"
        "from plimsoll.volumes import lifecycle\n"
        "request = lifecycle.VolumeRequest('kept', {'type': 'gp3', 'size': '1GiB'}, keeper=current_owner())\n"
        "print(lifecycle.create(request).device)\n"
        "print(lifecycle.sweep())\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[1] == "[]", "alive while its keeper is"
    assert lifecycle.sweep() == ["removed volume kept: the session that used it was killed"]
    assert machine.left() == []


def test_without_a_free_loop_device_nothing_is_left(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "losetup"
    program.write_text("#!/bin/sh\necho 'losetup: cannot find an unused loop device' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(TargetError, match=r"cannot find an unused loop device; \d+ loop devices are in use here"):
        machine.create("v")
    assert machine.left() == []


def test_a_run_on_a_volume_whose_disk_is_full_says_so(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = machine.home / "small"
    home.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=48m", "plimsoll-test", str(home)], check=True)
    monkeypatch.setenv("PLIMSOLL_HOME", str(home))
    monkeypatch.setenv("PLIMSOLL_STORE", str(tmp_path / "results.db"))
    try:
        filler = home / "filler"
        filler.write_bytes(bytes(47 << 20))
        with pytest.raises(TargetError, match=r"no space left on the disk of .*: \d+ writes? of volume v failed"):
            machine.create("v", size="100GiB", backing="sparse", file_system="ext4")
        filler.unlink()
        volume = machine.create("v", backing="sparse", file_system="ext4")
        words = ["run", "seqwrite", "--on", f"v={volume.mount}", "--blocks", "1", "--json"]
        quick = ["--set", "runtime=1s", "--set", "warmup=0s", "--set", "size=96MiB"]
        done = machine.plimsoll(*words, *quick, check=False)
        assert done.returncode == 3
        assert f"no space left on the disk of {home}" in done.stdout + done.stderr
    finally:
        machine.plimsoll("volume", "delete", "--all", "--force")
        subprocess.run(["umount", str(home)], check=True)


def test_a_loop_device_that_somebody_made_read_only_is_passed_over(machine: Machine) -> None:
    free = subprocess.run(["losetup", "--find"], capture_output=True, text=True, check=True).stdout.strip()
    subprocess.run(["blockdev", "--setro", free], check=True)
    try:
        volume = machine.create("v", file_system="ext4")
        assert volume.device != free
        assert volume.mount is not None
        Path(volume.mount, "file").write_text("content")
        assert Path(f"/sys/block/{free[5:]}/ro").read_text() == "1\n", "it is left as it was"
        lifecycle.delete("v")
    finally:
        subprocess.run(["blockdev", "--setrw", free], check=True)
    assert machine.left() == []


def test_memory_that_runs_out_is_an_error_for_the_program_only(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lifecycle, "MEMORY_SHARE", 0.001)
    volume = machine.create("v", size="60GiB")
    wrote = fio(volume.device, "--rw=write", "--bs=1m", "--size=200m", "--iodepth=4")
    assert wrote["error"] in (5, 28), "EIO or ENOSPC"
    assert fio(volume.device, "--rw=read", "--bs=4k", "--size=4k")["error"] == 0, "the server lives"


def test_a_full_backing_is_an_error_for_the_program_only(machine: Machine) -> None:
    home = machine.home / "small"
    home.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "plimsoll-test", str(home)], check=True)

    def plimsoll(*words: str) -> str:
        done = starter.run([*words], home.parent, os.environ | {"PLIMSOLL_HOME": str(home)})
        assert done.returncode == 0, done.stderr
        return done.stdout

    try:
        device = json.loads(plimsoll("volume", "create", "v", "--type", "gp3", "--size", "1GiB", "--json"))["device"]
        wrote = fio(device, "--rw=write", "--bs=1m", "--size=64m", "--iodepth=4")
        assert wrote["error"] in (5, 28), "EIO or ENOSPC"
        assert fio(device, "--rw=read", "--bs=4k", "--size=4k")["error"] == 0, "the server lives"
        assert json.loads(plimsoll("volume", "stats", "v", "--json"))["plimsoll"]["errors"] > 0
        said = " ".join(plimsoll("volume", "stats", "v").split())
        assert f"warning: no space left on the disk of {home}: " in said
        assert "free some there, or set PLIMSOLL_HOME to a larger disk" in said
        plimsoll("volume", "delete", "v")
        plimsoll("volume", "create", "w", "--type", "gp3", "--size", "1GiB")
        assert "no space left" not in plimsoll("volume", "stats", "w")
        plimsoll("volume", "delete", "w")
    finally:
        subprocess.run(["umount", str(home)], check=True)


def _eventually(condition: object, seconds: float = 60.0) -> None:
    assert callable(condition)
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)


def test_an_interrupt_while_its_server_starts_leaves_none(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr(lifecycle.selectors.DefaultSelector, "select", interrupted)
    with pytest.raises(KeyboardInterrupt):
        machine.create("early")
    assert machine.left() == []
