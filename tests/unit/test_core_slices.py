"""Jobs of the core that pause: what goes in beside a plan's parameters, the word to go, and what comes out."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from plimsoll import _core
from plimsoll.model import Plan
from plimsoll.parameters import defaults
from plimsoll.run.outcome import DbOutcome, Outcome, Progress, answer
from plimsoll.run.private_server import PrivateServer
from plimsoll.run.workloads.db import spec

MILLISECOND = 1_000_000
SLICES = [[number * 40 * MILLISECOND, 20 * MILLISECOND] for number in range(3)]
DISCARD_NS = 5 * MILLISECOND
COUNTED = [(start + DISCARD_NS, length - DISCARD_NS) for start, length in SLICES]


def block_job(path: Path, **changes: Any) -> str:
    values = {**defaults("io"), "path": str(path), "engine": "psync", "mode": "randread", "size": 1 << 20}
    values |= {"direct": False, "warmup": 0, "drop_cache": False, "slices": SLICES, "discard_ns": DISCARD_NS}
    return json.dumps(values | changes)


def database_job() -> str:
    values = {**defaults("ycsb"), "data": "keep", "warmup": 0}
    plan = Plan(test="ycsb-a", case="ycsb-a", workload="ycsb", parameters=values, metrics=("operation_rate",))
    request = spec(plan, PrivateServer("null", "", None))
    return json.dumps(request | {"slices": SLICES, "discard_ns": DISCARD_NS})


def phase(job: _core.Job) -> str:
    return answer(Progress, job.poll())["phase"]


def wait_until_ready(job: _core.Job) -> None:
    while phase(job) != "ready":
        assert phase(job) != "finished", job.result()
        time.sleep(0.001)


def test_jobs_that_are_told_the_same_moment_work_in_their_slices(tmp_path: Path) -> None:
    jobs = [_core.start(block_job(tmp_path / "f")), _core.db_start(database_job())]
    for job in jobs:
        wait_until_ready(job)
    begin_ns = time.monotonic_ns() + 50 * MILLISECOND
    for job in jobs:
        job.go(begin_ns)
    for job, kind in zip(jobs, (Outcome, DbOutcome), strict=True):
        outcome = answer(kind, job.result() or "")
        assert (outcome["status"], outcome["error"]) == ("ok", None)
        assert [(row["start_ns"], row["duration_ns"]) for row in outcome["intervals"]] == COUNTED
        assert outcome["elapsed_ns"] == sum(length for _, length in COUNTED)
        assert all(row["drain_ns"] >= 0 for row in outcome["intervals"])
        assert len(outcome["interval_histograms"]) == len(SLICES)


def test_a_job_is_told_once_and_only_if_it_has_slices(tmp_path: Path) -> None:
    job = _core.start(block_job(tmp_path / "f", slices=[[3_600_000 * MILLISECOND, 10 * MILLISECOND]]))
    wait_until_ready(job)
    with pytest.raises(ValueError, match="CLOCK_MONOTONIC"):
        job.go(5)
    job.go(time.monotonic_ns() + 50 * MILLISECOND)
    with pytest.raises(ValueError, match="before"):
        job.go(time.monotonic_ns() + 50 * MILLISECOND)
    job.stop()
    assert answer(Outcome, job.result() or "")["status"] == "stopped"
    with pytest.raises(ValueError, match="has no slices"):
        _core.start(block_job(tmp_path / "f", slices=[], discard_ns=0)).go(time.monotonic_ns())


def test_what_cannot_pause_is_refused_before_anything_is_opened(tmp_path: Path) -> None:
    reason = _core.validate(block_job(tmp_path / "f", warmup=SLICES[0][1]))
    assert reason is not None
    assert "a shorter warmup" in reason
    assert _core.validate(block_job(tmp_path / "f")) is None
