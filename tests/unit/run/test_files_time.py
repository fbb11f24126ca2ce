"""The first guess of how long a file-system test takes: it knows what waits for the disk."""

from __future__ import annotations

from typing import Any

import pytest

from plimsoll.catalog.bounds import Pace
from plimsoll.model import Plan, Target
from plimsoll.profile import Entry, cases
from plimsoll.run.workloads import _files_time, files
from plimsoll.units import GIB, MIB, SECOND


def plan_of(test: str, **overrides: Any) -> Plan:
    (case,) = cases([Entry(test, overrides)], {}, "test")
    return files.on_target(case.plan({}, "target"), Target(name="a", where="/"))


@pytest.mark.parametrize(
    ("test", "syncs"),
    [("sqlite-inserts", 50_000), ("fs-mark", 1000), ("fs-mark-threads", 5000), ("fs-mark-no-sync", 0), ("tiotest", 0),
     ("tiotest:durable", 16_384 + 1000), ("dbench", 0)],
)  # fmt: skip
def test_waits_for_stable_storage(test: str, syncs: int) -> None:
    assert _files_time.syncs(plan_of(test)) == syncs


def test_a_test_with_a_runtime_takes_that_long() -> None:
    guess = files.run_ns(plan_of("dbench", runtime="10s", warmup="2s"))
    assert 12 * SECOND <= guess <= 14 * SECOND


def test_a_slow_volume_takes_its_time_but_memory_does_not_wait_for_it() -> None:
    slow = Pace(bytes_per_s=MIB, ios_per_s=100)
    # Twice the file: written and read.
    assert files.run_ns(plan_of("zcav:direct", size="64MiB", passes=1), slow) > 128 * SECOND
    for test in ("zcav", "bonnie++:old"):
        there = plan_of(test, size="64MiB")
        assert files.run_ns(there, slow) == files.run_ns(there)
    inserts = plan_of("sqlite-inserts")
    assert files.run_ns(inserts, slow) > _files_time.syncs(inserts) * SECOND // 100


def test_sizes_that_originals_take_from_the_machine() -> None:
    assert plan_of("bonnie++").parameters["size"] >= 2 * GIB
    assert plan_of("bonnie++", size="1GiB").parameters["size"] == GIB
    assert plan_of("zcav").parameters["size"] == 8 * GIB


def test_what_writes_nothing_says_so() -> None:
    assert files.written_bytes(plan_of("dbench")) is None
    assert files.written_bytes(plan_of("zcav", path=__file__, block=512, chunk=512)) == 0
