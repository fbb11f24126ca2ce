"""What is told while jobs run: statuses, the line of the ETA, and the end of a job below its least rate."""

from __future__ import annotations

from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any

import pytest

from plimsoll.errors import UsageError
from plimsoll.frontends.fio.command_line import parse
from plimsoll.frontends.fio.execution import Member
from plimsoll.frontends.fio.jobs import Job, jobs_of
from plimsoll.frontends.fio.layout import JobFiles
from plimsoll.frontends.fio.least import Least, least
from plimsoll.frontends.fio.live import Live
from plimsoll.frontends.fio.monitor import UNKNOWN, Monitor, clock, state
from plimsoll.frontends.fio.plans import plan_of
from plimsoll.frontends.named import NamedFiles
from plimsoll.units import SECOND

PLACE: Any = SimpleNamespace(sampler=SimpleNamespace(sample=lambda: None))
COUNTS = {"errors": 0, "latency_sum_ns": 0}


def the_job(*words: str) -> Job:
    (job,) = jobs_of(parse(["--name=t", "--size=1m", *words]).sections)
    return job


def so_far(seconds: float, operations: int, kind: str = "read") -> dict[str, Any]:
    counts = {kind: {"operations": operations, "bytes": operations * 4096, **COUNTS}}
    elapsed_ns = int(seconds * SECOND)
    return {"elapsed_ns": elapsed_ns, "operations": counts, "histograms": {}, "cpu": {}, "mean_in_flight": 1.0}


def progress(seconds: float, operations: int, done: float) -> dict[str, Any]:
    interval = {"start_ns": 0, "duration_ns": SECOND, "operations": so_far(1, operations)["operations"]}
    now = so_far(seconds, operations)
    return {"phase": "measure", "elapsed_ns": now["elapsed_ns"], "done": done, "interval": interval, "so_far": now}


def member(*words: str) -> Member:
    job = the_job(*words)
    plan = plan_of(job)
    files = JobFiles(job.path, {}, NamedFiles(ExitStack()), ())
    return Member(job, plan, PLACE, files, None, [], reported=True, live=Live(plan, PLACE))


def test_a_running_job_is_reported_as_if_it_had_ended() -> None:
    running = member("--rw=randread", "--time_based", "--runtime=10")
    assert running.live is not None
    running.live.see(progress(4, 400, 0.4))
    ended = running.so_far().ended
    assert ended is not None
    assert ended.execution.outcome["operations"]["read"]["operations"] == 400
    assert ended.execution.outcome["elapsed_ns"] == 4 * SECOND
    assert running.left_s() == pytest.approx(6)


def test_a_search_is_reported_by_its_last_window() -> None:
    live = member("--rw=randread").live
    assert live is not None
    for start in (0, 1, 2, 0, 1, 1):
        told = progress(start + 1, 100, 0.5)
        live.see({**told, "interval": {**told["interval"], "start_ns": start * SECOND}})
    starts = [each["start_ns"] for each in live.ended().execution.outcome["intervals"]]
    assert starts == [0, SECOND]


def test_the_line_of_the_eta_is_that_of_fio() -> None:
    running, waiting = member("--rw=randread", "--time_based", "--runtime=10"), member("--time_based", "--runtime=5")
    waiting.live = None
    assert running.live is not None
    running.live.see(progress(4, 20_000, 0.4))
    monitor = Monitor([running, waiting], lambda _done, _eta: None)
    assert monitor.line(2) == "Jobs: 1 (f=1)"
    assert monitor.eta(2) == UNKNOWN
    assert monitor.line(4) == ("Jobs: 1 (f=1): [r(1),P(1)][40.0%][r=78.1MiB/s][r=20.0k IOPS][eta 00m:06s]")
    failed: Any = SimpleNamespace(outcome={"status": "failed"})
    running.live.carried_out(lambda: failed)()
    assert [state(each) for each in (running, waiting)] == ["X", "P"]


@pytest.mark.parametrize(("seconds", "text"), [(61, "01m:01s"), (7200, "02h:00m:00s"), (90061, "01d:01h:01m:01s")])
def test_times_are_written_as_fio_does(seconds: int, text: str) -> None:
    assert clock(seconds) == text


def limits(*words: str) -> Least:
    found = least(the_job(*words).words, "t")
    assert found is not None
    return found


def test_a_job_below_its_least_rate_is_ended_after_it_has_settled() -> None:
    judge = limits("--rate_iops_min=100", "--rate_cycle=500")
    for seconds, operations in ((1, 10), (2, 20), (2.25, 30), (2.5, 120)):
        judge.see({"so_far": so_far(seconds, operations)})
        assert not judge.enough(), seconds
    judge.see({"so_far": so_far(3, 169)})
    assert judge.missed == "t: rate_iops_min=100 not met, got 98 IOPS"


def test_each_direction_has_a_least_rate_of_its_own() -> None:
    judge = limits("--rw=randrw", "--rate_min=1,8k")
    judge.see({"so_far": so_far(2, 100, "write")})
    judge.see({"so_far": so_far(3, 101, "write")})
    assert judge.missed == "t: rate_min=8192B/s not met, got 4096B/s"


@pytest.mark.parametrize("words", [("--rate_min=2m", "--rate=1m"), ("--rate_min=1m", "--rate_iops_min=5")])
def test_least_rates_that_contradict_are_refused(words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        limits(*words)


@pytest.mark.parametrize(
    "words", [("--status-interval=0",), ("--status-interval=x",), ("--eta=maybe",), ("--eta-interval=100",)]
)
def test_times_between_statuses_are_checked(words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError, match=words[0].partition("=")[0]):
        parse(["--name=t", "--size=1m", *words])


def test_intervals_of_a_status_divide_the_windows_of_logs() -> None:
    job = the_job("--log_avg_msec=300", "--runtime=3")
    assert plan_of(job, 250_000_000).parameters["interval"] == 150_000_000
    assert plan_of(job).parameters["interval"] == 300_000_000
