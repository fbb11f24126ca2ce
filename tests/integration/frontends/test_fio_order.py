"""The order of `plimsoll fio`'s calls beside fio's: gaps, several files, batches, and what is told of them."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from tests.conftest import need_program
from tests.integration.frontends.conftest import Command, Original
from tests.integration.run.conftest import PLIMSOLL

SMALL = ("--name=t", "--size=96k", "--bs=4k", "--ioengine=psync")


def calls_of_fio(disk: Path, original: Original, words: tuple[str, ...]) -> list[tuple[str, str, int]]:
    """File, call and offset of each operation, from fio's own log of them."""
    original("fio", *SMALL, *words, "--write_iolog=log")
    found = []
    for line in (disk / "log").read_text().splitlines():
        # Version 3 has a time in front.
        match = re.fullmatch(r"\d+ (\S+) (write|sync) (\d+) (\d+)", line)
        if match:
            found.append((Path(match[1]).name, match[2], 0 if match[2] == "sync" else int(match[3])))
    for data in disk.glob("t.*"):
        data.unlink()
    return found


def calls_of_plimsoll(disk: Path, words: tuple[str, ...], tmp_path: Path) -> list[tuple[str, str, int]]:
    """The same from strace: descriptors by the paths that they were opened with."""
    trace = tmp_path / "trace"
    command = [need_program("strace"), "-f", "-y", "-e", "trace=pwrite64,fsync", "-o", str(trace)]
    subprocess.run([*command, str(PLIMSOLL), "fio", *SMALL, *words], cwd=disk, check=True, capture_output=True)
    found = []
    for line in trace.read_text().splitlines():
        match = re.search(r"(pwrite64|fsync)\(\d+<[^>]*/(t\.0\.\d)>(?:.*, (\d+)\))?", line)
        if match:
            kind = {"pwrite64": "write", "fsync": "sync"}[match[1]]
            found.append((match[2], kind, 0 if kind == "sync" else int(match[3])))
    return found


@pytest.mark.parametrize(
    "words",
    [
        ("--rw=write:4k", "--nrfiles=3", "--fsync=2"),
        ("--rw=write", "--nrfiles=2", "--file_service_type=roundrobin:4", "--io_size=144k"),
    ],
)
def test_calls_are_those_of_fio(disk: Path, original: Original, tmp_path: Path, words: tuple[str, ...]) -> None:
    theirs = calls_of_fio(disk, original, words)
    ours = calls_of_plimsoll(disk, words, tmp_path)
    assert len(theirs) > 24
    # fio leaves out the sync after its last write.
    assert ours[: len(theirs)] == theirs
    assert len(ours) - len(theirs) <= 1


def test_batches_are_those_of_fio(disk: Path, tmp_path: Path) -> None:
    words = ("--name=t", "--size=1m", "--rw=randread", "--direct=1", "--ioengine=libaio", "--iodepth=16")
    words += ("--iodepth_batch_submit=8", "--iodepth_batch_complete_min=4", "--iodepth_batch_complete_max=16")
    strace = [need_program("strace"), "-f", "-e", "trace=io_submit,io_getevents", "-o", str(tmp_path / "trace")]

    def batches(*command: str) -> tuple[set[int], set[int]]:
        subprocess.run([*strace, *command, *words], cwd=disk, check=True, capture_output=True)
        text = (tmp_path / "trace").read_text()
        submitted = {int(each) for each in re.findall(r"io_submit\(0x\w+, (\d+)", text)}
        asked = {int(each) for each in re.findall(r"io_getevents\(0x\w+, (\d+)", text)}
        return submitted, asked

    need_program("fio")
    theirs = batches("fio")
    (disk / "t.0.0").unlink()
    ours = batches(str(PLIMSOLL), "fio")
    assert max(ours[0]) == max(theirs[0]) == 8
    assert 4 in ours[1] & theirs[1]


@pytest.mark.parametrize("unified", ["mixed", "both"])
def test_directions_together_have_the_keys_and_counts_of_fio(
    disk: Path, plimsoll: Command, original: Original, unified: str
) -> None:
    words = (*SMALL, "--rw=randrw", "--nrfiles=3", "--file_service_type=random", f"--unified_rw_reporting={unified}")
    theirs = json.loads(original("fio", *words, "--output-format=json"))["jobs"][0]
    fields = len(original("fio", *words, "--output-format=terse").split(";"))
    for data in disk.glob("t.*"):
        data.unlink()
    ours = plimsoll("fio", *words, "--output-format=json", cwd=disk).json["jobs"][0]
    # fio says when a job began since 3.35.
    assert [name for name in ours if name != "job_start"] == [name for name in theirs if name != "job_start"]
    assert (ours["mixed"]["total_ios"], ours["mixed"]["io_bytes"]) == (24, 24 * 4096)
    if unified == "both":
        assert ours["mixed"]["total_ios"] == ours["read"]["total_ios"] + ours["write"]["total_ios"]
        assert ours["mixed"]["lat_ns"]["max"] == max(ours[kind]["lat_ns"]["max"] for kind in ("read", "write"))
    text = plimsoll("fio", *words, "--output-format=normal,terse", cwd=disk).out
    assert "  mixed: IOPS=" in text
    assert "  MIXED: bw=" in text
    # As with fio, the terse line stands before the text, whichever format is named first.
    terse, _ = text.split("\n\n", 1)
    assert len(terse.splitlines()[-1].split(";")) == fields


def test_jobs_add_to_a_log_that_they_share(disk: Path, plimsoll: Command, original: Original) -> None:
    words = ("--name=t", "--size=64k", "--rw=write", "--numjobs=2", "--per_job_logs=0", "--write_lat_log=run")
    original("fio", *words)
    original("fio", *words)
    theirs = (disk / "run_lat.log").read_text().splitlines()
    for made in (*disk.glob("t.*"), *disk.glob("run*")):
        made.unlink()
    for _ in range(2):
        plimsoll("fio", *words, cwd=disk)
    ours = (disk / "run_lat.log").read_text().splitlines()
    assert len(ours) == len(theirs) == 4 * 16
    assert all(re.fullmatch(r"\d+, \d+, 1, 4096, 0", line) for line in ours)


def test_a_latency_target_is_told_as_fio_tells_it(disk: Path, plimsoll: Command, original: Original) -> None:
    words = ("--name=t", "--size=1g", "--rw=randread", "--ioengine=null", "--iodepth=8", "--time_based", "--runtime=2")
    words += ("--latency_target=10s", "--latency_window=5ms", "--latency_percentile=99", "--output-format=json")
    told = ("latency_depth", "latency_target", "latency_percentile", "latency_window")
    theirs = json.loads(original("fio", *words))["jobs"][0]
    ours = plimsoll("fio", *words, cwd=disk).json["jobs"][0]
    # Nothing takes ten seconds: the depth that was asked for is found.
    assert {name: ours[name] for name in told} == {name: theirs[name] for name in told}
    assert ours["latency_depth"] == 8
    # In a microsecond nothing is done, as in a longer window on a busy machine: that is no failure of a depth.
    words = tuple("--latency_window=1us" if "window" in word else word for word in words)
    # (fio 3.33 itself gives up at a depth of 1 there, one time in twenty.)
    assert plimsoll("fio", *words, cwd=disk).json["jobs"][0]["latency_depth"] == 8
    late = ("--name=u", "--size=1m", "--rw=randread", "--direct=1", "--time_based", "--runtime=5")
    answer = plimsoll("fio", *late, "--latency_target=1us", "--latency_window=50ms", cwd=disk, check=3)
    assert "with one operation in flight" in answer.err
