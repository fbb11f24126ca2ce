"""The pure parts of a cluster: how it is written, clocks, splitting a plan, adding what was measured."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from itertools import chain, cycle, repeat
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.factories import make_study

from plimsoll import parameters
from plimsoll.cluster import remote
from plimsoll.cluster.address import SshHost, parse_cluster, split_place
from plimsoll.cluster.clocks import Offset, known_well, measure_offset
from plimsoll.cluster.connection import Worker
from plimsoll.cluster.machines import why_not_together
from plimsoll.cluster.spread import Part, aligned, joined, split
from plimsoll.errors import TargetError, UsageError
from plimsoll.model import Finding, Interval, IntervalOperations, Level, Plan, Run, RunStatus
from plimsoll.run import plan as planning
from plimsoll.run.schedule import Block, RunRequest
from plimsoll.run.study import from_words
from plimsoll.run.turns import Pace
from plimsoll.stats.histogram import decode, merge
from plimsoll.units import MILLISECOND, SECOND


@pytest.mark.parametrize(
    "text",
    ["", "nonsense", "local:", "local:0", "local:99", "ssh:", "ssh:a b", "ssh:a:99999", "ssh:a?b=c", "tcp://", "tcp:x"],
)
def test_clusters_that_are_none(text: str) -> None:
    with pytest.raises(UsageError, match="is not a cluster"):
        parse_cluster(text)


def test_clusters() -> None:
    assert parse_cluster("tls://host:8786").kind == "scheduler"
    assert parse_cluster("local:4").workers == 4
    found = parse_cluster("ssh:me@a, b,[::1]:22?python=/opt/python")
    assert found.python == "/opt/python"
    assert found.hosts == (
        SshHost("me@a", "a", "me"), SshHost("b", "b"), SshHost("[::1]:22", "::1", port=22),
    )  # fmt: skip
    assert parse_cluster("ssh:a").python is None


@pytest.mark.parametrize("where", ["@w1", "@:/x", "@w1:x", "@w1:"])
def test_places_that_are_none(where: str) -> None:
    with pytest.raises(UsageError, match="is not a place on a worker"):
        split_place(where)


def test_places() -> None:
    assert split_place("@w1:/mnt/x") == ("w1", "/mnt/x")
    assert split_place("@*:postgresql://me@host/db") == ("*", "postgresql://me@host/db")


@given(st.integers(-(10**12), 10**12), st.lists(st.tuples(st.integers(1, 10**8), st.integers(1, 10**8)), min_size=9))
def test_the_true_offset_lies_within_the_uncertainty(offset: int, ways: list[tuple[int, int]]) -> None:
    now = [10**18]
    trips = cycle(ways)

    def ask() -> int:
        there, back = next(trips)
        now[0] += there
        answer = now[0] + offset
        now[0] += back
        return answer

    found = measure_offset(ask, lambda: now[0])
    assert abs(found.offset_ns - offset) <= found.uncertainty_ns + 1


def asked_until(ways_ns: Iterator[int]) -> tuple[Offset, int]:
    """What is believed of a clock that is right, whose answers take so long; and how often it was asked."""
    now = [10**18]
    asked = 0

    def ask() -> int:
        nonlocal asked
        asked += 1
        way_ns = next(ways_ns)
        now[0] += way_ns
        answer = now[0]
        now[0] += way_ns
        return answer

    return measure_offset(ask, lambda: now[0]), asked


def test_a_busy_worker_is_asked_until_one_answer_is_quick() -> None:
    found, asked = asked_until(chain(repeat(8 * MILLISECOND, 20), repeat(MILLISECOND // 2)))
    assert (found, asked) == (Offset(0, MILLISECOND // 2), 21)
    # A quick one is asked no more than is needed, and one that is far away not for long.
    assert asked_until(repeat(MILLISECOND // 10))[1] == 9
    assert asked_until(repeat(20 * MILLISECOND)) == (Offset(0, 20 * MILLISECOND), 14)


def test_a_clock_that_is_known_too_badly_is_refused() -> None:
    # An hour off is no harm, for it is corrected.
    far = Offset(offset_ns=3600 * SECOND, uncertainty_ns=SECOND // 4)
    assert known_well("w1", far) == far
    with pytest.raises(TargetError, match=r"worker w1 is known to ± 600 ms only"):
        known_well("w1", Offset(offset_ns=0, uncertainty_ns=600_000_000))


def test_a_place_on_a_worker_needs_its_cluster() -> None:
    study = from_words(["randread"], ["a=@w1:/mnt/x"])
    with pytest.raises(UsageError, match="name its cluster with --cluster"):
        planning.check(study, planning.steps(study), [])


def plan(**changes: object) -> Plan:
    values = {**parameters.defaults("ycsb"), **changes}
    return Plan(test="ycsb-a", case="ycsb-a", workload="ycsb", parameters=values, metrics=("operation_rate",))


@given(st.integers(1, 9), st.integers(0, 500), st.one_of(st.none(), st.integers(100, 10**6)))
def test_parts_add_up_to_the_plan(workers: int, more: int, operations: int | None) -> None:
    whole = plan(clients=workers + more, max_operations=operations, rate={"per_second": 900.0, "unit": "operations"})
    parts = [each.parameters for each in split(whole, workers)]
    assert sum(each["clients"] for each in parts) == whole.parameters["clients"]
    assert max(each["clients"] for each in parts) - min(each["clients"] for each in parts) <= 1
    assert sum(each["rate"]["per_second"] for each in parts) == pytest.approx(900)
    assert sum(each["max_operations"] or 0 for each in parts) == (operations or 0)
    assert len({each["seed"] for each in parts}) == workers


def test_plans_that_cannot_be_shared_out() -> None:
    with pytest.raises(UsageError, match="would insert the same keys"):
        split(plan(insert=0.05), 3)


def test_fewer_clients_than_workers_need_only_so_many() -> None:
    assert [each.parameters["clients"] for each in split(plan(clients=2), 3)] == [1, 1]
    assert [each.parameters["clients"] for each in split(plan(clients=1), 4)] == [1]


def part(name: str, run: Run, began_ns: int, operations: int, machine: float = 0.2) -> Part:
    counts = {"read": {"operations": operations, "bytes": operations * 4096, "errors": 0, "latency_sum_ns": 10**9}}
    facts = {
        "elapsed_ns": 10 * SECOND, "operations": counts, "offered_operations": None, "mean_in_flight": 8.0,
        "cpu": {"user_ns": 5, "system_ns": 3, "busiest_thread": 0.4, "all_processors": machine}, "clock": "tsc",
    }  # fmt: skip
    return Part(name, run.model_copy(update={"facts": facts}), began_ns)


@pytest.fixture
def runs() -> list[Run]:
    return make_study(targets=("a", "b", "c"), cases=("randread",), blocks=1)[1]


def test_what_workers_measured_is_added(runs: list[Run]) -> None:
    parts = [part(f"w{i}", run, 10**18 + i * 10**8, 1000 * (i + 1), i / 10) for i, run in enumerate(runs, 1)]
    whole = joined(runs[0], parts)
    assert whole.status is RunStatus.OK
    assert whole.facts["operations"]["read"]["operations"] == 2000 + 3000 + 4000
    assert whole.facts["elapsed_ns"] == 10 * SECOND + 2 * 10**8
    assert whole.facts["cpu"] == {"user_ns": 15, "system_ns": 9, "busiest_thread": 0.4, "all_processors": 0.3}
    assert whole.facts["mean_in_flight"] == 24
    by_hand = merge([run.histograms["read"] for run in runs])
    assert decode(whole.histograms["read"]).percentiles() == by_hand.percentiles()
    rate = next(score.value for score in whole.scores if score.metric == "iops")
    assert rate == pytest.approx(9000 / 10.2, rel=0.2)
    together = whole.findings[-1]
    assert "first done w1, last done w3 200 ms later; stragglers: w1" in together.message
    assert together.level is Level.WARN


@pytest.mark.parametrize(
    ("machines", "shared"), [(["m", "m", "n"], ["w1", "w2"]), (["m", "n", "o"], []), ([""] * 3, [])]
)
def test_workers_of_one_machine_are_no_other_programs(runs: list[Run], machines: list[str], shared: list[str]) -> None:
    foreign = Finding(guard="foreign_io", level=Level.INVALID, message="other programs moved 51 %", advice="Stop them.")
    parts = [
        replace(part(f"w{i}", run.model_copy(update={"findings": (foreign,)}), 10**18, 1000), machine=machine)
        for i, (run, machine) in enumerate(zip(runs, machines, strict=True), 1)
    ]
    whole = joined(runs[0], parts if not shared else parts[:2])
    together = whole.findings[-1]
    assert ("w1 and w2 are on one machine, where each slows the others" in together.message) is bool(shared)
    assert ("Use one worker for each machine." in together.advice) is bool(shared)
    assert whole.status is (RunStatus.OK if shared else RunStatus.INVALID)
    # Of a worker that is alone on its machine it stays what it was.
    assert joined(runs[0], parts).status is RunStatus.INVALID


def sliced(of: Part, *operations: int, drains_ns: list[int], after_other: float | None) -> Part:
    """The part as one whose target took turns with others: 100 ms in every 400."""
    counts = [{"read": IntervalOperations(operations=n, bytes=n, p50_ns=1, p99_ns=2, max_ns=3)} for n in operations]
    found = [
        Interval(start_ns=i * 4 * 10**8, duration_ns=10**8, operations=each, errors=0) for i, each in enumerate(counts)
    ]
    slices = {
        "slice_ns": 12 * 10**7, "discard_ns": 2 * 10**7, "shared_by": 2, "drain_ns": drains_ns,
        "after_other": after_other, "after_own": None,
    }  # fmt: skip
    facts = {**of.run.facts, "slices": slices, "elapsed_ns": len(operations) * 10**8}
    return Part(of.worker, of.run.model_copy(update={"facts": facts, "intervals": tuple(found)}), of.began_ns)


def test_slices_of_workers_are_added_one_by_one(runs: list[Run]) -> None:
    """All work in the same ones, give or take what their clocks are wrong by."""
    one = sliced(part("w1", runs[0], 10**18, 60), 10, 20, 30, drains_ns=[5, 1, 1], after_other=0.01)
    other = sliced(part("w2", runs[1], 10**18 + 10**6, 6), 1, 2, 3, drains_ns=[2, 9, 1], after_other=None)
    whole = joined(runs[0], [one, other])
    assert [(each.start_ns, each.duration_ns) for each in whole.intervals] == [(i * 4 * 10**8, 10**8) for i in range(3)]
    assert [each.operations["read"].operations for each in whole.intervals] == [11, 22, 33]
    assert whole.in_slices
    assert whole.facts["slices"]["drain_ns"] == [5, 9, 1]
    assert whole.facts["slices"]["after_other"] == 0.01
    assert whole.facts["slices"]["after_own"] is None
    # Of the time between its slices a run knows nothing.
    assert whole.facts["elapsed_ns"] == 3 * 10**8
    rate = next(score.value for score in whole.scores if score.metric == "iops")
    assert rate == pytest.approx(66 / 0.3)


def clocks(*uncertain_ns: int) -> list[Worker]:
    return [Worker(f"w{i}", "", Offset(0, each)) for i, each in enumerate(uncertain_ns, 1)]


def test_why_several_machines_do_not_take_turns_in_step() -> None:
    asked = from_words(["randread"], ["a=.", "b=.,depth=1"], seed=1)
    steps = planning.steps(asked)
    assert why_not_together(asked, steps, clocks(10**6, 10**6)) is None
    assert why_not_together(asked, steps, clocks(10**6, 9 * 10**6)) == (
        "the clock of worker w2 is known to ± 9 ms, and slices have to begin together"
    )
    at_once = replace(asked, interleave="parallel")
    assert why_not_together(at_once, steps, clocks(1, 1)) == "each target is used from several machines"
    few = from_words(["ycsb-c"], ["a=redis://h,clients=1", "b=redis://h,clients=4"], seed=1)
    assert why_not_together(few, planning.steps(few), clocks(1, 1)) == (
        "test ycsb-c has fewer clients than machines on one target, and not on another"
    )


class Task:
    """What Dask tells a call that runs on a worker."""

    told: list[tuple[str, object]]

    def log_event(self, topic: str, message: object) -> None:
        self.told.append((topic, message))


@pytest.fixture
def task(monkeypatch: pytest.MonkeyPatch) -> Task:
    found = Task()
    found.told = []
    monkeypatch.setattr("distributed.get_worker", lambda: found)
    return found


class OnWorker:
    """A session with two targets that is open on this machine, as on a worker."""

    def __init__(self, folder: Path) -> None:
        settings = ["engine=null", "runtime=1s", "warmup=0s", "size=1MiB"]
        study = from_words(["randread"], [f"{name}={folder}" for name in "ab"], shared=settings, seed=1)
        (self.step,) = planning.steps(study)
        self.session, self.where = make_study()[0], f"@w1:{folder}"
        block = Block(self.step, 0, 0, ("a", "b"))
        self.requests = [RunRequest(self.session.id, block, i, name, noisy_host=True) for i, name in enumerate("ab")]
        there = [each.model_copy(update={"where": self.where}) for each in study.targets]
        opened = remote.open_session(there, self.session, [], [], "w1")
        assert not isinstance(opened, remote.Refused), opened

    def run(self, number: int) -> RunStatus:
        """The status of a run of one target, which is task `number`."""
        answer = remote.measure(self.requests[0], self.step.plans["a"], self.where, 0, number)
        return cast(tuple[Run, int], answer)[0].status

    def block(self, number: int) -> list[tuple[Run, int]] | None:
        """The runs of a block in step with others, which is task `number`, and when each began."""
        plans = [self.step.plans[each.target] for each in self.requests]
        answer = remote.measure_block(self.requests, plans, [self.where] * 2, Pace(), True, number)
        return cast(list[tuple[Run, int]] | None, answer)


@pytest.fixture
def on_worker(tmp_path: Path, task: Task) -> Iterator[OnWorker]:
    del task
    found = OnWorker(tmp_path)
    yield found
    remote.close_session(found.session.id)


def test_a_run_that_was_stopped_does_not_end_the_next(on_worker: OnWorker) -> None:
    """One that fails on another worker stops this one's; its message may come late."""
    asyncio.run(remote.stop(on_worker.session.id, 1))
    assert [on_worker.run(1), on_worker.run(2)] == [RunStatus.PARTIAL, RunStatus.OK]


def test_a_block_begins_when_the_coordinator_says(on_worker: OnWorker, task: Task) -> None:
    begin_ns = time.time_ns() + SECOND
    asyncio.run(remote.go(on_worker.session.id, 3, begin_ns))
    runs = on_worker.block(3)
    assert runs is not None
    assert [run.status for run, _ in runs] == [RunStatus.OK, RunStatus.OK]
    assert all(run.in_slices for run, _ in runs)
    # One of them has the first slice.
    assert abs(min(began_ns for _, began_ns in runs) - begin_ns) < Pace().discard_ns
    assert any(message["phase"] == remote.READY for _, message in cast(Any, task.told) if "phase" in message)


def test_a_moment_that_had_passed_is_told_to_the_coordinator(on_worker: OnWorker) -> None:
    asyncio.run(remote.go(on_worker.session.id, 4, time.time_ns() - SECOND))
    assert on_worker.block(4) is None


def test_a_block_that_was_stopped_before_it_began_was_not_late(on_worker: OnWorker) -> None:
    asyncio.run(remote.stop(on_worker.session.id, 5))
    runs = on_worker.block(5)
    assert runs is not None
    assert RunStatus.OK not in {run.status for run, _ in runs}


def test_a_worker_with_fewer_clients_is_no_straggler(runs: list[Run]) -> None:
    own = zip(runs, split(plan(clients=5), 3), strict=True)
    parts = [
        part(f"w{i}", run.model_copy(update={"plan": each}), 10**18, 1000 * int(str(each.parameters["clients"])))
        for i, (run, each) in enumerate(own, 1)
    ]
    assert [each.operations for each in parts] == [2000, 2000, 1000]
    assert "stragglers" not in joined(runs[0], parts).findings[-1].message


def test_one_part_that_failed_fails_all_with_its_name(runs: list[Run]) -> None:
    parts = [part(f"w{i}", run, 10**18, 1000) for i, run in enumerate(runs, 1)]
    failed = parts[1].run.model_copy(update={"status": RunStatus.FAILED, "reason": "disk full"})
    whole = joined(runs[0], [parts[0], Part("w2", failed, 10**18), parts[2]])
    assert (whole.status, whole.reason) == (RunStatus.FAILED, "worker w2: disk full")


@given(st.lists(st.integers(0, 400_000_000), min_size=1, max_size=4), st.integers(1, 20))
def test_no_operation_is_lost_when_intervals_are_aligned(shifts: list[int], seconds: int) -> None:
    run = make_study(targets=("a",), blocks=1)[1][0]
    rng = random.Random(seconds)
    parts = []
    for shift in shifts:
        intervals = tuple(
            Interval(
                start_ns=i * SECOND, duration_ns=SECOND, errors=1,
                operations={"read": IntervalOperations(
                    operations=rng.randint(0, 99), bytes=1, p50_ns=1, p99_ns=2, max_ns=3)},
            )
            for i in range(seconds)
        )  # fmt: skip
        parts.append(part("w", run.model_copy(update={"intervals": intervals}), 10**18 + shift, 1))
    found = aligned(parts, 10**18)
    assert len(found) == seconds
    assert sum(each.errors for each in found) == seconds * len(shifts)
    assert sum(each.operations["read"].operations for each in found) == sum(
        each.operations["read"].operations for one in parts for each in one.run.intervals
    )


def test_who_closes_what_is_being_closed_waits_for_its_end() -> None:
    """A worker whose coordinator died is ended by its lease, its connection and its exit, in any order."""
    stack, closing, may_end, removed = ExitStack(), threading.Event(), threading.Event(), threading.Event()

    def remove() -> None:
        closing.set()
        assert may_end.wait(60)
        removed.set()

    stack.callback(remove)
    remote._sessions["dying"] = remote._OpenSession(stack, cast("Any", None), time.monotonic())
    first = threading.Thread(target=remote.close_session, args=("dying",))
    first.start()
    assert closing.wait(60)
    came_back: list[bool] = []
    last = threading.Thread(target=lambda: (remote.close_all(), came_back.append(removed.is_set())))
    last.start()
    last.join(0.1)
    may_end.set()
    for each in (first, last):
        each.join(60)
    assert came_back == [True]
    assert "dying" not in remote._sessions
