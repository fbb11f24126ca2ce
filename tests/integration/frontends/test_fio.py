"""`plimsoll fio` beside fio: the same job file through both, key by key and count by count."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import need
from tests.integration.frontends.conftest import Command, Original

JOBS = """
[global]
size=2m
bs=4k
ioengine=libaio
direct=1
[one]
rw=randread
iodepth=4
[two]
stonewall
rw=randrw
rwmixread=75
numjobs=2
group_reporting
[three]
stonewall
rw=write
ioengine=psync
fdatasync=8
[four]
stonewall
rw=read
bs=64k
io_size=1000k
number_ios=9
"""


NEWER = {"/jobs[]/job_start", "/disk_util[]/read_sectors", "/disk_util[]/write_sectors"}
"""What fio says since 3.35."""


def keys(value: Any, path: str = "") -> set[str]:
    """Paths of all keys; those of bins are values."""
    found: set[str] = set()
    if isinstance(value, dict) and not path.endswith(("/bins", "/percentile")):
        for key, each in value.items():
            found |= {f"{path}/{key}"} | keys(each, f"{path}/{key}")
    if isinstance(value, list):
        for each in value:
            found |= keys(each, f"{path}[]")
    return found


@pytest.mark.parametrize("form", ["json", "json+"])
def test_json_has_the_keys_and_counts_of_fio(form: str, disk: Path, plimsoll: Command, original: Original) -> None:
    (disk / "jobs.fio").write_text(JOBS)
    theirs = json.loads(original("fio", "jobs.fio", f"--output-format={form}"))
    for data in disk.glob("*.0"):
        data.unlink()
    ours = plimsoll("fio", "jobs.fio", f"--output-format={form}", cwd=disk).json
    assert keys(ours) - NEWER == keys(theirs) - NEWER
    for mine, other in zip(ours["jobs"], theirs["jobs"], strict=True):
        same = ("jobname", "groupid", "error", "job options", "latency_depth")
        assert {name: mine[name] for name in same} == {name: other[name] for name in same}
        total, bytes_moved = (sum(mine[kind][name] for kind in ("read", "write")) for name in ("total_ios", "io_bytes"))
        assert total == sum(other[kind]["total_ios"] for kind in ("read", "write"))
        assert bytes_moved == sum(other[kind]["io_bytes"] for kind in ("read", "write"))
        if mine["jobname"] != "two":  # which of them are reads is chance
            assert mine["read"]["total_ios"] == other["read"]["total_ios"]
        # fio never does the sync after the last write.
        assert abs(mine["sync"]["lat_ns"]["N"] - other["sync"]["lat_ns"]["N"]) <= 1
        assert list(mine["read"]["clat_ns"].get("percentile", {})) == list(
            other["read"]["clat_ns"].get("percentile", {})
        )


@pytest.mark.parametrize("version", ["3", "4", "5"])
def test_terse_has_the_fields_of_fio(version: str, disk: Path, plimsoll: Command, original: Original) -> None:
    words = ("--name=t", "--size=1m", "--rw=randread", "--output-format=terse", f"--terse-version={version}")
    theirs = original("fio", *words).strip().split(";")
    (disk / "t.0.0").unlink()
    ours = plimsoll("fio", *words, cwd=disk).out.strip().split(";")
    assert len(ours) == len(theirs)
    assert ours[:6] == theirs[:6]


def shape(text: str) -> list[str]:
    """The lines without numbers, and without those that fio leaves out when there is nothing in them."""
    lines = [re.sub(r"[\d.]+[kMGT]?i?", "#", line).strip() for line in text.splitlines()]
    optional = (
        "slat",
        "lat (",
        "bw (",
        "iops  ",
        "|",
        "clat percentiles",
        "t: Laying",
        "clat (",
        "Starting",
    )
    return [re.sub(r"pid=.*", "", line) for line in lines if line and not line.startswith(optional)]


def test_text_has_the_lines_of_fio(disk: Path, plimsoll: Command, original: Original) -> None:
    words = ("--name=t", "--size=4m", "--rw=write", "--ioengine=psync")
    theirs = original("fio", *words)
    (disk / "t.0.0").unlink()
    ours = plimsoll("fio", *words, cwd=disk).out

    def plain(text: str) -> list[str]:
        return [re.sub(r"\w*B/s|\w*B\b|\bsec|[mun]sec", "U", re.sub(r"\s+", " ", line)) for line in shape(text)]

    assert plain(ours) == plain(theirs)


def test_runs_are_in_the_store_and_our_importer_reads_the_output(disk: Path, plimsoll: Command) -> None:
    (disk / "jobs.fio").write_text(JOBS)
    plimsoll("fio", "jobs.fio", "--output-format=json", "--output=out.json", cwd=disk)
    shown = plimsoll("show", "--json").out
    for name in ("one", "two", "three", "four"):
        assert f'"{name}"' in shown
    answer = plimsoll("import", disk / "out.json")
    assert "4 new runs" in answer.out + answer.err
    assert len(plimsoll("list", "sessions", "--json").json) == 2


def test_logs(disk: Path, plimsoll: Command) -> None:
    kinds = ("bw", "lat", "iops", "hist")
    words = [f"--write_{kind}_log=run" for kind in kinds]
    words += ["--name=t", "--size=1m", "--runtime=1", "--time_based", "--log_avg_msec=200", "--log_hist_msec=200"]
    plimsoll("fio", *words, cwd=disk)
    for kind in ("bw", "iops", "clat", "lat"):
        rows = [line.split(", ") for line in (disk / f"run_{kind}.1.log").read_text().splitlines()]
        assert 1 <= len(rows) <= 5  # a busy machine may do nothing for a while
        assert all(len(row) == 5 and int(row[1]) > 0 and row[2] == "0" for row in rows)
    assert len((disk / "run_clat_hist.1.log").read_text().splitlines()[0].split(", ")) == 3 + 29 * 64


def test_what_is_there_is_not_overwritten(disk: Path, plimsoll: Command) -> None:
    precious = disk / "precious"
    precious.write_text("years of work")
    words = ("fio", "--name=t", "--filename=precious", "--size=64k", "--rw=write", "--output-format=json")
    answer = plimsoll(*words, cwd=disk, check=2)
    assert "--destroy precious" in answer.err
    assert precious.read_text() == "years of work"
    plimsoll(*words, "--destroy=precious", cwd=disk)
    assert precious.stat().st_size == 65536


def _keeps_attributes(folder: Path) -> bool:
    try:
        os.setxattr(folder, "user.test", b"1")
    except OSError:
        return False
    return True


def test_a_file_of_our_own_is_written_again(disk: Path, plimsoll: Command) -> None:
    need(_keeps_attributes(disk), "a temporary folder with extended attributes")
    for _ in range(2):
        plimsoll("fio", "--name=t", "--size=64k", "--rw=write", "--output-format=terse", cwd=disk)


def test_faults_end_in_a_reason(disk: Path, plimsoll: Command) -> None:
    cases = {
        ("--name=t", "--size=9000t", "--rw=write"): "free some space",
        ("--name=t",): "size=",
        ("--name=t", "--size=1m", "--direct=1", "--bs=1000"): "multiples",
        ("--name=t", "--size=1m", "--directory=nowhere"): "no directory",
        ("--name=t", "--size=1m", "--ioengine=psync", "--rw=write", "--readonly"): "--readonly",
        ("none.fio",): "job file",
    }
    for words, reason in cases.items():
        answer = plimsoll("fio", *words, cwd=disk, check=None)
        assert answer.code in (2, 3), words
        assert reason in answer.err, answer.err


def test_jobs_of_a_group_run_side_by_side_and_exitall_ends_them(disk: Path, plimsoll: Command) -> None:
    words = (
        "--time_based", "--runtime=1000", "--size=64k", "--rw=randread", "--name=long",
        "--name=short", "--runtime=1", "--exitall",
    )  # fmt: skip
    jobs = plimsoll("fio", *words, "--output-format=json", cwd=disk).json["jobs"]
    assert [job["jobname"] for job in jobs] == ["long", "short"]
    assert all(500 < job["read"]["runtime"] < 500_000 for job in jobs)


def test_steady_state_ends_a_job(disk: Path, plimsoll: Command) -> None:
    words = ("--name=t", "--size=64k", "--time_based", "--runtime=1000", "--ss=iops:900%", "--ss_dur=2")
    (job,) = plimsoll("fio", *words, "--output-format=json", cwd=disk).json["jobs"]
    assert job["steadystate"]["attained"] == 1
    assert job["read"]["runtime"] < 500_000
    assert len(job["steadystate"]["data"]["iops"]) == 2


def test_a_status_is_a_whole_document_now_and_then(disk: Path, plimsoll: Command) -> None:
    words = ("--rw=randread", "--time_based", "--runtime=2", "--status-interval=200ms", "--output-format=json")
    text = plimsoll("fio", "--name=t", "--size=1m", *words, "--name=next", "--stonewall", "--size=1m", cwd=disk).out
    documents, decoder = [], json.JSONDecoder()
    while text := text.strip():
        document, end = decoder.raw_decode(text)
        documents.append(document)
        text = text[end:]
    assert len(documents) >= 2
    counts = [document["jobs"][0]["read"]["total_ios"] for document in documents]
    assert counts == sorted(counts)
    assert [job["jobname"] for job in documents[0]["jobs"]] == ["t", "next"]
    assert documents[0]["jobs"][1]["read"]["total_ios"] == 0
    assert documents[-1]["jobs"][1]["read"]["total_ios"] == 256


def test_a_job_below_its_least_rate_fails(disk: Path, plimsoll: Command) -> None:
    words = ("--time_based", "--runtime=60", "--rate_iops_min=100m", "--rate_cycle=100")
    answer = plimsoll("fio", "--name=t", "--size=1m", *words, cwd=disk, check=None)
    assert answer.code == 1
    assert re.search(r"t: rate_iops_min=104857600 not met, got \d+ IOPS", answer.err)
    assert "err= 5 (Input/output error)" in answer.out
