"""File-system tests from the command line: the whole suite, its bounds on disk, and what can go wrong."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conftest import need_program, need_root
from tests.integration.run.conftest import PLIMSOLL, Command, leftovers, scored

TINY = (
    "--set", "timeout=60s", "--set", "scale=0.3%", "--set", "transactions=100", "--set", "inserts=4",
    "--set", "runtime=200ms", "--set", "warmup=50ms",
)  # fmt: skip


def test_the_suite_of_2013_runs_on_one_place(plimsoll: Command, disk: Path) -> None:
    answer = plimsoll("run", "phoronix-2013", "--on", f"a={disk}", "--quick-sizes", *TINY, "--blocks", "1", "-q",
                      "--noisy-host", "--json")  # fmt: skip
    runs = scored(answer)
    assert len({run["case"] for run in runs}) >= 16
    assert {run["status"] for run in runs} <= {"ok", "invalid"}
    assert leftovers(disk) == []


def test_a_plan_says_what_will_lie_on_disk(plimsoll: Command, disk: Path) -> None:
    found = plimsoll("plan", "fs-mark", "--on", f"a={disk}", "--set", "files=10", "--json").json
    assert found["scratch_bytes"] == {"a": 10 * 2**20}
    text = plimsoll("plan", "fs-mark", "--on", f"a={disk}", "--set", "files=10").out
    assert "at most 10 MiB more while a file-system test runs" in text


def test_too_little_space_is_refused_before_anything_is_written(plimsoll: Command, disk: Path) -> None:
    answer = plimsoll("run", "fs-mark", "--on", f"a={disk}", "--set", "size=1TiB", check=2)
    assert "free" in answer.err
    assert leftovers(disk) == []


def test_128_clients_do_with_few_descriptors(plimsoll: Command, disk: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (128, hard))
    try:
        plimsoll("run", "dbench", "--on", f"a={disk}", "--set", "threads=128", "--set", "runtime=300ms",
                 "--set", "warmup=100ms", "--blocks", "1", "-q", "--noisy-host")  # fmt: skip
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert leftovers(disk) == []


def test_a_killed_test_leaves_nothing_after_the_next_command(plimsoll: Command, disk: Path) -> None:
    process = subprocess.Popen(
        [PLIMSOLL, "run", "postmark", "--on", f"a={disk}", "--set", "transactions=1000000", "-q"],
        cwd=disk.parent, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ,
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while len(list(disk.glob("plimsoll-*/*/*"))) < 20 and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert leftovers(disk)
    assert "removed" in plimsoll("list", "sessions").err
    assert leftovers(disk) == []


@pytest.fixture
def coarse(tmp_path: Path) -> Iterator[Path]:
    """A file system on a loop device with sectors of 4 KiB."""
    need_root()
    need_program("mkfs.ext4")
    image, mount = tmp_path / "image", tmp_path / "coarse"
    with image.open("wb") as file:
        file.truncate(64 * 2**20)
    mount.mkdir()
    words = ["losetup", "--find", "--show", "--sector-size", "4096", str(image)]
    device = subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()
    try:
        subprocess.run(["mkfs.ext4", "-q", device], check=True, capture_output=True)
        subprocess.run(["mount", device, str(mount)], check=True)
        try:
            yield mount
        finally:
            subprocess.run(["umount", str(mount)], check=True)
    finally:
        subprocess.run(["losetup", "--detach", device], check=True)


def test_blocks_smaller_than_a_sector_fail_with_what_to_change(plimsoll: Command, coarse: Path) -> None:
    words = ("--set", "size=8MiB", "--set", "record=512", "-q")
    answer = plimsoll("run", "aio-stress:direct", "--on", f"a={coarse}", *words, check=3)
    assert "leave direct off" in answer.err
    assert [path.name for path in coarse.iterdir()] == ["lost+found"]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Path]:
    """A file system that keeps its files in memory."""
    need_root()
    mount = tmp_path / "memory"
    mount.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", str(mount)], check=True)
    try:
        yield mount
    finally:
        subprocess.run(["umount", str(mount)], check=True)


def test_files_in_memory_are_told(plimsoll: Command, memory: Path) -> None:
    plimsoll("run", "fs-mark", "--on", f"a={memory}", "--set", "files=5", "--blocks", "1", "-q", "--noisy-host")
    assert "the files lie in memory (tmpfs)" in plimsoll("show", "--json").out.lower()
    assert leftovers(memory) == []
