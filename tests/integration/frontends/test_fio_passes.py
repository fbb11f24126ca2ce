"""fio's loops and `verify` beside fio: what is issued, in which order, and what of it is counted.

What fio 3.33 counts, tried with its binary: the reads that verify are reads of the result like any other (operations,
bytes, latencies, percentiles, samples, logs). The time of the writes is that of the passes without their reading back;
the time of the reads, in a job that only writes, is that of reading back alone; in mixed modes it is both. A sync that
is due after the last write of the job is left out, an fdatasync is no `issued` sync, and that of `end_fsync` takes
time, but is counted nowhere.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.integration.frontends.conftest import Command, Original
from tests.integration.frontends.test_fio_rules import both

SECTIONS = {
    "write": "rw=write",
    "random": "rw=randwrite",
    "loops": "rw=randwrite loops=3",
    "deep": "rw=randwrite loops=2 ioengine=libaio direct=1 iodepth=8",
    "unread": "rw=write do_verify=0",
    "backlog": "rw=write verify_backlog=5 loops=2",
    "batch": "rw=randwrite verify_backlog=7 verify_backlog_batch=3",
    "beyond": "rw=write io_size=96k",
    "within": "rw=write io_size=20k loops=5",
    "some": "rw=randwrite number_ios=9 loops=2",
    "gaps": "rw=write:4k",
    "pattern": "rw=write verify=pattern verify_pattern=0xdeadbeef loops=2",
    "clones": "rw=write new_group numjobs=2 group_reporting unified_rw_reporting=both",
    "files": "rw=randwrite nrfiles=4 loops=2",
    "syncs": "rw=write fsync=4 end_fsync=1",
    "odd": "rw=write fsync=3 loops=2",
    "data": "rw=write fdatasync=4 end_fsync=1",
    "two": "rw=write fsync=3 fdatasync=2",
    "ends": "rw=write end_fsync=1 loops=2",
    "plain": "rw=write verify=0 fsync=4 io_size=24k",
    "larger": "rw=randread verify=0 filesize=96k loops=4",
    "ordered": "rw=read verify=0 filesize=96k loops=4",
    "mixed": "rw=randrw",
}


def counted(job: dict[str, Any]) -> dict[str, Any]:
    """What has to be equal of one job."""
    flows = [kind for kind in ("read", "write", "mixed") if kind in job]
    if job["jobname"] == "mixed":  # how many of them write is chance; each of these is read back
        flows = ["read"]
    found = {kind: (job[kind]["total_ios"], job[kind]["io_bytes"], job[kind]["lat_ns"]["N"]) for kind in flows}
    percentiles = {f"{kind} percentiles": len(job[kind]["clat_ns"].get("percentile", {})) for kind in flows}
    syncs = (job["sync"]["total_ios"], job["sync"]["lat_ns"]["N"])
    return {**found, **percentiles, "syncs": syncs, "level": job["iodepth_level"]["1"] > 100, "error": job["error"]}


def test_what_is_counted_is_what_fio_counts(disk: Path, plimsoll: Command, original: Original) -> None:
    lines = ["[global]", "size=64k", "bs=4k", "ioengine=psync", "verify=crc32c"]
    for name, words in SECTIONS.items():
        # All at once: that takes no longer than one of them.
        lines += [f"[{name}]", *words.split()]
    (disk / "jobs").write_text("\n".join(lines))
    theirs = json.loads(original("fio", "jobs", "--output-format=json"))["jobs"]
    for data in disk.glob("*.*.*"):
        data.unlink()
    ours = plimsoll("fio", "jobs", "--output-format=json", cwd=disk).json["jobs"]
    assert {job["jobname"]: counted(job) for job in ours} == {job["jobname"]: counted(job) for job in theirs}


@pytest.mark.parametrize(
    "words",
    [
        ["--verify=crc32c", "--verify_backlog=3", "--fsync=2", "--rw=write"],
        ["--rw=read", "--filesize=128k", "--loops=5"],
    ],
)
def test_calls_are_in_fios_order_over_all_passes(disk: Path, words: list[str]) -> None:
    job = ["--name=t", "--filename=f", "--size=64k", "--bs=4k", "--ioengine=psync", *words]
    theirs, ours = both(disk, "f", job)
    assert len(ours) >= 32
    assert ours == theirs


def test_reading_back_has_a_time_of_its_own(disk: Path, plimsoll: Command) -> None:
    words = ("--name=t", "--size=128k", "--thinktime=1000", "--loops=2", "--verify=crc32c", "--output-format=json")
    (job,) = plimsoll("fio", *words, "--rw=write", cwd=disk).json["jobs"]
    # Each of 64 writes is followed by a millisecond of sleep; there is none after a read that verifies.
    assert job["write"]["runtime"] >= 64
    assert job["write"]["runtime"] + job["read"]["runtime"] <= job["job_runtime"] + 2
    (job,) = plimsoll("fio", *words, "--rw=randrw", cwd=disk).json["jobs"]
    assert job["read"]["runtime"] == job["job_runtime"] >= job["write"]["runtime"]


def test_every_read_that_verifies_has_a_line_in_a_log(disk: Path, plimsoll: Command, original: Original) -> None:
    words = ("--name=t", "--size=64k", "--rw=write", "--verify=crc32c", "--loops=2", "--write_lat_log=run")
    original("fio", *words)
    theirs = [line.split(", ")[2:4] for line in (disk / "run_lat.1.log").read_text().splitlines()]
    (disk / "t.0.0").unlink()
    plimsoll("fio", *words, cwd=disk)
    ours = [line.split(", ")[2:4] for line in (disk / "run_lat.1.log").read_text().splitlines()]
    assert ours == theirs
    assert len(ours) == 4 * 16


def test_files_that_no_operation_goes_to_are_told(disk: Path, plimsoll: Command) -> None:
    words = ("--name=t", "--size=64k", "--rw=randread", "--nrfiles=4", "--file_service_type=sequential")
    answer = plimsoll("fio", *words, "--norandommap", "--parse-only", "--verbose", cwd=disk)
    assert "stays in the first of 4 files" in answer.err
    assert not plimsoll("fio", *words, "--parse-only", cwd=disk).err
