"""Targets that alternate in slices, on the real disk: what is chosen, what comes out, and what interrupts it."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.integration.run.conftest import PLIMSOLL, Command, leftovers
from tests.integration.run.turns import blocks_in_turns

from plimsoll.units import SECOND

SMALL = ("--set", "size=16MiB", "--set", "runtime=1s", "--set", "warmup=100ms", "--noisy-host")


def settings(disk: Path) -> tuple[str, ...]:
    return ("--on", f"one={disk}", "--on", f"four={disk},depth=4")


def runs_of(plimsoll: Command, tmp_path: Path) -> list[Any]:
    plimsoll("export", "-o", str(tmp_path / "s.plimsoll.gz"))
    with gzip.open(tmp_path / "s.plimsoll.gz", "rt") as lines:
        return [read["run"] for line in lines if "run" in (read := json.loads(line))]


def test_settings_of_one_disk_take_turns_and_nothing_overlaps(plimsoll: Command, disk: Path, tmp_path: Path) -> None:
    answer = plimsoll("run", "ping", *settings(disk), *SMALL, "--repeats", "2")
    assert "The targets of a block take turns of" not in answer.out, "that is part of the report"
    runs = runs_of(plimsoll, tmp_path)
    assert len(runs) == 4
    for pair in blocks_in_turns(runs, SECOND):
        times = sorted(
            (row["start_ns"], row["start_ns"] + row["duration_ns"]) for run in pair for row in run["intervals"]
        )
        assert len(times) >= 8
        assert all(end <= start for (_, end), (start, _) in pairwise(times))
        assert all(run["facts"]["slices"]["shared_by"] == 2 for run in pair)
        for run in pair:
            done = sum(row["operations"]["read"]["operations"] for row in run["intervals"])
            counted_ns = sum(row["duration_ns"] for row in run["intervals"])
            scored = {score["metric"]: score["value"] for score in run["scores"]}
            assert scored["iops"] == pytest.approx(done / counted_ns * 1e9), "of all slices"
    plimsoll("report", "-o", str(tmp_path / "r.html"))
    assert "The targets of a block take turns of" in (tmp_path / "r.html").read_text()
    assert leftovers(disk) == []


def test_the_plan_says_what_is_chosen_and_why(plimsoll: Command, disk: Path) -> None:
    told = plimsoll("plan", "ping", *settings(disk), *SMALL).out
    assert "targets run in turns, several times a second (one and four share one device, which is never idle)" in told
    apart = plimsoll("plan", "ping", "--on", f"one={disk}", "--on", "memory=/dev/shm", *SMALL).out
    assert "targets run one after the other (they are not on one device, and one with a limit would save up" in apart
    asked = plimsoll("plan", "ping", *settings(disk), *SMALL, "--interleave", "blocks").out
    assert "targets run one after the other (as asked)" in asked
    assert "take turns" not in plimsoll("plan", "ping", "--on", f"one={disk}", *SMALL).out


def test_blocks_where_that_is_asked_for(plimsoll: Command, disk: Path, tmp_path: Path) -> None:
    plimsoll("run", "ping", *settings(disk), *SMALL, "--repeats", "1", "--interleave", "blocks")
    assert all("slices" not in run["facts"] for run in runs_of(plimsoll, tmp_path))


def test_what_is_refused_has_written_nothing(plimsoll: Command, disk: Path) -> None:
    words = ("--on", f"a={disk}", "--on", f"b={disk},depth=4,cap_iops=3000", "--interleave", "slices")
    refused = plimsoll("run", "ping", *words, *SMALL, check=2)
    assert "target b has a limit (cap_iops=3000), and what it saves up while another works" in refused.err
    assert leftovers(disk) == []
    assert plimsoll("list", "sessions", "--json").json == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_block_that_is_interrupted_is_all_that_is_lost(
    plimsoll: Command, disk: Path, tmp_path: Path, number: signal.Signals
) -> None:
    words = ("run", "ping", *settings(disk), *SMALL, "--repeats", "3")
    with subprocess.Popen(
        [PLIMSOLL, *words],
        cwd=disk.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ},
    ) as process:
        assert process.stderr is not None
        seen = 0
        while seen < 2:
            seen += " left" in process.stderr.readline()
        time.sleep(0.4)
        process.send_signal(number)
        process.communicate(timeout=120)
    plimsoll("run", "--resume")
    (row,) = plimsoll("list", "sessions", "--json").json
    assert row["state"] == "done"
    done = [run["block"] for run in runs_of(plimsoll, tmp_path) if run["status"] == "ok"]
    assert sorted(done) == [0, 0, 1, 1, 2, 2]
    assert leftovers(disk) == []


def test_a_probe_says_when_a_verdict_is_to_be_expected_and_leaves_nothing(plimsoll: Command, disk: Path) -> None:
    words = ("plan", "ping", *settings(disk), *SMALL)
    assert "expect the ratio" not in plimsoll(*words).out, "without --probe nothing is measured"
    told = plimsoll(*words, "--probe").out
    assert "ping: expect the ratio to within ±10 % " in told
    found = json.loads(plimsoll(*words, "--probe", "--json").out)["probe"]["ping"]
    assert 3 <= found["valid_blocks"] <= 5
    assert found["noise"] > 0
    assert [each["width"] for each in found["expected"]] == [0.1, 0.03]
    assert leftovers(disk) == []
    assert json.loads(plimsoll("list", "sessions", "--json").out) == []


def test_a_probe_needs_a_comparison_of_block_io(plimsoll: Command, disk: Path) -> None:
    alone = plimsoll("plan", "ping", "--on", f"one={disk}", *SMALL, "--probe", check=2)
    assert "nothing to compare it with" in alone.err
    assert "probing" not in alone.err
    files = plimsoll("plan", "postmark", *settings(disk)[:3], f"two={disk}", "--same-place", "--probe", check=2)
    assert "--probe is for tests of block I/O" in files.err
