"""Verdicts on runs of known truth: each cause is named, and too little data proves nothing."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.catalog.delivery import Answer, Delivery, Role, judge, rates, unlikely
from plimsoll.catalog.shape import options_from, volume_shape
from plimsoll.model import Interval, IntervalOperations, Plan, Run, RunStatus, Score, Target
from plimsoll.parameters import defaults, read_values
from plimsoll.units import SECOND


def run(
    series: Sequence[float],
    *,
    mode: str = "randread",
    block_size: str = "16KiB",
    busy: float = 0.2,
    busiest_thread: float = 0.1,
    device_share: float = 1.0,
    status: RunStatus = RunStatus.OK,
    reason: str = "",
) -> Run:
    """A run with these operations in each second."""
    kind = "read" if "read" in mode else "write"
    values = {**defaults("io"), **read_values("io", {"mode": mode, "block_size": block_size}, "test")}
    intervals = tuple(
        Interval(
            start_ns=i * SECOND,
            duration_ns=SECOND,
            errors=0,
            operations={kind: IntervalOperations(operations=round(n), bytes=0, p50_ns=1, p99_ns=2, max_ns=3)},
            device={"reads": n * device_share, "writes": 0.0},
            cpu={"busy": busy, "steal": 0.0},
        )
        for i, n in enumerate(series)
    )
    return Run(
        id="1",
        session_id="1",
        block=0,
        order=0,
        target=Target(name="a", where="/a"),
        plan=Plan(test="t", case="t", workload="io", parameters=values, metrics=("iops",)),
        started_ns=0,
        ended_ns=len(series) * SECOND,
        status=status,
        reason=reason,
        intervals=intervals,
        facts={"cpu": {"busiest_thread": busiest_thread}},
    )


def noisy(mean: float, seconds: int) -> list[float]:
    return [mean * factor for factor, _ in zip(itertools.cycle([0.99, 1.0, 1.01]), range(seconds), strict=False)]


def judged(volume: str, runs: dict[Role, Run]) -> Delivery:
    return judge(volume_shape(options_from(volume, "--as"), "--as"), runs)


def test_a_volume_at_its_limit_delivers() -> None:
    found = judged("gp3,size=100GiB,instance=m5.large", {Role.READS: run(noisy(2995, 60))})
    [load] = found.loads
    assert found.answer is Answer.YES
    assert (load.party, load.windows, load.kept) == ("volume IOPS", 10, 10)
    assert "no cliff in 60 s" in found.sentences[-1]
    assert found.sentences[0].startswith("It delivers what is paid for")


def test_a_volume_below_its_limit_does_not() -> None:
    found = judged("gp3,size=100GiB,iops=4000,instance=m5.xlarge", {Role.READS: run(noisy(3000, 60))})
    [load] = found.loads
    assert found.answer is Answer.NO
    assert (load.party, load.kept) == ("the volume", 0)
    assert "4,000/s" in load.why


def test_the_instance_is_what_can_be_expected() -> None:
    found = judged("gp3,size=100GiB,iops=16000,instance=m5.large", {Role.READS: run(noisy(3600, 60))})
    assert found.answer is Answer.YES
    assert found.loads[0].party == "instance IOPS baseline"


def test_a_burst_is_told_from_what_lasts_and_says_for_how_long() -> None:
    found = judged("gp2,size=100GiB,instance=m5.large", {Role.READS: run(noisy(3000, 600))})
    assert found.answer is Answer.YES
    assert found.loads[0].party == "volume IOPS burst"
    assert found.loads[0].lasts_s == pytest.approx(2000, rel=0.01)
    assert any("hold this rate for 33 min" in each and "300/s are left" in each for each in found.sentences)
    assert any("--runtime 37m" in each for each in found.sentences)


def test_a_cliff_inside_the_run_is_found() -> None:
    found = judged("gp2,size=100GiB,instance=m5.large", {Role.READS: run([*noisy(3000, 200), *noisy(300, 400)])})
    [load] = found.loads
    assert found.answer is Answer.YES
    assert load.rate == pytest.approx(300, rel=0.02)
    assert load.burst_rate == pytest.approx(3000, rel=0.02)
    assert load.burst_s == pytest.approx(200, abs=6)
    assert any("the burst ended after 3 min 20 s" in each for each in found.sentences)


def test_more_than_is_possible_is_another_thing() -> None:
    found = judged("gp3,size=100GiB,instance=m5.large", {Role.READS: run(noisy(50_000, 60))})
    assert found.answer is Answer.UNKNOWN
    assert found.loads[0].party == "not this volume"


@pytest.mark.parametrize(
    ("runs", "party"),
    [
        ({Role.READS: run([500, 900, 1300] * 20, busy=0.99)}, "client"),
        ({Role.READS: run(noisy(900, 60), busiest_thread=0.99)}, "client"),
        ({Role.READS: run(noisy(900, 60)), Role.DEEPER: run(noisy(1700, 15))}, "client"),
        ({Role.READS: run(noisy(900, 60), device_share=1.6)}, "file system"),
        (
            {
                Role.READS: run(noisy(900, 60)),
                Role.FIRST: run(noisy(40, 10), mode="read"),
                Role.AGAIN: run(noisy(400, 10), mode="read"),
            },
            "first touch",
        ),
    ],
)
def test_what_else_holds_it_back_is_named_and_blames_no_volume(runs: dict[Role, Run], party: str) -> None:
    found = judged("gp3,size=100GiB,instance=m5.large", runs)
    assert found.answer is Answer.UNKNOWN
    assert found.loads[0].party == party


def test_a_flat_rate_on_a_busy_machine_stands_at_a_limit() -> None:
    found = judged("gp3,size=100GiB,instance=m5.large", {Role.READS: run(noisy(900, 60), busy=1.0)})
    assert found.answer is Answer.NO


def test_blocks_that_were_fetched_before_are_no_excuse() -> None:
    passes = {Role.FIRST: run(noisy(400, 10), mode="read"), Role.AGAIN: run(noisy(410, 10), mode="read")}
    found = judged("gp3,size=100GiB,instance=m5.large", {Role.READS: run(noisy(900, 60)), **passes})
    assert found.first_touch == pytest.approx(1.025, rel=0.02)
    assert found.answer is Answer.NO


def test_one_bad_window_of_ten_proves_nothing() -> None:
    series = [*noisy(2995, 54), *noisy(2000, 6)]
    found = judged("io2,size=100GiB,iops=3000,instance=m5.large", {Role.READS: run(noisy(2995, 60))})
    assert found.answer is Answer.YES
    dip = judged("gp3,size=100GiB,instance=m5.large", {Role.READS: run([*series[:30], *series[54:], *series[30:54]])})
    assert dip.loads[0].kept < dip.loads[0].windows
    assert dip.answer is Answer.UNKNOWN


def test_an_invalid_run_is_no_answer() -> None:
    broken = run(noisy(3000, 60), status=RunStatus.INVALID, reason="the page cache answered")
    found = judged("gp3,size=100GiB,instance=m5.large", {Role.READS: broken})
    assert found.answer is Answer.UNKNOWN
    assert found.loads[0].why == "the page cache answered"
    assert judged("gp3,size=100GiB", {}).answer is Answer.UNKNOWN


@given(st.integers(1, 60), st.floats(0.0005, 0.2))
def test_more_bad_windows_are_never_likelier(windows: int, share: float) -> None:
    said = [unlikely(bad, windows, share) for bad in range(windows + 1)]
    assert said == sorted(said)
    assert not said[0]


def test_rates_leave_out_a_last_interval_that_was_cut_short() -> None:
    whole = run(noisy(100, 5))
    cut = whole.intervals[-1].model_copy(update={"duration_ns": SECOND // 10})
    assert len(rates((*whole.intervals[:-1], cut))) == 4


def test_a_few_slow_reads_are_no_first_touch() -> None:
    def read(rate: float, p90_ns: float) -> Run:
        score = Score(metric="read_p90", value=p90_ns, unit="ns", direction="lower")
        return run(noisy(rate, 10), mode="read").model_copy(update={"scores": (score,)})

    loads = {Role.READS: run(noisy(3000, 60))}
    busy = judged(
        "gp3,size=100GiB,instance=m5.large", {**loads, Role.FIRST: read(400, 7e5), Role.AGAIN: read(1600, 7e5)}
    )
    assert busy.first_touch == 1
    new = judged(
        "gp3,size=100GiB,instance=m5.large", {**loads, Role.FIRST: read(400, 2e7), Role.AGAIN: read(1600, 7e5)}
    )
    assert new.first_touch == pytest.approx(4, rel=0.1)


def test_a_slow_first_pass_among_passes_that_differ_anyway_is_no_first_touch() -> None:
    passes = {Role.FIRST: 400, Role.AGAIN: 800, Role.CONTROL: 500}
    found = judged(
        "gp3,size=100GiB,instance=m5.large",
        {Role.READS: run(noisy(900, 60)), **{role: run(noisy(rate, 10), mode="read") for role, rate in passes.items()}},
    )
    assert found.first_touch == pytest.approx(1.25, rel=0.02)
    assert found.answer is Answer.NO
