"""Volumes whose requests come through io_uring: what holds of the others holds of them, and nothing of them is left."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conftest import need
from tests.integration.volumes.conftest import Machine, fio

from plimsoll.volumes import changes, registry
from plimsoll.volumes.registry import Volume

SWITCH = Path("/sys/module/fuse/parameters/enable_uring")


@pytest.fixture
def through_uring(machine: Machine) -> Iterator[Machine]:
    """The kernel offers it to servers that start meanwhile; it is offered to all, so tests take turns."""
    need(SWITCH.exists(), "FUSE over io_uring (Linux 6.14)")
    need(os.access(SWITCH, os.W_OK), f"the right to write {SWITCH}")
    with (Path(tempfile.gettempdir()) / "plimsoll-test-offer").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        before = SWITCH.read_text()
        SWITCH.write_text("Y")
        try:
            yield machine
        finally:
            SWITCH.write_text(before)


def server_of(volume: Volume) -> int:
    """The process that serves it; it has a ring."""
    server = registry.server(volume.folder)
    assert server is not None
    descriptors = [os.readlink(path) for path in Path(f"/proc/{server.pid}/fd").iterdir()]
    assert any("[io_uring]" in target for target in descriptors), descriptors
    return server.pid


def test_what_was_written_is_there_after_a_fault(through_uring: Machine) -> None:
    made = through_uring.create("ring", type="io2", iops=16000, size="16GiB", write_cache_bytes=64 * 2**20)
    server_of(made)
    words = ["--rw=randwrite", "--bs=4k-256k", "--size=64m", "--iodepth=64", "--verify=crc32c", "--verify_fatal=1"]
    assert fio(made.device, *words, "--end_fsync=1")["error"] == 0
    page = changes.statistics("ring")
    assert page["total_write_ops"] > 100
    assert page["plimsoll"]["transport"] == "io_uring"
    assert "through io_uring" in through_uring.plimsoll("volume", "stats", "ring").stdout
    lost = fio(made.device, "--rw=randwrite", "--bs=4k", "--size=1m", "--offset=1g")
    assert lost["error"] == 0
    assert changes.inject("ring", changes.fault("power-loss", {})) == 2**20
    assert fio(made.device, *words, "--verify_only")["error"] == 0
    through_uring.plimsoll("volume", "delete", "ring")
    assert through_uring.left() == []


def test_a_killed_server_is_swept(through_uring: Machine, tmp_path: Path) -> None:
    made = through_uring.create("victim")
    job = ["--rw=randrw", "--bs=4k", "--size=16m", "--iodepth=32", "--runtime=600", "--time_based"]
    words = ["fio", "--name=j", f"--filename={made.device}", "--ioengine=libaio", "--direct=1", *job]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=tmp_path) as running:
        end = time.monotonic() + 60
        while changes.statistics("victim")["total_write_ops"] < 100:
            assert time.monotonic() < end, "no load within a minute"
            time.sleep(0.02)
        os.kill(server_of(made), signal.SIGKILL)
        assert running.wait(timeout=60) != 0, "fio gets errors, not silence"
    assert "removed volume victim: its server is gone" in through_uring.plimsoll("volume", "list").stderr
