"""What ends a job as a failure, commands around it, and files that are refused."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from plimsoll.errors import TargetError, UsageError
from plimsoll.frontends.fio.command_line import parse
from plimsoll.frontends.fio.hooks import between
from plimsoll.frontends.fio.jobs import Job, jobs_of
from plimsoll.frontends.fio.least import least
from plimsoll.frontends.fio.longest import longest
from plimsoll.frontends.fio.plans import cut_short, plan_of
from plimsoll.frontends.side_by_side import Ended
from plimsoll.run.workers.execution import Execution
from plimsoll.units import SECOND


def the_job(*words: str) -> Job:
    (job,) = jobs_of(parse(["--name=t", "--size=1m", *words]).sections)
    return job


def interval(longest_ns: int, kind: str = "read") -> dict[str, Any]:
    return {"interval": {"operations": {kind: {"max_ns": longest_ns}}}}


def test_an_operation_beyond_max_latency_fails_the_job() -> None:
    judge = longest(the_job("--max_latency=100").words, "t")
    assert judge is not None
    judge.see({"interval": None})
    judge.see(interval(100_000))
    judge.see(interval(900_000, "sync"))
    assert not judge.enough()
    sample: Any = None
    ended = Ended(Execution({"status": "ok", "intervals": [interval(100_001)["interval"]]}, sample, sample, ()), 0)
    judged = judge.judged(ended)
    assert judged is not None
    assert judged.execution.outcome["error"]["message"] == (
        "t: latency of 100001 nsec exceeds specified max (100000 nsec)"
    )
    assert judged.execution.outcome["error"]["errno"] == 110


def test_a_rate_is_judged_when_an_operation_has_come_back() -> None:
    """One block of 4 KiB in 3.3 s is 1250 bytes/s, though most seconds have none."""
    judge = least(the_job("--rate=1250", "--rate_min=1024").words, "t")
    slow = least(the_job("--rate_min=2048").words, "t")
    assert judge is not None
    assert slow is not None
    for second in range(1, 40):
        count = {"read": {"bytes": 4096 * (1 + int(second / 3.2768)), "operations": 1 + int(second / 3.2768)}}
        for each in (judge, slow):
            each.see({"so_far": {"elapsed_ns": second * SECOND, "operations": count}})
    assert not judge.missed
    assert "rate_min=2048" in slow.missed


def test_no_limit_is_no_judge() -> None:
    assert longest(the_job().words, "t") is None
    with pytest.raises(UsageError, match="max_latency"):
        longest(the_job("--max_latency=1ms", "--rate=1m").words, "t")


def test_commands_run_around_a_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    job, told, order = the_job("--exec_prerun=echo one; echo two >&2", "--exec_postrun=cat t.prerun.txt"), [], []
    done: Any = SimpleNamespace()

    def carry_out() -> Any:
        order.append(Path("t.prerun.txt").read_text())
        return done

    assert between(job, carry_out, told.append)() is done
    assert order == ["one\ntwo\n"]
    assert Path("t.postrun.txt").read_text() == "one\ntwo\n"
    assert told == ["t : Saving output of prerun in t.prerun.txt", "t : Saving output of postrun in t.postrun.txt"]
    with pytest.raises(TargetError, match="exit code 3"):
        between(the_job("--exec_prerun=exit 3"), carry_out, told.append)()


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--filesize=1m-64k", "--nrfiles=4"], "lower end"),
        (["--io_size=200%"], "100%"),
    ],
)
def test_what_files_cannot_be_is_named(words: list[str], named: str) -> None:
    with pytest.raises(UsageError, match=named):
        plan_of(the_job(*words))


def test_the_end_by_the_number_of_intervals_is_told() -> None:
    job = the_job("--log_avg_msec=10")
    plan = plan_of(job)
    assert cut_short(job, plan, 999_999_999_999) is None
    assert "log_avg_msec" in str(cut_short(job, plan, 1_000_000_000_000))
    bounded = the_job("--log_avg_msec=10", "--runtime=5")
    assert cut_short(bounded, plan_of(bounded), 5_000_000_000) is None
