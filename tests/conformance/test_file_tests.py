"""The classic tests do what their definitions say: bytes and files by plan and by counters, syncs by strace."""

from __future__ import annotations

import json
import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import need_program
from tests.integration.run.conftest import PLIMSOLL

from plimsoll.model import Plan, Target
from plimsoll.profile import Entry, cases
from plimsoll.run.workers import file_systems
from plimsoll.run.workloads import files
from plimsoll.units import GIB, MIB


def plan_of(test: str, **overrides: Any) -> Plan:
    (case,) = cases([Entry(test, overrides)], {}, "test")
    return files.on_target(case.plan({}, "target"), Target(name="a", where="/"))


@pytest.mark.parametrize(
    ("test", "overrides", "written", "read", "made"),
    [
        ("fs-mark", {}, 1000 * MIB, 0, 1000),
        ("fs-mark-no-sync", {}, 1000 * MIB, 0, 1000),
        ("fs-mark-threads", {}, 20_000 * MIB, 0, 20_000),
        ("fs-mark-directories", {}, 4000 * MIB, 0, 4000 + 32),
        ("aio-stress", {}, 2 * GIB, 0, 1),
        ("iozone", {}, 16 * GIB, 16 * GIB, 1),
        ("tiotest", {}, 2 * GIB + 32_000 * 4096, 32_000 * 4096, 32),
        ("gzip", {}, 2 * GIB, 2 * GIB, 1),
        ("zcav", {}, 8 * GIB, 8 * GIB, 1),
        # 10 source trees of 233,176,153 B (and one to learn the order of names), compiled files of 713,696,760 B, and
        # 3 compiled trees of 946,872,913 B that are read; 24,543 files and 1,510 folders in each.
        ("compilebench", {}, 11 * 233_176_153 + 10 * 713_696_760, 3 * 946_872_913, 10 * (24_543 + 1510)),
        ("dbench", {"loops": 1}, 1_015_974_170, 1_472_088_767, None),
        ("sysbench-fileio:rndrd", {"events": 1000}, 2 * GIB, 1000 * 16 * 1024, 128),
    ],
)
def test_bytes_and_files_of_the_definitions(
    test: str, overrides: dict[str, Any], written: int, read: int, made: int | None
) -> None:
    found = files.expected(plan_of(test, **overrides))
    assert (found["written_bytes"], found["read_bytes"]) == (written, read)
    assert made is None or found["files"] == made


def outcome_of(plan: Plan, folder: Path) -> dict[str, Any]:
    job = file_systems.start(files.spec(plan, folder))
    text = job.result(60)
    assert text is not None
    outcome: dict[str, Any] = json.loads(text)
    assert outcome["status"] == "ok", outcome["error"]
    return outcome


def totals(outcome: dict[str, Any], kind: str) -> tuple[int, int]:
    found = outcome["operations"].get(kind, {"operations": 0, "bytes": 0})
    return found["operations"], found["bytes"]


def test_fs_mark_counts(tmp_path: Path) -> None:
    outcome = outcome_of(plan_of("fs-mark-threads", files=3), tmp_path)
    assert totals(outcome, "create")[0] == 12
    assert totals(outcome, "write") == (12 * 64, 12 * MIB)
    assert totals(outcome, "fsync")[0] == 12


def test_iozone_counts(tmp_path: Path) -> None:
    outcome = outcome_of(plan_of("iozone", size="4MiB", record="64KiB"), tmp_path)
    assert totals(outcome, "write") == (2 * 64, 8 * MIB)
    assert totals(outcome, "read") == (2 * 64, 8 * MIB)
    assert [each["name"] for each in outcome["results"]] == ["write", "rewrite", "read", "reread"]


def test_tiotest_counts(tmp_path: Path) -> None:
    outcome = outcome_of(plan_of("tiotest", file_size="128KiB", random_operations=10, threads=4), tmp_path)
    assert totals(outcome, "write") == (4 * (32 + 10), 4 * (32 + 10) * 4096)
    assert totals(outcome, "read") == (4 * 10, 4 * 10 * 4096)


def test_bonnie_phases_in_order(tmp_path: Path) -> None:
    outcome = outcome_of(plan_of("bonnie++", size="1MiB", seeks=20, files=20), tmp_path)
    assert [each["name"] for each in outcome["results"]] == [
        "char_write", "block_write", "rewrite", "char_read", "block_read", "seeks",
        "sequential_create", "sequential_stat", "sequential_delete",
        "random_create", "random_stat", "random_delete",
    ]  # fmt: skip


SYSBENCH = {"files": 8, "total_size": "2MiB"}


@pytest.mark.parametrize("mode", ["rndrw", "rndwr", "seqrewr", "seqrd"])
@pytest.mark.parametrize("threads", [1, 2])
def test_sysbench_counts_are_those_of_sysbench(tmp_path: Path, mode: str, threads: int) -> None:
    """Its own calls, by strace; a round of syncs after every hundred requests, and one at the end of every thread."""
    strace, sysbench = need_program("strace"), need_program("sysbench")
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    theirs.mkdir()
    ours.mkdir()
    words = [sysbench, "fileio", "--file-num=8", "--file-total-size=2M", f"--file-test-mode={mode}", "--time=0"]
    words += ["--events=600", f"--threads={threads}"]
    subprocess.run([*words, "prepare"], cwd=theirs, check=True, capture_output=True)
    trace = tmp_path / "trace"
    command = [strace, "-f", "-y", "-e", "trace=pread64,pwrite64,fsync", "-o", str(trace), *words, "run"]
    subprocess.run(command, cwd=theirs, check=True, capture_output=True)
    calls = Counter(re.findall(rf" (\w+)\(\d+<{re.escape(str(theirs))}/test_file", trace.read_text()))
    test = "sysbench-fileio" if mode == "rndrw" else f"sysbench-fileio:{mode}"
    outcome = outcome_of(plan_of(test, **SYSBENCH, events=600, threads=threads), ours)
    found = {call: totals(outcome, kind)[0] for call, kind in CALLS.items()}
    if threads == 1:
        assert found == {call: calls[call] for call in CALLS}
        return
    # Which thread is first at a hundredth request, and so what it was about to do, is chance.
    assert found["fsync"] == calls["fsync"]
    assert found["pread64"] + found["pwrite64"] == calls["pread64"] + calls["pwrite64"]


CALLS = {"pread64": "read", "pwrite64": "write", "fsync": "fsync"}
SYNCS = {
    # Per file one fsync before its close.
    "fs-mark": (("files=7",), {"fsync": 7}),
    "fs-mark-no-sync": (("files=7",), {}),
    "fs-mark-no-sync:durable": (("files=7",), {"syncfs": 1}),
    # Per INSERT: journal, folder, journal's header, database; and the same for CREATE TABLE.
    "sqlite-inserts": (("inserts=5", "passes=2"), {"all": 4 * (10 + 1)}),
    "postmark": (("transactions=20", "files=5"), {}),
    # Each file after it was made, after the 100th request and at the end.
    "sysbench-fileio": (("files=8", "total_size=2MiB", "events=150"), {"fsync": 8 + 8 + 8}),
    # One fsync and two fdatasync more lay out the file, before anything is measured.
    "writetest": (("max_operations=25",), {"fsync": 25 + 1, "fdatasync": 2}),
}


@pytest.mark.parametrize("test", SYNCS)
def test_sync_calls(test: str, tmp_path: Path) -> None:
    need_program("strace")
    words, expected = SYNCS[test]
    disk, trace = tmp_path / "disk", tmp_path / "trace"
    disk.mkdir()
    command = ["strace", "-f", "-y", "-e", "trace=fsync,fdatasync,sync,syncfs,sync_file_range", "-o", str(trace)]
    settings = [word for each in words for word in ("--set", each)]
    subprocess.run(
        [*command, PLIMSOLL, "run", test, "--on", f"a={disk}", "--blocks", "1", "-q", "--noisy-host", *settings],
        check=True, capture_output=True, timeout=100,
    )  # fmt: skip
    calls = Counter(
        match[1] for line in trace.read_text().splitlines() if (match := re.search(r" (\w+)\(\d+<" + str(disk), line))
    )
    if "all" in expected:
        assert sum(calls.values()) == expected["all"]
    else:
        assert calls == expected
