"""Databases that alternate in slices: settings of one server, servers on one disk, and a server that does not start."""

from __future__ import annotations

from itertools import chain, pairwise
from pathlib import Path

import pytest
from tests.integration.run.conftest import Command, leftovers
from tests.integration.run.test_slices import runs_of
from tests.integration.run.turns import blocks_in_turns

from plimsoll.units import MILLISECOND

SMALL = ("--set", "records=1000", "--set", "runtime=400ms", "--set", "warmup=50ms", "--noisy-host", "--blocks", "3")


def settings(disk: Path, server: str, second: str = "clients=2") -> tuple[str, ...]:
    return ("--server", server, "--on", f"one={disk},clients=1", "--on", f"two={disk},{second}")


@pytest.mark.parametrize("server", ["redis", "sqlite", "postgresql"])
def test_two_settings_of_one_database_take_turns(plimsoll: Command, disk: Path, tmp_path: Path, server: str) -> None:
    plimsoll("run", "ycsb-c", *settings(disk, server), *SMALL)
    runs = [run for run in runs_of(plimsoll, tmp_path) if run["status"] == "ok"]
    assert sorted(run["block"] for run in runs) == [0, 0, 1, 1, 2, 2]
    sliced = blocks_in_turns(runs, 400 * MILLISECOND)
    for pair in sliced:
        times = sorted(
            (row["start_ns"], row["start_ns"] + row["duration_ns"]) for run in pair for row in run["intervals"]
        )
        assert len(times) >= 8
        assert all(end <= start for (_, end), (start, _) in pairwise(times))
    for run in chain(*sliced):
        facts, reads = run["facts"], sum(row["operations"]["read"]["operations"] for row in run["intervals"])
        assert facts["slices"]["shared_by"] == 2
        assert facts["completed"] == reads > 0, "nothing is lost or counted twice"
        assert facts["elapsed_ns"] == sum(row["duration_ns"] for row in run["intervals"])
        assert facts["loaded_records"] in (None, 0), "data are loaded before the targets alternate"
    assert leftovers(disk) == []


def test_two_servers_on_one_disk_take_turns(plimsoll: Command, disk: Path, tmp_path: Path) -> None:
    plimsoll("run", "ycsb-c", *settings(disk, "redis", "clients=1,durability=none"), *SMALL)
    runs = [run for run in runs_of(plimsoll, tmp_path) if run["status"] == "ok"]
    assert len(runs) == 6
    synced = {run["target"]["name"]: run["facts"]["server"]["appendfsync"] for run in runs}
    assert synced["one"] != synced["two"], "each has a server of its own"
    assert leftovers(disk) == []


def test_writes_take_turns_where_that_is_asked_for(plimsoll: Command, disk: Path, tmp_path: Path) -> None:
    words = (*settings(disk, "redis"), "--set", "durability=none", *SMALL)
    told = plimsoll("plan", "ycsb-a", *words).out
    assert "one after the other (the test writes, and a database does part of that later, while another works)" in told
    plimsoll("run", "ycsb-a", *words, "--interleave", "slices")
    assert blocks_in_turns(runs_of(plimsoll, tmp_path), 400 * MILLISECOND)


def test_a_server_that_does_not_start_fails_the_block(plimsoll: Command, disk: Path, tmp_path: Path) -> None:
    broken = "server_settings=maxmemory-policy=nonsense"
    plimsoll("run", "ycsb-c", *settings(disk, "redis", f"clients=1,{broken}"), *SMALL, check=3)
    runs = runs_of(plimsoll, tmp_path)
    assert {run["status"] for run in runs} == {"failed"}
    assert all("redis ended while starting" in run["reason"] for run in runs)
    assert leftovers(disk) == []
