"""Imported runs as a load line: what belongs together, what does not, and what is known of a place of known truth."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.unit.importers.importing import read_text
from tests.unit.report.imported_sweeps import LOADS, growing, saturating, sweep

from plimsoll.model import RunStatus
from plimsoll.report.load_line_search import LoadLineSearch
from plimsoll.stats.load_line.sweeps import FEWEST_LOADS, points, sweeps


def only(**made: Any) -> LoadLineSearch:
    (found,) = sweep(**made).searched
    return found


@pytest.mark.parametrize(
    ("tool", "parameter", "load"),
    [
        ("fio", "iodepth", "depth"),
        ("fio", "numjobs", "jobs"),
        ("ycsb", "threads", "threads"),
        ("pgbench", "clients", "clients"),
        ("sysbench", "threads", "threads"),
        ("diskspd", "outstanding", "depth"),
        ("cassandra-stress", "threads", "threads"),
    ],
)
def test_the_knee_of_a_known_place_is_found(tool: str, parameter: str, load: str) -> None:
    found = only(tool=tool, parameter=parameter)
    assert found.imported
    assert found.request.parameter == load
    assert found.line.bend is not None
    assert found.line.bend.low < 8 < found.line.bend.high
    assert found.line.doubt is None
    assert found.line.peak is not None
    assert found.line.peak.throughput.value == pytest.approx(12_000, rel=0.03)


def test_the_nth_run_of_a_load_is_of_the_nth_round() -> None:
    (found,) = sweeps(sweep(runs=3).runs)
    made = points(found)
    assert [point.round for point in made] == [0] * 7 + [1] * 7 + [2] * 7
    assert all(point.stored_ns == 0 and point.enough for point in made)
    assert only(runs=3, noise=0.002).line.bracket is not None


def test_throughput_that_grows_to_the_end_has_no_knee() -> None:
    bend = only(curve=growing, runs=3).line.bend
    assert bend is None or not bend.reached


def test_one_load_is_no_load_line() -> None:
    assert sweeps(sweep(loads=(8,), runs=5).runs) == ()
    assert sweeps(sweep(loads=LOADS[: FEWEST_LOADS - 1]).runs) == ()
    assert len(sweeps(sweep(loads=LOADS[:FEWEST_LOADS]).runs)) == 1


def test_a_difference_that_is_no_load_is_no_load_line() -> None:
    assert sweeps(sweep(changing="size").runs) == ()
    assert sweeps(sweep(parameter="bs_of_file").runs) == ()
    assert sweeps(sweep(tool="table").runs) == ()


def test_own_runs_are_no_sweep() -> None:
    own = [run.model_copy(update={"facts": {}}) for run in sweep().runs]
    assert sweeps(own) == ()


def test_each_setting_of_another_parameter_is_a_line_of_its_own() -> None:
    one, four = sweep(fixed={"numjobs": 1}), sweep(fixed={"numjobs": 4})
    other = [run.model_copy(update={"id": run.id.replace("8000", "8001")}) for run in four.runs]
    both = replace(one, runs=[*one.runs, *other])
    assert [each.label for each in both.searched] == ["disk (numjobs=1)", "disk (numjobs=4)"]
    assert [len(each.runs) for each in both.sweeps] == [7, 7]


def test_threads_of_pgbench_may_follow_its_clients() -> None:
    found = sweep(parameter="clients", tool="pgbench").runs
    raised = [
        run.model_copy(
            update={"plan": run.plan.having({**run.plan.parameters, "threads": min(4, run.plan.parameters["clients"])})}
        )
        for run in found
    ]
    assert len(sweeps(raised)) == 1
    again = sweep(parameter="clients", tool="pgbench", fixed={"threads": 16}).runs
    both = [*raised, *(run.model_copy(update={"id": run.id.replace("8000", "8001")}) for run in again)]
    assert sweeps(both) == ()


def test_a_schedule_that_is_not_kept_has_no_latency() -> None:
    found = only(parameter="target", tool="ycsb", loads=(1000, 2000, 4000, 8000, 16000), curve=lambda x: min(x, 5000.0))
    assert found.request.open_loop
    assert [level.overloaded for level in found.line.levels] == [False, False, False, True, True]
    assert [level.p99_ns is None for level in found.line.levels] == [False, False, False, True, True]


def test_of_several_kinds_the_slowest_has_the_percentile() -> None:
    run = sweep(kinds=("read", "update")).runs[0]
    (found,) = sweeps(sweep(kinds=("read", "update")).runs)
    first = points(found, 99.0)[0]
    assert first.mean_ns is not None
    assert first.p99_ns == pytest.approx(3 * first.mean_ns)
    assert first.objective_ns == first.p99_ns
    assert first.littles_law == pytest.approx(0, abs=1e-9)
    unknown = replace(found, runs=tuple(each.model_copy(update={"facts": {"imported": {}}}) for each in found.runs))
    assert points(unknown)[0].mean_ns is None
    assert run.status is RunStatus.OK


def test_the_largest_load_within_an_objective() -> None:
    # Twice the mean latency: at depth 8 it is 2 · 8 / 10,100/s.
    met = only(slo="p99<2ms").line.met
    assert met is not None
    assert (met.load, met.met, met.at_top) == (8, True, False)
    missed = only(slo="p99<1us").line.met
    assert missed is not None
    assert not missed.met
    assert only(slo="p99<2ms", p99=False).line.met is None
    top = only(slo="p99<1s").line.met
    assert top is not None
    assert top.at_top


def test_failed_runs_are_left_out_and_counted() -> None:
    found = sweep(runs=2)
    runs = [
        run.model_copy(update={"status": RunStatus.FAILED}) if place == 3 else run
        for place, run in enumerate(found.runs)
    ]
    (line,) = replace(found, runs=runs).searched
    assert line.line.invalid == 1


def test_nonsense_in_a_file_is_no_load() -> None:
    for nonsense in (0, -1, float("inf"), float("nan"), "8", True, None, [8]):
        found = sweep()
        runs = [
            run.model_copy(update={"plan": run.plan.having({**run.plan.parameters, "iodepth": nonsense})})
            for run in found.runs
        ]
        assert sweeps(runs) == ()


def test_pgbench_with_a_rate_is_read_from_the_command_that_a_shell_echoed() -> None:
    def text(rate: int, done: float) -> str:
        return (
            f"+ pgbench -c 8 -j 4 -R {rate} -T 60 bench\ntransaction type: <builtin: TPC-B (sort of)>\n"
            "scaling factor: 10\nquery mode: simple\nnumber of clients: 8\nnumber of threads: 4\nduration: 60 s\n"
            f"number of transactions actually processed: {done * 60:.0f}\nlatency average = 5.000 ms\n"
            "rate limit schedule lag: avg 0.100 (max 2.000) ms\n"
            f"tps = {done} (without initial connection time)\n"
        )

    runs = read_text("pgbench", "".join(text(rate, min(rate, 700.0)) for rate in (100, 200, 400, 800))).runs
    assert [run.plan.parameters["rate"] for run in runs] == [100, 200, 400, 800]
    (found,) = sweeps(runs)
    assert [point.overloaded for point in points(found)] == [False, False, False, True]
    assert points(found)[0].mean_ns == 5_000_000


def test_a_saturating_place_is_what_it_says() -> None:
    assert saturating(1) == pytest.approx(1500, rel=0.01)
    assert saturating(1000) == pytest.approx(12_000, rel=0.01)
