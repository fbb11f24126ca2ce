"""No device that somebody uses is ever overwritten: real loop devices in every state of use."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.conftest import need, need_program
from tests.integration.safety.conftest import MakeLoop, run

from plimsoll.errors import TargetError, UnsafeTarget
from plimsoll.model import Target
from plimsoll.targets import device
from plimsoll.targets.blockdev import identity
from plimsoll.targets.chain import chain_of
from plimsoll.targets.lock import lock
from plimsoll.targets.safety import claim, find_device


def consent_for(path: Path) -> tuple[str]:
    return (identity(find_device(path)),)


def refusal(path: Path) -> str:
    """The message when writing is asked for with the right consent: consent is never enough."""
    with pytest.raises(UnsafeTarget) as caught:
        device.check(Target(name="t", kind="device", where=str(path)), writes=True, destroy=consent_for(path))
    return str(caught.value)


def mount(source: Path, point: Path, cleanup: ExitStack) -> None:
    point.mkdir()
    run("mount", source, point)
    cleanup.callback(run, "umount", point)


def add_partition(disk: Path, cleanup: ExitStack) -> Path:
    """A partition from sector 2048 on, made known to the kernel without a table (the kernel may not read any)."""
    need_program("addpart")
    run("addpart", disk, 1, 2048, 32768)
    cleanup.callback(run, "delpart", disk, 1)
    return Path(f"{disk}p1")


def test_a_clean_device_with_the_right_consent_may_be_written(loop: Path) -> None:
    assert find_device(loop).backing_file == consent_for(loop)[0]
    device.check(Target(name="t", kind="device", where=str(loop)), writes=True, destroy=consent_for(loop))


@pytest.mark.parametrize("given", [(), ("another",), ("",), ("loop0",)])
def test_without_the_exact_identity_it_is_refused_and_told_what_to_type(loop: Path, given: tuple[str, ...]) -> None:
    with pytest.raises(UnsafeTarget, match="--destroy") as caught:
        device.check(Target(name="t", kind="device", where=str(loop)), writes=True, destroy=given)
    assert consent_for(loop)[0] in str(caught.value)


def test_the_path_of_the_device_is_no_consent(loop: Path) -> None:
    with pytest.raises(UnsafeTarget):
        device.check(Target(name="t", kind="device", where=str(loop)), writes=True, destroy=(str(loop),))


def test_reading_needs_no_consent(loop: Path) -> None:
    device.check(Target(name="t", kind="device", where=str(loop)), writes=False)


def test_a_mounted_device(loop: Path, tmp_path: Path, cleanup: ExitStack) -> None:
    run(need_program("mkfs.ext4"), "-q", loop)
    mount(loop, tmp_path / "here", cleanup)
    message = refusal(loop)
    assert f"mounted at {tmp_path / 'here'}" in message
    assert "umount" in message


def test_mounted_only_in_another_mount_namespace(loop: Path, tmp_path: Path, cleanup: ExitStack) -> None:
    unshare = need_program("unshare")
    run(need_program("mkfs.ext4"), "-q", loop)
    point = tmp_path / "there"
    point.mkdir()
    script = f"mount {loop} {point} && echo ready && exec sleep 60"
    process = subprocess.Popen([unshare, "--mount", "sh", "-c", script], stdout=subprocess.PIPE, text=True)
    cleanup.callback(process.wait)
    cleanup.callback(process.kill)
    assert process.stdout is not None
    cleanup.callback(process.stdout.close)
    need(process.stdout.readline() == "ready\n", "mount namespaces")
    message = refusal(loop)
    assert f"mounted at {point}" in message
    assert f"seen by process {process.pid}" in message


def test_an_ext4_signature_is_enough(loop: Path) -> None:
    run(need_program("mkfs.ext4"), "-q", loop)
    message = refusal(loop)
    assert "ext2/3/4" in message
    assert "wipefs" in message


@pytest.mark.parametrize(("program", "kind"), [("mkfs.xfs", "XFS"), ("mkfs.btrfs", "btrfs"), ("mkswap", "swap")])
def test_other_signatures(make_loop: MakeLoop, program: str, kind: str) -> None:
    disk = make_loop(320)
    run(need_program(program), *(("-q",) if program != "mkswap" else ()), disk)
    assert kind in refusal(disk)


def test_signatures_are_found_without_blkid(loop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(need_program("mkfs.ext4"), "-q", loop)
    monkeypatch.setattr("plimsoll.targets.signatures.shutil.which", lambda *_args, **_kw: None)
    assert "ext2/3/4" in refusal(loop)


def test_swap_in_use(loop: Path, cleanup: ExitStack) -> None:
    run(need_program("mkswap"), loop)
    run(need_program("swapon"), loop)
    cleanup.callback(run, "swapoff", loop)
    assert "swapoff" in refusal(loop)


def test_a_disk_with_a_mounted_partition(loop: Path, tmp_path: Path, cleanup: ExitStack) -> None:
    part = add_partition(loop, cleanup)
    run(need_program("mkfs.ext4"), "-q", part)
    mount(part, tmp_path / "part", cleanup)
    assert f"{part} is mounted" in refusal(loop)
    assert f"{part} is mounted" in refusal(part)


def test_a_disk_with_a_partition_that_nobody_uses(loop: Path, cleanup: ExitStack) -> None:
    part = add_partition(loop, cleanup)
    assert str(part) in refusal(loop)
    device.check(Target(name="t", kind="device", where=str(part)), writes=True, destroy=consent_for(part))
    assert consent_for(part) != consent_for(loop)


def test_a_partition_of_a_mounted_disk(loop: Path, tmp_path: Path, cleanup: ExitStack) -> None:
    run(need_program("mkfs.ext4"), "-q", loop)
    part = add_partition(loop, cleanup)
    mount(loop, tmp_path / "whole", cleanup)
    assert f"{loop} is mounted" in refusal(part)


def test_a_loop_device_on_top_of_the_device(loop: Path, cleanup: ExitStack) -> None:
    top = run("losetup", "--find", "--show", loop)
    cleanup.callback(run, "losetup", "--detach", top)
    assert top in refusal(loop)
    assert [below.name for below in chain_of(Path(top)).devices][:2] == [Path(top).name, loop.name]


def test_a_second_loop_device_on_the_same_file(loop: Path, cleanup: ExitStack) -> None:
    twin = run("losetup", "--find", "--show", find_device(loop).backing_file)
    cleanup.callback(run, "losetup", "--detach", twin)
    assert twin in refusal(loop)
    assert consent_for(loop) != consent_for(Path(twin))


def test_a_read_only_device(loop: Path, cleanup: ExitStack) -> None:
    run(need_program("blockdev"), "--setro", loop)
    cleanup.callback(run, "blockdev", "--setrw", loop)
    assert "read-only" in refusal(loop)


def test_a_device_that_another_program_holds(loop: Path, cleanup: ExitStack) -> None:
    holder = os.open(loop, os.O_RDONLY | os.O_EXCL)
    cleanup.callback(os.close, holder)
    assert "exclusively" in refusal(loop)


def test_links_and_by_id_names_lead_to_the_same_answer(loop: Path, tmp_path: Path, cleanup: ExitStack) -> None:
    by_id = tmp_path / "dev/disk/by-id"
    by_id.mkdir(parents=True)
    name = by_id / "scsi-0PLIMSOLL_disk-1"
    name.symlink_to(os.path.relpath(loop, by_id))
    chained = tmp_path / "my disk"
    chained.symlink_to(name)
    device.check(Target(name="t", kind="device", where=str(chained)), writes=True, destroy=consent_for(loop))
    run(need_program("mkfs.ext4"), "-q", loop)
    mount(chained, tmp_path / "here", cleanup)
    for path in (name, chained):
        message = refusal(path)
        assert str(path) in message
        assert f"{loop} is mounted" in message


def test_a_second_node_of_the_same_device(loop: Path, tmp_path: Path, cleanup: ExitStack) -> None:
    node = tmp_path / "node"
    os.mknod(node, 0o600 | 0o060000, os.stat(loop).st_rdev)
    run(need_program("mkfs.ext4"), "-q", loop)
    mount(loop, tmp_path / "here", cleanup)
    assert f"{loop} is mounted" in refusal(node)


def test_what_is_no_device(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    broken = tmp_path / "broken"
    broken.symlink_to(tmp_path / "nowhere")
    for path, words in ((file, "not a block device"), (broken, "broken link"), (tmp_path / "none", "check the path")):
        with pytest.raises(TargetError, match=words):
            find_device(path)


def test_a_claimed_device_cannot_be_mounted(loop: Path, tmp_path: Path) -> None:
    image = tmp_path / "there"
    image.mkdir()
    with claim(loop, consent_for(loop)):
        # Written after the check, as a test would.
        run(need_program("mkfs.ext4"), "-q", "-F", find_device(loop).backing_file)
        assert subprocess.run(["mount", loop, image], capture_output=True).returncode != 0


def test_a_device_is_locked_for_one_session(loop: Path) -> None:
    with lock(loop), pytest.raises(TargetError, match=f"process {os.getpid()}"), lock(loop):
        pass
    with lock(loop):
        pass


def test_the_lock_goes_with_its_process(tmp_path: Path) -> None:
    program = (
        "import sys, time\nfrom pathlib import Path\nfrom plimsoll.targets.lock import lock\n"
        "with lock(Path(sys.argv[1])):\n    print('held', flush=True)\n    time.sleep(60)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", program, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        with pytest.raises(TargetError, match=f"process {process.pid}"), lock(tmp_path):
            pass
        process.send_signal(signal.SIGKILL)
        process.wait()
        with lock(tmp_path):
            pass
    finally:
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()
