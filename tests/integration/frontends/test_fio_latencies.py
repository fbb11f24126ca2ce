"""slat, clat and lat of `plimsoll fio`, in every format and log: what they are in fio, and left out where fio does."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.integration.frontends.conftest import Command, Original

LIBAIO = ("--name=t", "--size=1m", "--rw=randrw", "--ioengine=libaio", "--iodepth=4")


def parts(document: Any, kind: str = "read") -> list[dict[str, Any]]:
    return [document["jobs"][0][kind][f"{name}_ns"] for name in ("slat", "clat", "lat")]


@pytest.mark.parametrize("engine", ["libaio", "io_uring", "null"])
def test_a_latency_is_its_submission_and_its_completion(engine: str, disk: Path, plimsoll: Command) -> None:
    words = (*LIBAIO, f"--ioengine={engine}", "--rwmixread=70", "--slat_percentiles=1", "--lat_percentiles=1")
    document = plimsoll("fio", *words, "--output-format=json", cwd=disk).json
    for kind in ("read", "write"):
        slat, clat, lat = parts(document, kind)
        assert slat["N"] == clat["N"] == lat["N"] == document["jobs"][0][kind]["total_ios"] > 0
        # Exact sums, and so exact means: fio's own test allows 1 ns.
        assert abs(slat["mean"] + clat["mean"] - lat["mean"]) < 1
        assert 0 < slat["min"] <= slat["mean"] < lat["mean"]
        assert clat["max"] <= lat["max"] * 1.001
        assert all("percentile" in each for each in (slat, clat, lat))


def test_an_engine_that_waits_has_no_submission_of_its_own(disk: Path, plimsoll: Command, original: Original) -> None:
    words = ("--name=t", "--filename=f", "--size=1m", "--ioengine=psync", "--output-format=json")
    theirs = json.loads(original("fio", *words))
    (disk / "f").unlink()
    ours = plimsoll("fio", *words, cwd=disk).json
    for document in (theirs, ours):
        slat, clat, lat = parts(document)
        assert (slat["N"], clat["N"], lat["N"]) == (0, 256, 256)


@pytest.mark.parametrize("left_out", ["disable_slat", "disable_clat", "disable_lat", "gtod_reduce"])
def test_what_is_not_to_be_told_is_left_out_as_in_fio(
    left_out: str, disk: Path, plimsoll: Command, original: Original
) -> None:
    words = (*LIBAIO, f"--{left_out}=1", "--output-format=json")
    counts = []
    for document in (json.loads(original("fio", *words)), plimsoll("fio", *words, "--destroy=t.0.0", cwd=disk).json):
        counts.append([each["N"] > 0 for each in parts(document)])
        shares = [each for unit in ("ns", "us", "ms") for each in document["jobs"][0][f"latency_{unit}"].values()]
        counts[-1].append(any(shares))
    assert counts[0] == counts[1]


def test_text_and_terse_have_all_three(disk: Path, plimsoll: Command) -> None:
    text = plimsoll("fio", *LIBAIO, cwd=disk).out
    assert re.findall(r"^ +([sc]?lat) \(\w+\): min=", text, re.MULTILINE) == ["slat", "clat", "lat"] * 2
    fields = plimsoll("fio", *LIBAIO, "--output-format=terse", cwd=disk).out.strip().split(";")
    slat, clat, lat = (float(fields[at]) for at in (11, 15, 39))
    assert slat > 0
    assert slat + clat == pytest.approx(lat, abs=0.001)


def test_logs_have_all_three(disk: Path, plimsoll: Command) -> None:
    plimsoll("fio", *LIBAIO, "--write_lat_log=each", cwd=disk)
    rows = {
        name: [line.split(", ") for line in (disk / f"each_{name}.1.log").read_text().splitlines()]
        for name in ("slat", "clat", "lat")
    }
    assert len(rows["slat"]) == len(rows["clat"]) == len(rows["lat"]) == 256
    for slat, clat, lat in zip(rows["slat"], rows["clat"], rows["lat"], strict=True):
        assert int(slat[1]) + int(clat[1]) == int(lat[1])
        assert slat[2:] == clat[2:] == lat[2:]
    timed = ("--time_based", "--runtime=1", "--log_avg_msec=200")
    plimsoll("fio", *LIBAIO, *timed, "--write_lat_log=mean", cwd=disk)
    for name in rows:
        found = [line.split(", ") for line in (disk / f"mean_{name}.1.log").read_text().splitlines()]
        assert found
        assert all(len(row) == 5 and int(row[1]) > 0 for row in found)
    assert len((disk / "mean_slat.1.log").read_text()) == len((disk / "mean_slat.1.log").read_text().strip()) + 1


def test_as_many_reads_and_writes_as_fio(disk: Path, plimsoll: Command, original: Original) -> None:
    """The draws that decide between them are fio's own, job by job."""
    words = ["--size=2m", "--rw=randrw", "--ioengine=null", "--output-format=json"]
    jobs = ["--name=one", "--name=two", "--rwmixread=70", "--name=three", "--rw=rw", "--rwmixwrite=10"]
    jobs += ["--name=four", "--randseed=7", "--numjobs=2"]
    found = [
        [(job["read"]["total_ios"], job["write"]["total_ios"]) for job in document["jobs"]]
        for document in (json.loads(original("fio", *words, *jobs)), plimsoll("fio", *words, *jobs, cwd=disk).json)
    ]
    assert found[0] == found[1]


def test_silent_on_success(disk: Path, plimsoll: Command) -> None:
    """A wrapper takes any text on standard error for a failure."""
    words = ("fio", *LIBAIO, "--thread", "--gtod_reduce=1", "--random_generator=lfsr", "--verify_dump=1")
    answer = plimsoll(*words, cwd=disk)
    assert answer.err == ""
    for asked in (plimsoll(*words, "--verbose", cwd=disk), plimsoll(*words, cwd=disk, PLIMSOLL_VERBOSE="1")):
        assert "t: thread: jobs are always threads here" in asked.err
        assert "random_generator" in asked.err
    # What the result does not have is said all the same.
    assert "bwavgtime" in plimsoll(*words, "--bwavgtime=100", cwd=disk).err


def test_what_the_guards_find_is_in_the_result(disk: Path, plimsoll: Command) -> None:
    """Where a device has larger blocks, the run is invalid; programs find it in what they read, and nothing beside."""
    words = ("fio", "--name=t", "--size=64k", "--bs=512", "--rw=write", "--direct=1", "--fallocate=none")
    answer = plimsoll(*words, "--output-format=json", cwd=disk)
    assert answer.err == ""
    text = plimsoll(*words, cwd=disk)
    assert text.err == ""
    invalid = [line.removeprefix("plimsoll: invalid: ") for line in text.out.splitlines() if "plimsoll: " in line]
    sections = {each["id"]: each["blocks"] for each in plimsoll("show", "--json").json["sections"]}
    shown = [block["sentence"] for block in sections.get("warnings", []) if block.get("level") == "invalid"]
    assert [each.lower() for each in invalid] == [each.lower() for each in shown]


def test_windows_of_a_log_have_their_mean_and_their_maximum(disk: Path, plimsoll: Command) -> None:
    words = (*LIBAIO, "--time_based", "--runtime=1", "--write_lat_log=l", "--write_iops_log=l", "--log_avg_msec=250")
    plimsoll("fio", *words, "--log_window_value=both", "--log_offset=1", "--log_issue_time=1", cwd=disk)
    for name in ("slat", "clat", "lat", "iops"):
        rows = [list(map(int, line.split(", "))) for line in (disk / f"l_{name}.1.log").read_text().splitlines()]
        assert {row[3] for row in rows} == {0, 1}
        assert all(len(row) == 8 and row[4:] == [0, 0, 0, 0] for row in rows)
        assert all((row[1] == row[2]) if name == "iops" else (0 < row[1] <= row[2]) for row in rows)
    # As fio 3.33 calls it.
    plimsoll("fio", *words, "--log_max_value=1", cwd=disk)
    assert all(len(line.split(", ")) == 5 for line in (disk / "l_lat.1.log").read_text().splitlines())


@pytest.mark.parametrize(("shown", "of"), [("10", "clat"), ("01", "lat"), ("11", "lat"), ("00", "")])
def test_terse_has_the_percentiles_of_one_kind(shown: str, of: str, disk: Path, plimsoll: Command) -> None:
    wanted = (f"--clat_percentiles={shown[0]}", f"--lat_percentiles={shown[1]}")
    words = (*LIBAIO, *wanted, "--output-format=terse,json", "--output=both")
    plimsoll("fio", *words, cwd=disk)
    line, _, text = (disk / "both").read_text().partition("\n")
    told = [field.split("%=") for field in line.split(";") if "%=" in field][:17]
    expected = json.loads(text)["jobs"][0]["read"][f"{of}_ns"]["percentile"] if of else {"0": 0}
    assert {float(percent): int(value) for percent, value in told} == {
        float(percent): value // 1000 for percent, value in expected.items()
    }
