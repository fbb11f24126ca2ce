"""`implementation=original`: the original tool runs in place of the native test, and its faults are told."""

from __future__ import annotations

import gzip
import json
import os
import time
from pathlib import Path

import pytest
from tests.conftest import need_program
from tests.integration.run.conftest import Command, leftovers, scored

POSTMARK = ("--set", "transactions=100", "--set", "files=20", "--set", "size_high=64KiB")
ENOUGH = ("--set", "runtime=1min", "--set", "warmup=0s", "--set")
"""Before a number of operations: it is reached on any machine."""
FIO = ("--set", "size=4MiB", *ENOUGH, "max_operations=400")
PINGS_10 = ("--set", "think_time=10ms", *ENOUGH, "max_operations=10")
CASES = {
    "postmark": (*POSTMARK,),
    "dbench": ("--set", "runtime=1s", "--set", "warmup=0s"),
    # The original gives no number for phases below half a second, so one has to be long on any disk.
    "bonnie++": ("--set", "size=8MiB", "--set", "files=0", "--set", "skip_characters=yes", "--set", "seeks=1000000"),
    "sysbench-fileio": ("--set", "total_size=4MiB", "--set", "events=500"),
}


def fake(folder: Path, name: str, script: str) -> str:
    """A PATH on which `name` is a script."""
    path = folder / "bin" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return f"{path.parent}:{os.environ['PATH']}"


REQUESTS: dict[str, tuple[str, tuple[str, ...], set[str]]] = {
    "ping": ("fio", FIO, {"iops", "read_mean", "read_p50", "read_p99"}),
    "randrw": ("fio", (*FIO, "--set", "threads=2"), {"iops", "read_p99", "write_p99", "read_iops"}),
    "log-commit": ("fio", (*FIO[:-1], "max_operations=200"), {"commit_rate", "sync_p99"}),
    "writetest": ("fio", ("--set", "max_operations=50"), {"commit_rate"}),
    "ioping": ("ioping", PINGS_10, {"read_mean", "read_p50", "iops"}),
    "ioping:rapid": ("ioping", ("--set", "size=4MiB", *ENOUGH, "max_operations=200"), {"read_mean", "iops"}),
    "ioping-write": ("ioping", PINGS_10, {"commit_mean", "commit_p50"}),
}
"""Tests of requests, their original, short settings, and metrics that both have."""


@pytest.mark.parametrize("test", REQUESTS)
def test_requests_of_native_and_original_have_the_same_metrics(plimsoll: Command, disk: Path, test: str) -> None:
    program, words, metrics = REQUESTS[test]
    need_program(program)
    targets = ("--on", f"new={disk}", "--on", f"old={disk},implementation=original")
    plimsoll("run", test, *targets, *words, "--repeats", "1", "--noisy-host", "-q", check=None)
    rows = scored(plimsoll("show", "--json"))
    assert not [row["reason"] for row in rows if row["status"] == "failed"]
    for target in ("new", "old"):
        found = {row["metric"]: row["value"]["value"] for row in rows if row["target"] == target}
        assert metrics <= found.keys()
        assert all(found[metric] > 0 for metric in metrics)
    assert leftovers(disk) == []


def test_an_original_does_as_many_operations_as_it_is_told(plimsoll: Command, disk: Path) -> None:
    need_program("fio")
    targets = ("--on", f"new={disk}", "--on", f"old={disk},implementation=original")
    words = ("--set", "max_operations=600", "--set", "threads=3", "--set", "size=8MiB", "--set", "runtime=1min")
    plimsoll("run", "randrw", *targets, *words, "--set", "warmup=0", "--repeats", "1", "--noisy-host", "-q", check=None)
    plimsoll("export", "-o", disk.parent / "all.plimsoll")
    records = gzip.decompress((disk.parent / "all.plimsoll").read_bytes()).decode().splitlines()
    runs = [record["run"] for line in records if "run" in (record := json.loads(line))]
    assert len(runs) == 2
    for run in runs:
        assert sum(run["facts"]["operations"][kind]["operations"] for kind in ("read", "write")) == 600


@pytest.mark.parametrize("test", CASES)
def test_native_and_original_are_two_targets_of_one_place(plimsoll: Command, disk: Path, test: str) -> None:
    need_program(test.partition("-")[0])
    targets = ("--on", f"new={disk}", "--on", f"old={disk},implementation=original")
    plimsoll("run", test, *targets, *CASES[test], "--blocks", "1", "--noisy-host", "-q", check=None)
    runs = scored(plimsoll("show", "--json"))
    assert {run["target"] for run in runs} == {"new", "old"}
    metrics = {target: {run["metric"] for run in runs if run["target"] == target} for target in ("new", "old")}
    assert metrics["old"] <= metrics["new"]
    reasons = [run["reason"] for run in runs if run["target"] == "old" and run["status"] == "failed"]
    assert not reasons
    assert leftovers(disk) == []


@pytest.mark.parametrize("test", ["dbench", "bonnie++", "postmark"])
def test_originals_take_the_quick_sizes(plimsoll: Command, disk: Path, test: str) -> None:
    need_program(test)
    targets = ("--on", f"new={disk}", "--on", f"old={disk},implementation=original")
    plimsoll("run", test, *targets, "--quick-sizes", "--repeats", "1", "--noisy-host", "-q", check=None)
    runs = scored(plimsoll("show", "--json"))
    metrics = {target: {run["metric"] for run in runs if run["target"] == target} for target in ("new", "old")}
    assert metrics["old"]
    assert metrics["old"] <= metrics["new"]
    assert not [run["reason"] for run in runs if run["status"] == "failed"]


def test_a_missing_original_is_refused_with_its_package(plimsoll: Command, disk: Path) -> None:
    answer = plimsoll(
        "plan", "dbench", "--on", f"old={disk},implementation=original", *CASES["dbench"], check=2, PATH="/nowhere"
    )
    assert "implementation=original needs dbench" in answer.err
    assert "Debian: dbench" in answer.err


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("echo what is this", "printed nothing that can be read: 'what is this'"),
        ("echo broken; exit 3", "ended with exit code 3: 'broken'"),
        ("echo 'PostMark v2.0 : 1/1/30'; echo 'Creating files...Done'; "
         "printf '\\t9 seconds of transactions (11 per second)\\n'", "is version 2.0, this test follows 1.5"),
        ("echo 'PostMark v1.51 : 8/14/01'; echo 'Creating files...Done'", "did not finish"),
    ],
)  # fmt: skip
def test_an_unexpected_original_fails_the_run_and_its_output_is_kept(
    plimsoll: Command, disk: Path, tmp_path: Path, script: str, reason: str
) -> None:
    path = fake(tmp_path, "postmark", script)
    answer = plimsoll(
        "run", "postmark", "--on", f"old={disk},implementation=original", *POSTMARK, "-q", check=3, PATH=path
    )
    assert reason in answer.err
    assert "its output is kept with the run" in answer.err
    plimsoll("export", "-o", tmp_path / "all.plimsoll")
    assert "postmark.txt" in gzip.decompress((tmp_path / "all.plimsoll").read_bytes()).decode()
    assert leftovers(disk) == []


OLD_FIO = """echo '{"fio version": "fio-2.1", "jobs": [{"jobname": "original", "read": {"iops": 1}}]}'"""
PINGS = "[ $1 = -v ] && echo 'ioping {}' || echo '4.0 KiB <<< x (ext4 y): request=1 time=1 us'"


@pytest.mark.parametrize(
    ("test", "program", "script", "reason"),
    [
        ("randread", "fio", "echo no json", "printed nothing that can be read: 'no json'"),
        ("randread", "fio", "echo 'fio: pid=1, err=5/file:x.c:1, error=Input/output error'; exit 1", "exit code 1"),
        ("randread", "fio", OLD_FIO, "is version fio-2.1, this test follows fio-3."),
        ("ioping", "ioping", PINGS.format("0.9"), "is version ioping 0.9, this test follows ioping 1."),
        ("ioping", "ioping", PINGS.format("1.3"), "did not finish"),
    ],
)  # fmt: skip
def test_unexpected_tools_of_requests_fail_the_run_and_their_output_is_kept(
    plimsoll: Command, disk: Path, tmp_path: Path, test: str, program: str, script: str, reason: str
) -> None:
    path = fake(tmp_path, program, script)
    words = ("--set", "size=1MiB", "--set", "runtime=1s", "-q")
    answer = plimsoll("run", test, "--on", f"old={disk},implementation=original", *words, check=3, PATH=path)
    assert reason in answer.err
    assert "its output is kept with the run" in answer.err
    plimsoll("export", "-o", tmp_path / "all.plimsoll")
    assert f"{program}.txt" in gzip.decompress((tmp_path / "all.plimsoll").read_bytes()).decode()
    assert leftovers(disk) == []


def test_an_original_that_takes_too_long_is_ended_with_all_it_started(
    plimsoll: Command, disk: Path, tmp_path: Path
) -> None:
    path = fake(tmp_path, "postmark", f"sleep 1000 & echo $! > {tmp_path}/child; wait")
    words = ("--set", "timeout=2s", "--on", f"old={disk},implementation=original")
    answer = plimsoll("run", "postmark", *words, *POSTMARK, "-q", check=3, PATH=path)
    assert "took longer than 2 s" in answer.err
    child = int((tmp_path / "child").read_text())
    deadline = time.monotonic() + 60
    while Path(f"/proc/{child}").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not Path(f"/proc/{child}").exists() or "Z" in Path(f"/proc/{child}/stat").read_text().split()[2]
    assert leftovers(disk) == []


@pytest.mark.parametrize(
    ("test", "words", "reason"),
    [
        ("gzip", (), "has no original"),
        ("randread", ("--set", "rate=10/s"), "leave out rate"),
        ("randrw", ("--set", "read_share=33.3%"), "whole percentages"),
        ("randread", ("--set", "max_operations=10", "--set", "threads=3"), "multiple of threads"),
        ("ioping", ("--set", "depth=2", "--set", "engine=libaio"), "one request in flight"),
        ("ioping-write", ("--set", "sync=none"), "makes every write durable"),
        ("dbench", ("--set", "runtime=1500ms"), "whole seconds"),
        ("sysbench-fileio", ("--set", "runtime=1500ms"), "whole seconds"),
        ("postmark:durable", (), "no mode but classic"),
    ],
)
def test_what_an_original_cannot_do_is_refused(
    plimsoll: Command, disk: Path, tmp_path: Path, test: str, words: tuple[str, ...], reason: str
) -> None:
    path = fake(tmp_path, test.partition(":")[0].removesuffix("-fileio"), "exit 1")
    answer = plimsoll("plan", test, "--on", f"old={disk},implementation=original", *words, check=2, PATH=path)
    assert reason in answer.err
