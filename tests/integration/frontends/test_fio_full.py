"""`plimsoll fio` on a full file system: errors that are let pass, and files that are as long as there is room."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import need_program, need_root
from tests.integration.frontends.conftest import Command

JSON = "--output-format=json"
SIZE = 4 * 2**20


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A file system of 4 MiB."""
    need_root()
    where = tmp_path / "small"
    where.mkdir()
    mount = [need_program("mount"), "-t", "tmpfs", "-o", f"size={SIZE}", "plimsoll-test", str(where)]
    subprocess.run(mount, check=True)
    yield where
    subprocess.run([need_program("umount"), "-l", str(where)], check=True)


def fio(where: Path, *words: str) -> dict[str, Any]:
    """fio's own JSON of its one job, with its exit code."""
    done = subprocess.run([need_program("fio"), *words, JSON], cwd=where, capture_output=True, text=True, timeout=60)
    (job,) = json.loads(done.stdout[done.stdout.index("{\n") :])["jobs"]
    return {**job, "code": done.returncode}


TOLD = ("error", "total_err", "first_error")


@pytest.mark.parametrize(
    ("words", "fails"),
    [
        (("--ignore_error=,ENOSPC",), False),
        (("--continue_on_error=read", "--ignore_error=,28:122"), False),
        # What comes last counts.
        (("--ignore_error=,28", "--continue_on_error=read"), True),
        (("--continue_on_error=io",), True),
        (("--ignore_error=ENOSPC",), True),
    ],
)
def test_errors_in_the_list_are_counted_and_others_end_the_job_as_with_fio(
    small: Path, plimsoll: Command, words: tuple[str, ...], fails: bool
) -> None:
    job = ("--name=t", "--filename=f", "--size=8m", "--bs=64k", "--rw=write", "--fallocate=none", *words)
    theirs = fio(small, *job)
    (small / "f").unlink()
    done = plimsoll("fio", *job, JSON, cwd=small, check=None)
    (ours,) = done.json["jobs"]
    assert (theirs["code"] != 0, done.code != 0) == (fails, fails)
    assert [ours.get(name) for name in TOLD] == [theirs.get(name) for name in TOLD]
    for field in ("total_ios", "io_bytes"):
        assert ours["write"][field] == theirs["write"][field]


def test_a_file_is_written_until_there_is_no_room_and_then_verified(small: Path, plimsoll: Command) -> None:
    (small / "scan.fio").write_text(
        "[global]\nbs=64k\nfilename=data\nverify=meta\nverify_pattern=0xaa555aa5\nverify_interval=512\n"
        "[write-phase]\nrw=write\nfill_device=1\ndo_verify=0\n"
        "[verify-phase]\nstonewall\ncreate_serialize=0\nrw=read\ndo_verify=1\n"
    )
    written, verified = plimsoll("fio", "scan.fio", JSON, cwd=small).json["jobs"]
    length = (small / "data").stat().st_size
    assert SIZE - 2**17 <= length <= SIZE
    assert written["write"]["io_bytes"] == length // 65536 * 65536
    assert (verified["read"]["total_ios"], verified["error"]) == (length // 65536, 0)
    # One byte in the middle.
    with (small / "data").open("r+b") as file:
        file.seek(length // 2 + 100)
        file.write(b"?")
    again = ("--name=again", "--filename=data", "--bs=64k", "--verify=meta", "--verify_pattern=0xaa555aa5")
    done = plimsoll("fio", *again, "--verify_interval=512", "--rw=read", JSON, cwd=small, check=3)
    assert done.json["jobs"][0]["error"] == 84


def test_a_log_that_finds_no_room_is_named(small: Path, plimsoll: Command) -> None:
    job = ("--name=t", "--filename=f", "--size=8m", "--rw=write", "--fallocate=none", "--ignore_error=,ENOSPC")
    # The job fills the file system, its log has a line for each of 2048 operations.
    done = plimsoll("fio", *job, "--loops=4", "--write_lat_log=x", cwd=small, check=2)
    assert "cannot write the log x_" in done.err
    assert "No space left on device" in done.err


def test_what_is_not_there_is_read_without_a_layout(small: Path, plimsoll: Command) -> None:
    job = ("--name=t", "--filename=f", "--size=8m", "--rw=randread", "--create_on_open=1", "--ioengine=libaio")
    theirs = fio(small, *job)
    (small / "f").unlink()
    done = plimsoll("fio", *job, "--output-format=json", cwd=small)
    assert done.json["jobs"][0]["read"]["total_ios"] == theirs["read"]["total_ios"] == 2048
    assert (small / "f").stat().st_blocks == 0


def test_what_reads_fills_its_file_first(small: Path, plimsoll: Command) -> None:
    words = ("--name=t", "--filename=f", "--fill_device=1", "--rw=randread", "--bs=4k", JSON)
    (job,) = plimsoll("fio", *words, cwd=small).json["jobs"]
    length = (small / "f").stat().st_size
    assert SIZE - 2**17 <= length <= SIZE
    assert job["read"]["io_bytes"] == length // 4096 * 4096
