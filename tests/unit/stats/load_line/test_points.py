"""From stored runs to points."""

from __future__ import annotations

import math
from typing import Any

import pytest
from tests.factories import make_study

from plimsoll.model import Finding, Level, Run, RunStatus
from plimsoll.stats.load_line.points import FACT, Phase, point_of, steadied


def searched(run: Run, **changes: Any) -> Run:
    facts = {**run.facts, FACT: {"parameter": "depth", "load": 8, "phase": "round", "round": 2}}
    return run.model_copy(update={"facts": facts, **changes})


@pytest.fixture
def runs() -> dict[str, Run]:
    _, made = make_study(targets=("a",), cases=("ping", "randrw", "commit", "seqread"), blocks=1)
    return {run.plan.case: run for run in made}


def test_throughput_is_what_is_better_when_higher(runs: dict[str, Run]) -> None:
    for case, metric in {"ping": "iops", "randrw": "iops", "commit": "commit_rate", "seqread": "throughput"}.items():
        point = point_of(searched(runs[case]), 99.0)
        assert point is not None
        assert (point.load, point.phase, point.round, point.valid) == (8, Phase.ROUND, 2, True)
        assert point.throughput == next(s.value for s in runs[case].scores if s.metric == metric)


def test_latency_is_of_the_kinds_that_the_test_judges(runs: dict[str, Run]) -> None:
    commit = point_of(searched(runs["commit"]), 99.0)
    assert commit is not None
    scores = {score.metric: score.value for score in runs["commit"].scores}
    assert commit.objective_ns == pytest.approx(scores["commit_p99"], rel=0.1)
    both = point_of(searched(runs["randrw"]), 50.0)
    assert both is not None
    scores = {score.metric: score.value for score in runs["randrw"].scores}
    low, high = sorted((scores["read_p50"], scores["write_p50"]))
    assert both.objective_ns is not None
    assert low * 0.9 <= both.objective_ns <= high * 1.1


def test_runs_of_other_sessions_are_no_points(runs: dict[str, Run]) -> None:
    assert point_of(runs["ping"], 99.0) is None
    assert point_of(runs["ping"].model_copy(update={"facts": {FACT: "nonsense"}}), 99.0) is None


def test_a_client_at_its_limit_is_valid_here_and_other_faults_are_not(runs: dict[str, Run]) -> None:
    def invalid(*guards: str) -> Run:
        findings = tuple(Finding(guard=guard, level=Level.INVALID, message="") for guard in guards)
        return searched(runs["ping"], status=RunStatus.INVALID, findings=findings)

    limited = point_of(invalid("client_cpu"), None)
    assert limited is not None
    assert (limited.valid, limited.client_limited, limited.objective_ns) == (True, True, None)
    other = point_of(invalid("client_cpu", "page_cache"), None)
    assert other is not None
    assert not other.valid
    failed = point_of(searched(runs["ping"], status=RunStatus.FAILED, scores=()), None)
    assert failed is not None
    assert not failed.valid


@pytest.mark.parametrize(
    ("thread", "every", "parameters", "where", "limited"),
    [
        (0.96, 0.1, {}, "/mnt/a", True),
        (0.94, 0.84, {}, "/mnt/a", False),
        (0.24, 0.86, {"server": "redis"}, "/mnt/a", True),
        (0.24, 0.86, {"server": "none"}, "redis://localhost", True),
        (1.0, 1.0, {"server": "none"}, "SQLite:/mnt/a/db", False),
        (1.0, 1.0, {"server": "rocksdb"}, "/mnt/a", False),
        (1.0, 0.5, {"iopoll": True}, "/mnt/a", False),
        (1.0, 0.5, {"sqpoll": True}, "/mnt/a", False),
    ],
)
def test_a_busy_client_is_the_limit_unless_it_is_the_place_or_polls(
    runs: dict[str, Run], thread: float, every: float, parameters: dict[str, Any], where: str, limited: bool
) -> None:
    run = searched(runs["ping"])
    found = point_of(
        run.model_copy(
            update={
                "facts": {**run.facts, "cpu": {"busiest_thread": thread, "all_processors": every}},
                "plan": run.plan.model_copy(update={"parameters": {**run.plan.parameters, **parameters}}),
                "target": run.target.model_copy(update={"where": where}),
            }
        ),
        None,
    )
    assert found is not None
    assert found.client_limited is limited


def test_a_schedule_that_was_not_kept_has_no_latency(runs: dict[str, Run]) -> None:
    run = runs["ping"]
    plan = run.plan.model_copy(update={"parameters": {**run.plan.parameters, "rate": {"per_second": 5}}})
    rates = tuple(score for score in run.scores if score.unit != "ns")
    point = point_of(searched(run, plan=plan, scores=rates), 99.0)
    assert point is not None
    assert (point.overloaded, point.objective_ns, point.p99_ns) == (True, math.inf, None)


def test_clients_of_a_database_obey_littles_law(runs: dict[str, Run]) -> None:
    counts = {"read": (900, 3_000_000_000), "update": (100, 800_000_000), "update_part": (500, 400_000_000)}
    facts = {
        "whole": ["read", "update"],
        "clients": 4,
        "elapsed_ns": 1_000_000_000,
        "operations": {kind: {"operations": n, "latency_sum_ns": spent} for kind, (n, spent) in counts.items()},
        FACT: {"parameter": "clients", "load": 4, "phase": "round", "round": 2},
    }
    run = runs["ping"].model_copy(update={"facts": facts, "findings": ()})
    found = point_of(run, None)
    assert found is not None
    assert found.littles_law == pytest.approx(3.8 / 4 - 1)
    scheduled = run.plan.model_copy(update={"parameters": {**run.plan.parameters, "rate": {"per_second": 10}}})
    without = [
        run.model_copy(update={"plan": scheduled}),
        *(
            run.model_copy(update={"facts": {**facts, name: "no number"}})
            for name in ("clients", "elapsed_ns", "whole")
        ),
        run.model_copy(update={"facts": {**facts, "operations": {"read": {"operations": math.nan}}}}),
    ]
    assert [point.littles_law for each in without if (point := point_of(each, None))] == [None] * 5


def with_rates(run: Run, rates: list[float], **changes: Any) -> Run:
    """The run with intervals of half a second at these rates, and a score that is their mean."""
    first = run.intervals[0]
    kind = next(iter(first.operations))
    intervals = tuple(
        first.model_copy(
            update={
                "start_ns": k * 500_000_000,
                "duration_ns": 500_000_000,
                "operations": {kind: first.operations[kind].model_copy(update={"operations": round(rate / 2)})},
            }
        )
        for k, rate in enumerate(rates)
    )
    mean = sum(rates) / len(rates)
    scores = tuple(s.model_copy(update={"value": mean}) if s.metric == "iops" else s for s in run.scores)
    facts = {**run.facts, "elapsed_ns": len(rates) * 500_000_000, **changes.pop("facts", {})}
    return searched(run.model_copy(update={"intervals": intervals, "scores": scores, "facts": facts}), **changes)


def test_what_was_stored_counts_neither_for_throughput_nor_for_latency(runs: dict[str, Run]) -> None:
    same = with_rates(runs["randrw"], [1000.0] * 20)
    assert steadied(same) is same
    assert steadied(runs["randrw"]) is runs["randrw"]
    steady = point_of(same, 99.0)
    stored = point_of(with_rates(runs["randrw"], [2000.0] * 8 + [1000.0] * 12), 99.0)
    assert steady is not None
    assert stored is not None
    assert (steady.throughput, steady.discarded) == (1000, 0)
    assert (stored.throughput, stored.discarded, stored.steady) == (1000, 0.4, True)
    assert steady.mean_ns is not None
    # By Little's law: as many in flight at 1,000 instead of 1,400 per second.
    assert stored.mean_ns == pytest.approx(1.4 * steady.mean_ns)
    assert stored.p99_ns is not None
    assert steady.p99_ns is not None
    assert stored.p99_ns >= steady.p99_ns


def test_a_schedule_that_only_what_was_stored_kept_is_not_kept(runs: dict[str, Run]) -> None:
    """1,100 scheduled per second and 98.6 % done over the whole run, but 1,000 for its last third."""
    rates = [1100.0] * 13 + [1000.0] * 7
    plan = runs["randrw"].plan
    paced = plan.model_copy(update={"parameters": {**plan.parameters, "rate": {"per_second": 1100}}})
    offered = {"offered_operations": 11_000}
    run = with_rates(runs["randrw"], rates, plan=paced, facts=offered)
    late = point_of(run, 99.0)
    assert late is not None
    assert {score.metric: score.value for score in steadied(run).scores}["iops"] == 1000
    assert all(score.unit != "ns" for score in steadied(run).scores)
    assert (late.overloaded, late.objective_ns, late.throughput) == (True, math.inf, 1000)
    kept = point_of(with_rates(runs["randrw"], [1100.0] * 20, plan=paced, facts=offered), 99.0)
    assert kept is not None
    assert not kept.overloaded


def test_how_long_a_run_has_to_outlast_what_was_stored(runs: dict[str, Run]) -> None:
    def point(**about: Any) -> tuple[float, bool]:
        run = with_rates(runs["ping"], [1000.0] * 4)
        found = point_of(run.model_copy(update={"facts": {**run.facts, FACT: {**run.facts[FACT], **about}}}), None)
        assert found is not None
        return found.stored_ns, found.enough

    assert point() == (1e9, False)
    assert point(stored_ns=100_000_000) == (1e8, True)
    assert point(stored_ns=0) == (0, True)
    assert point(stored_ns="nonsense") == (0, True)
