"""A file behind a mounted loop device is recognised under any name: bind mount, hard link, overlay."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.conftest import need, need_program, need_root
from tests.integration.run import starter
from tests.integration.safety.conftest import MakeLoop, run
from tests.integration.safety.test_device_safety import consent_for, mount, refusal

from plimsoll.errors import UnsafeTarget
from plimsoll.targets.safety import check_file, find_device

MIB = 2**20


def other_name_by_bind_mount(file: Path, tmp_path: Path, cleanup: ExitStack) -> Path:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    run("mount", "--bind", file.parent, elsewhere)
    cleanup.callback(run, "umount", elsewhere)
    return elsewhere / file.name


def other_name_by_hard_link(file: Path, tmp_path: Path, _cleanup: ExitStack) -> Path:
    link = tmp_path / "linked"
    os.link(file, link)
    return link


def other_name_by_overlay(file: Path, tmp_path: Path, cleanup: ExitStack) -> Path:
    merged, work, lower = (tmp_path / name for name in ("merged", "work", "lower"))
    for folder in (merged, work, lower):
        folder.mkdir()
    options = f"lowerdir={lower},upperdir={file.parent},workdir={work}"
    made = subprocess.run(["mount", "-t", "overlay", "overlay", "-o", options, merged], capture_output=True, text=True)
    need(made.returncode == 0, f"overlays on the temporary folder ({made.stderr.strip()})")
    cleanup.callback(run, "umount", merged)
    return merged / file.name


NAMES = (other_name_by_bind_mount, other_name_by_hard_link, other_name_by_overlay)


@pytest.fixture
def backing(tmp_path: Path) -> Path:
    need_root()
    need_program("losetup")
    folder = tmp_path / "images"
    folder.mkdir()
    file = folder / "disk"
    with file.open("wb") as image:
        image.truncate(32 * MIB)
    return file


def attach(file: Path, cleanup: ExitStack) -> Path:
    device = run("losetup", "--find", "--show", file)
    cleanup.callback(run, "losetup", "--detach", device)
    return Path(device)


@pytest.mark.parametrize("name", NAMES)
def test_the_same_file_under_another_name_is_refused_while_it_is_mounted(
    name: Callable[[Path, Path, ExitStack], Path], backing: Path, tmp_path: Path, cleanup: ExitStack
) -> None:
    other = attach(name(backing, tmp_path, cleanup), cleanup)
    mounted = attach(backing, cleanup)
    run(need_program("mkfs.ext4"), "-q", mounted)
    mount(mounted, tmp_path / "here", cleanup)
    message = refusal(other)
    assert f"{mounted} is mounted at {tmp_path / 'here'}" in message
    assert f"uses the same file {find_device(other).backing_file}" in message


def plimsoll(*words: str) -> subprocess.CompletedProcess[str]:
    return starter.run([*words], Path.cwd(), {**os.environ})


def test_a_file_of_its_own_is_no_reason(make_loop: MakeLoop) -> None:
    first, second = make_loop(32), make_loop(32)
    assert find_device(first).size_bytes == find_device(second).size_bytes
    words = ["run", "ping", "--on", f"d={first}", "--destroy", *consent_for(first), "--set", "max_operations=3"]
    check = plimsoll(*words, "--blocks", "1", "--noisy-host")
    assert "same file" not in check.stderr


@pytest.mark.parametrize("name", NAMES)
def test_a_file_that_a_mounted_device_is_made_of_is_protected_like_it(
    name: Callable[[Path, Path, ExitStack], Path], backing: Path, tmp_path: Path, cleanup: ExitStack
) -> None:
    other = name(backing, tmp_path, cleanup)
    check_file(other)
    mounted = attach(backing, cleanup)
    run(need_program("mkfs.ext4"), "-q", mounted)
    mount(mounted, tmp_path / "here", cleanup)
    with pytest.raises(UnsafeTarget, match=f"{mounted} is mounted at"):
        check_file(other)


def test_consent_does_not_open_the_file_of_a_mounted_device(backing: Path, tmp_path: Path, cleanup: ExitStack) -> None:
    mounted = attach(backing, cleanup)
    run(need_program("mkfs.ext4"), "-q", mounted)
    mount(mounted, tmp_path / "here", cleanup)
    words = ["fio", "--name=t", f"--filename={backing}", "--size=1m", "--rw=write", "--bs=4k"]
    done = plimsoll(*words, f"--destroy={backing}")
    assert done.returncode == 2
    assert f"{mounted} is mounted at" in done.stderr
    ping = plimsoll("ping", "-WWW", "-c", "1", f"--destroy={backing}", str(backing))
    assert ping.returncode == 2
    assert f"{mounted} is mounted at" in ping.stderr


def test_swap_space_in_a_file_is_protected(tmp_path: Path, cleanup: ExitStack) -> None:
    need_root()
    swap = tmp_path / "swap"
    swap.write_bytes(bytes(8 * MIB))
    swap.chmod(0o600)
    run(need_program("mkswap"), swap)
    check_file(swap)
    used = subprocess.run([need_program("swapon"), swap], capture_output=True, text=True)
    need(used.returncode == 0, f"swap in a file ({used.stderr.strip()})")
    cleanup.callback(run, "swapoff", swap)
    with pytest.raises(UnsafeTarget, match="swap space in use"):
        check_file(swap)
