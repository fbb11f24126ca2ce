"""Faults while a session runs: a clear reason, nothing lost, nothing left behind."""

from __future__ import annotations

import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from tests.conftest import need_program, need_root
from tests.integration.run.conftest import PLIMSOLL, SHORT, Command, leftovers


def data_file(disk: Path, size: int) -> Path:
    """The test file, as soon as it is laid out."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for path in disk.glob("plimsoll-*/data-*"):
            if path.stat().st_size >= size:
                return path
        time.sleep(0.01)
    raise AssertionError("no test file appeared")


def wait_until_measured(process: subprocess.Popen[str]) -> None:
    """Until a thread that issues I/O has read more than the one block that is read after laying out."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for thread in Path(f"/proc/{process.pid}/task").iterdir():
            with suppress(OSError):
                if (thread / "comm").read_text().startswith("plimsoll-io-") and _reads_on(thread):
                    return
        time.sleep(0.01)
    raise AssertionError("nothing was measured")


def _reads_on(thread: Path) -> bool:
    # Ticks of processor time in user and system mode, behind the name in brackets; engines without calls show there.
    ticks = (thread / "stat").read_text().rpartition(")")[2].split()[11:13]
    calls = re.search(r"^syscr: (\d+)$", (thread / "io").read_text(), re.MULTILINE)
    return sum(map(int, ticks)) >= 5 or (calls is not None and int(calls[1]) >= 10)


@pytest.mark.parametrize("engine", ["io_uring", "libaio", "psync", "mmap"])
def test_a_file_truncated_during_the_run_fails_the_run_with_a_reason(
    plimsoll: Command, disk: Path, engine: str
) -> None:
    process = subprocess.Popen(
        [PLIMSOLL, "run", "ping", "--on", f"here={disk},engine={engine},direct=no", "--set", "size=16MiB",
         "--set", "runtime=1h", "--set", "warmup=0s", "--blocks", "1", "--noisy-host"],
        cwd=disk.parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    path = data_file(disk, 16 * 2**20)
    wait_until_measured(process)
    with path.open("r+b") as file:
        file.truncate(0)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 3, err
    assert "offset" in err
    assert "Traceback" not in err
    assert leftovers(disk) == []
    (session,) = plimsoll("list", "sessions", "--json").json
    assert session["state"] == "done"


def test_a_file_deleted_during_the_run_harms_nothing(disk: Path) -> None:
    process = subprocess.Popen(
        [PLIMSOLL, "run", "ping", "--on", f"here={disk},engine=psync", "--set", "size=16MiB", "--set", "runtime=1s",
         "--set", "warmup=0s", "--noisy-host"],
        cwd=disk.parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    path = data_file(disk, 16 * 2**20)
    wait_until_measured(process)
    # The run does not end in the moment between.
    process.send_signal(signal.SIGSTOP)
    path.unlink()
    process.send_signal(signal.SIGCONT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert leftovers(disk) == []


@pytest.fixture
def loop(tmp_path: Path) -> Iterator[Path]:
    """A loop device of 64 MiB with nothing on it."""
    need_root()
    need_program("losetup")
    image = tmp_path / "image"
    with image.open("wb") as file:
        file.truncate(64 * 2**20)
    made = subprocess.run(
        ["losetup", "--find", "--show", "--direct-io=on", image], check=True, capture_output=True, text=True
    )
    device = Path(made.stdout.strip())
    yield device
    subprocess.run(["losetup", "-d", device], check=True)


def test_a_device_is_written_only_with_its_name_typed(plimsoll: Command, loop: Path) -> None:
    before = loop.read_bytes()
    refused = plimsoll("run", "randwrite", "--on", f"loop={loop}", *SHORT, check=2)
    assert "--destroy" in refused.err
    assert loop.read_bytes() == before
    identity = refused.err.split("--destroy ")[1].split()[0].strip("`'\".,;")
    plimsoll("run", "randwrite", "--on", f"loop={loop}", *SHORT, "--blocks", "1", "--destroy", "wrong", check=2)
    assert loop.read_bytes() == before
    plimsoll("run", "randwrite", "--on", f"loop={loop}", *SHORT, "--blocks", "1", "--destroy", identity)
    assert loop.read_bytes() != before


def test_a_device_is_read_without_asking(plimsoll: Command, loop: Path) -> None:
    before = loop.read_bytes()
    plimsoll("run", "ping", "--on", f"loop={loop}", *SHORT, "--blocks", "1", check=None)
    assert loop.read_bytes() == before
    too_large = plimsoll("run", "ping", "--on", f"loop={loop}", "--set", "size=1GiB", check=2)
    assert "64 MiB" in too_large.err


def test_a_device_with_a_file_system_is_never_written(plimsoll: Command, loop: Path) -> None:
    need_program("mkfs.ext4")
    subprocess.run(["mkfs.ext4", "-q", loop], check=True)
    refused = plimsoll("run", "randwrite", "--on", f"loop={loop}", *SHORT, "--destroy", "anything", check=2)
    assert "ext2/3/4" in refused.err
