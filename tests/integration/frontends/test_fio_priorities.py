"""I/O priorities of single operations, as the kernel gets them, and what is told of each: beside fio."""

from __future__ import annotations

import json
import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import need_program, need_root
from tests.integration.frontends.conftest import Command, Original
from tests.integration.run.conftest import PLIMSOLL

JOB = ("--name=t", "--filename=f", "--size=512k", "--bs=4k", "--rw=randrw", "--iodepth=4", "--group_reporting")
# Classes that need no privilege.
SPLIT = "--cmdprio_bssplit=4k/20/2/1:4k/30/3/0,4k/50"
LOW = ("--cmdprio_class=3", "--cmdprio=4")
CONTROL_BLOCK = re.compile(
    r"IOCB_CMD_P(READ|WRITE), aio_reqprio=IOPRIO_PRIO_VALUE\(IOPRIO_CLASS_(BE|IDLE), (\d)\)[^}]*IOCB_FLAG_IOPRIO"
)
CLASSES = {"BE": 2, "IDLE": 3}


def prios(document: Any, kind: str) -> dict[tuple[int, int], int]:
    """Operations by class and level, where they are told apart."""
    (job,) = document["jobs"]
    return {(each["prioclass"], each["prio"]): each["clat_ns"]["N"] for each in job[kind].get("prios", [])}


@pytest.mark.parametrize("engine", ["libaio", "io_uring"])
@pytest.mark.parametrize(
    "words", [("--cmdprio_percentage=30", *LOW), (SPLIT, *LOW), ("--cmdprio_percentage=40,0", *LOW, "--prio=6")]
)
def test_as_many_operations_have_each_priority_as_with_fio(
    disk: Path, original: Original, plimsoll: Command, engine: str, words: tuple[str, ...]
) -> None:
    job = (*JOB, f"--ioengine={engine}", *words)
    theirs = json.loads(original("fio", *job, "--output-format=json"))
    (disk / "f").unlink()
    ours = plimsoll("fio", *job, "--output-format=json", cwd=disk).json
    for kind in ("read", "write"):
        assert prios(ours, kind) == prios(theirs, kind)
        keys = [list(each["jobs"][0][kind].get("prios", [{}])[0]) for each in (theirs, ours)]
        assert keys[0] == keys[1]
    assert len(prios(ours, "read")) > 1


def test_the_text_and_the_log_have_the_priorities_of_fio(disk: Path, original: Original, plimsoll: Command) -> None:
    job = (*JOB, "--ioengine=libaio", SPLIT, *LOW, "--write_lat_log=x", "--log_prio=1")
    found = []
    for text in (original("fio", *job), ""):
        if not text:
            (disk / "f").unlink()
            text = plimsoll("fio", *job, cwd=disk).out
        rows = (line.split(", ") for line in (disk / "x_clat.1.log").read_text().splitlines())
        names = re.findall(r"^ +(clat prio \d/\d) \(\wsec\)", text, re.MULTILINE)
        shares = re.findall(r"^ +(clat prio \d/\d \([\d.]+% of IOs\)) percentiles", text, re.MULTILINE)
        found.append((names, shares, Counter((row[2], row[4]) for row in rows)))
    assert found[0] == found[1]
    assert len(found[0][2]) == 5


def test_the_kernel_gets_them(disk: Path) -> None:
    """io_uring's submissions are memory that no trace of calls shows; libaio's are arguments."""
    words = (*JOB, "--ioengine=libaio", SPLIT, *LOW, "--write_lat_log=x", "--log_prio=1")
    strace = [need_program("strace"), "-f", "-v", "-s", "0", "-e", "trace=io_submit", "-e", "signal=none"]
    subprocess.run([*strace, "-o", "calls", PLIMSOLL, "fio", *words], cwd=disk, check=True, capture_output=True)
    found = CONTROL_BLOCK.findall((disk / "calls").read_text())
    calls = Counter((kind, CLASSES[name] << 13 | int(level)) for kind, name, level in found)
    rows = [line.split(", ") for line in (disk / "x_clat.1.log").read_text().splitlines()]
    logged = Counter((("READ", "WRITE")[int(row[2])], int(row[4], 0)) for row in rows if row[4] != "0x0000")
    assert calls == logged
    assert len(calls) == 3


def test_the_real_time_class_is_told_in_a_log_without_numbers(disk: Path, plimsoll: Command) -> None:
    need_root()
    words = (*JOB, "--ioengine=io_uring", "--cmdprio_percentage=25", "--write_lat_log=x")
    document = plimsoll("fio", *words, "--output-format=json", cwd=disk).json
    rows = [line.split(", ") for line in (disk / "x_clat.1.log").read_text().splitlines()]
    for number, kind in enumerate(("read", "write")):
        marked = sum(row[4] == "1" for row in rows if row[2] == str(number))
        assert marked == prios(document, kind)[1, 0] > 0


def test_jobs_that_are_reported_together_are_told_apart(disk: Path, original: Original, plimsoll: Command) -> None:
    shared = ("--size=512k", "--bs=4k", "--rw=randrw", "--group_reporting", "--prioclass=2", "--output-format=json")
    job = (*shared, "--name=low", "--filename=f", "--prio=7", "--name=high", "--filename=g", "--prio=0")
    theirs = json.loads(original("fio", *job))
    for data in ("f", "g"):
        (disk / data).unlink()
    ours = plimsoll("fio", *job, cwd=disk).json
    assert prios(ours, "read") == prios(theirs, "read")
    assert set(prios(ours, "write")) == {(2, 0), (2, 7)}
