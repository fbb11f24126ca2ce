"""Jobs of `plimsoll fio` that depend on each other, and on what earlier ones left: by the rules of fio."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.integration.frontends.conftest import Command, Original

JSON = "--output-format=json"


def jobs_of(document: Any) -> dict[str, Any]:
    return {job["jobname"]: job for job in document["jobs"]}


def test_sections_keep_their_names(disk: Path, plimsoll: Command, original: Original) -> None:
    (disk / "jobs.fio").write_text("[global]\nname=shared\nioengine=null\nsize=1m\n[a]\n[b]\nname=own\n")
    theirs = [job["jobname"] for job in json.loads(original("fio", "jobs.fio", JSON))["jobs"]]
    ours = [job["jobname"] for job in plimsoll("fio", "jobs.fio", JSON, cwd=disk).json["jobs"]]
    assert ours == theirs == ["a", "own"]


def test_a_latency_target_ends_with_the_size(disk: Path, plimsoll: Command, original: Original) -> None:
    words = ("--name=t", "--filename=f", "--size=1m", "--rw=randread", "--ioengine=libaio", "--iodepth=8", JSON)
    target = ("--latency_target=10s", "--latency_window=1s", "--latency_percentile=99")
    theirs = json.loads(original("fio", *words, *target))["jobs"][0]["read"]["total_ios"]
    ours = plimsoll("fio", *words, *target, "--destroy=f", cwd=disk).json["jobs"][0]["read"]["total_ios"]
    assert ours == theirs == 256


def test_a_job_waits_for_those_of_another_name(disk: Path, plimsoll: Command) -> None:
    words = ("--ioengine=null", "--size=1m", "--time_based", "--runtime=1", JSON)
    found = jobs_of(
        plimsoll("fio", *words, "--name=first", "--numjobs=2", "--group_reporting", "--name=second",
                 "--wait_for=first", "--new_group", cwd=disk).json
    )  # fmt: skip
    assert found["second"]["job_start"] >= found["first"]["job_start"] + 1000


@pytest.mark.parametrize(("what", "left"), [("group", {"short", "long", "last"}), ("all", {"short", "long"})])
def test_the_end_of_a_job_ends_what_it_is_to_end(what: str, left: set[str], disk: Path, plimsoll: Command) -> None:
    words = ("--ioengine=null", "--size=1g", "--time_based", JSON, f"--exit_what={what}", "--exitall")
    names = ("--name=short", "--runtime=1", "--name=long", "--runtime=3", "--name=last", "--stonewall", "--runtime=1")
    found = jobs_of(plimsoll("fio", *words, *names, cwd=disk).json)
    assert {name for name, job in found.items() if job["read"]["total_ios"]} == left
    assert found["long"]["read"]["runtime"] < 2500


def test_jobs_of_other_groups_go_on(disk: Path, plimsoll: Command) -> None:
    words = ("--ioengine=null", "--size=1g", "--time_based", JSON, "--exitall", "--name=short", "--runtime=1")
    found = jobs_of(plimsoll("fio", *words, "--name=other", "--new_group", "--runtime=2", cwd=disk).json)
    assert found["other"]["read"]["runtime"] >= 2000


def test_jobs_of_one_flow_keep_their_ratio(disk: Path, plimsoll: Command) -> None:
    shared = ("--ioengine=null", "--size=100m", "--flow_id=1", "--write_iops_log=each", "--log_unix_epoch=1")
    one = ("--name=one", "--flow=1", "--rate_iops=50", "--number_ios=50")
    plimsoll("fio", *shared, *one, "--name=eight", "--flow=8", "--number_ios=400", cwd=disk)
    ones, eights = times(disk / "each_iops.1.log"), times(disk / "each_iops.2.log")
    assert (len(ones), len(eights)) == (50, 400)
    # However slow the machine is, neither is ever more than the one operation ahead that it has under way.
    assert all(done_by(ones, moment) + 1 >= before / 8 for before, moment in enumerate(eights))
    assert all(done_by(eights, moment) + 1 >= before * 8 for before, moment in enumerate(ones))


def times(log: Path) -> list[int]:
    return [int(line.split(", ")[0]) for line in log.read_text().splitlines()]


def done_by(moments: list[int], moment: int) -> int:
    """By the logs, whose milliseconds are rounded twice."""
    return sum(each <= moment + 2 for each in moments)


def test_what_one_invocation_wrote_another_verifies(disk: Path, plimsoll: Command) -> None:
    shared = ("--name=t", "--filename=data", "--size=1m", "--bs=4k", "--verify=crc32c", JSON)
    plimsoll("fio", *shared, "--rw=randwrite", "--do_verify=0", cwd=disk)
    for words in (("--rw=read",), ("--rw=randread", "--bs=4k"), ("--rw=randwrite", "--verify_only")):
        (job,) = plimsoll("fio", *shared, *words, cwd=disk).json["jobs"]
        assert (job["read"]["total_ios"], job["write"]["total_ios"], job["error"]) == (256, 0, 0)
    (job,) = plimsoll("fio", *shared, "--rw=read", "--loops=2", cwd=disk).json["jobs"]
    assert job["read"]["io_bytes"] == 2 * 2**20
    with (disk / "data").open("r+b") as data:
        data.seek(5 * 4096 + 100)
        data.write(b"!")
    answer = plimsoll("fio", *shared, "--rw=read", cwd=disk, check=None)
    assert answer.code != 0
    assert "20480" in answer.err


def test_a_pattern_is_written_and_verified(disk: Path, plimsoll: Command) -> None:
    (disk / "pattern").write_bytes(bytes(range(256)) * 64)
    shared = ("--name=t", "--filename=data", "--size=16k", "--bs=16k", JSON)
    plimsoll("fio", *shared, "--rw=write", "--buffer_pattern='pattern'", cwd=disk)
    assert (disk / "data").read_bytes() == (disk / "pattern").read_bytes()
    check = ("--rw=read", "--verify=pattern", "--verify_pattern='pattern'")
    plimsoll("fio", *shared, *check, cwd=disk)
    (disk / "data").write_bytes(bytes(16384))
    assert plimsoll("fio", *shared, *check, cwd=disk, check=None).code != 0


def test_a_job_that_was_cut_short_is_verified_as_far_as_it_came(disk: Path, plimsoll: Command) -> None:
    shared = ("--name=t", "--filename=data", "--size=1m", "--bs=4k", "--verify=md5", JSON)
    plimsoll("fio", *shared, "--rw=write", "--number_ios=100", "--do_verify=0", "--verify_state_save=1", cwd=disk)
    (job,) = plimsoll("fio", *shared, "--rw=read", "--verify_state_load=1", cwd=disk).json["jobs"]
    assert (job["read"]["total_ios"], job["error"]) == (100, 0)
    (disk / "local-t-0-verify.state").unlink()
    answer = plimsoll("fio", *shared, "--rw=read", "--verify_state_load=1", cwd=disk, check=2)
    assert "verify_state_save=1" in answer.err


def test_a_load_is_recorded_and_replayed(disk: Path, plimsoll: Command, original: Original) -> None:
    plimsoll("fio", "--name=t", "--size=256k", "--rw=randrw", "--fsync=8", "--write_iolog=load", cwd=disk)
    replay = ("--name=r", "--read_iolog=load", "--replay_no_stall=1", "--ioengine=psync", JSON)
    ours = plimsoll("fio", *replay, cwd=disk).json["jobs"][0]
    theirs = json.loads(original("fio", *replay))["jobs"][0]
    for kind in ("read", "write"):
        assert ours[kind]["total_ios"] == theirs[kind]["total_ios"] > 0
        assert ours[kind]["io_bytes"] == theirs[kind]["io_bytes"]


def offsets(path: Path) -> list[int]:
    return [int(line.split(", ")[4]) for line in path.read_text().splitlines()]


@pytest.mark.parametrize(
    "words",
    [
        ("--rw=read:-8k",),
        ("--rw=read", "--zonemode=strided", "--zonesize=16k", "--zoneskip=64k", "--io_size=128k"),
        ("--rw=read", "--zonemode=strided", "--zonesize=8k", "--zonerange=16k", "--zoneskip=16k", "--io_size=64k"),
        # The last zone is cut short by the end of the file: behind what is read of it, or before.
        ("--rw=read", "--zonemode=strided", "--zonesize=8k", "--zonerange=64k", "--zoneskip=16k", "--io_size=128k"),
        ("--rw=read", "--zonemode=strided", "--zonesize=32k", "--zonerange=64k", "--zoneskip=16k", "--io_size=512k"),
        ("--rw=trimwrite",),
    ],
)
def test_offsets_are_those_of_fio(words: tuple[str, ...], disk: Path, plimsoll: Command, original: Original) -> None:
    shared = ("--name=t", "--filename=f", "--size=256k", "--ioengine=null", "--write_bw_log=x", "--log_offset=1")
    original("fio", *shared, *words)
    theirs = offsets(disk / "x_bw.1.log")
    (disk / "x_bw.1.log").unlink()
    plimsoll("fio", *shared, *words, cwd=disk)
    assert offsets(disk / "x_bw.1.log") == theirs


def test_bandwidth_of_all_jobs_together(disk: Path, plimsoll: Command) -> None:
    words = ("--ioengine=null", "--size=1m", "--time_based", "--runtime=2", "--rate=1m", "--rw=read")
    plimsoll("fio", *words, "--name=a", "--name=b", "--bandwidth-log", cwd=disk)
    rows = [line.split(", ") for line in (disk / "agg-read_bw.log").read_text().splitlines()]
    assert len(rows) == 2
    assert all(1500 < int(row[1]) < 2500 for row in rows)
    assert (disk / "agg-write_bw.log").exists()


def test_a_processor_is_kept_busy(disk: Path, plimsoll: Command) -> None:
    words = ("--name=burn", "--ioengine=cpuio", "--cpuload=30", "--cpuchunks=5000", "--time_based", "--runtime=2", JSON)
    (job,) = plimsoll("fio", *words, cwd=disk).json["jobs"]
    # As in fio, its operations are chunks of work.
    assert job["read"]["total_ios"] == job["read"]["clat_ns"]["N"] > 0
    assert job["read"]["io_bytes"] == 0
    assert 15 < job["usr_cpu"] + job["sys_cpu"] < 60


def test_devices_that_hold_nothing_are_read_and_written(disk: Path, plimsoll: Command) -> None:
    for words in (("--filename=/dev/null", "--rw=write"), ("--filename=/dev/zero", "--rw=randread")):
        (job,) = plimsoll("fio", "--name=t", *words, "--size=1m", "--bs=4k", JSON, cwd=disk).json["jobs"]
        assert job["read"]["total_ios"] + job["write"]["total_ios"] == 256
