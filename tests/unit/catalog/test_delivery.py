"""Verdicts on runs of known truth: each cause is named, and too little data proves nothing."""

from __future__ import annotations

import base64
import itertools
import math
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hdrh.histogram import HdrHistogram
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.catalog.delivery import Answer, Delivery, Role, _windows, judge, unlikely
from plimsoll.catalog.shape import options_from, volume_shape
from plimsoll.catalog.waits import WAITED
from plimsoll.model import Interval, IntervalOperations, Plan, Run, RunStatus, Target
from plimsoll.parameters import defaults, read_values
from plimsoll.run.evidence import RunEvidence
from plimsoll.run.guards import change_point
from plimsoll.run.sampler import HostSample
from plimsoll.stats.course import Rates, rates_of
from plimsoll.stats.steady import Shape
from plimsoll.targets.chain import Chain
from plimsoll.units import MILLISECOND, SECOND


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
    waited: Sequence[dict[str, float]] = (),
    depth: int = 1,
    warmup: int = SECOND,
) -> Run:
    """A run with these operations in each second; `waited` are shares of each second by bucket."""
    kind = "read" if "read" in mode else "write"
    values = {**defaults("io"), **read_values("io", {"mode": mode, "block_size": block_size}, "test")}
    values |= {"depth": depth, "warmup": warmup}
    intervals = tuple(
        Interval(
            start_ns=i * SECOND,
            duration_ns=SECOND,
            errors=0,
            operations={kind: IntervalOperations(operations=round(n), bytes=0, p50_ns=1, p99_ns=2, max_ns=3)},
            device={
                "reads": n * device_share,
                "writes": 0.0,
                **({WAITED + name: share * SECOND for name, share in waited[i].items()} if waited else {}),
            },
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


def reads(usual_ns: float, slow: float = 0.0, slow_ns: float = 20e6) -> Run:
    """A pass of 200 reads that take so long, and a share of them longer."""
    made = HdrHistogram(1, 60 * SECOND, 3)
    longer = round(200 * slow)
    made.record_value(round(usual_ns), 200 - longer)
    if longer:
        made.record_value(round(slow_ns), longer)
    total_s = (usual_ns * (200 - longer) + slow_ns * longer) / SECOND
    found = run([200 / total_s] * math.ceil(total_s), mode="read")
    return found.model_copy(update={"histograms": {"read": base64.b64decode(made.encode())}})


def noisy(mean: float, seconds: int) -> list[float]:
    return [mean * factor for factor, _ in zip(itertools.cycle([0.99, 1.0, 1.01]), range(seconds), strict=False)]


def judged(volume: str, runs: dict[Role, Run]) -> Delivery:
    return judge(volume_shape(options_from(volume, "--as"), "--as"), runs)


def test_a_volume_at_its_limit_delivers() -> None:
    found = judged("gp3,size=100GiB,instance=m5.large", {Role.READS: run(noisy(2995, 60))})
    [load] = found.loads
    assert found.answer is Answer.YES
    assert (load.party, load.windows, load.kept) == ("near volume IOPS", 10, 10)
    assert load.why == "2,995/s is near its limit of 3,000/s, the volume IOPS"
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
    assert found.loads[0].party == "near instance IOPS baseline"


def test_a_burst_is_told_from_what_lasts_and_says_for_how_long() -> None:
    found = judged("gp2,size=100GiB,instance=m5.large", {Role.READS: run(noisy(3000, 600))})
    assert found.answer is Answer.YES
    assert found.loads[0].party == "near volume IOPS burst"
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


def test_a_cliff_that_a_finding_tells_is_told_here_too() -> None:
    # Twenty whole seconds and the rest of the last: mean intervals are shorter than a second, and there are twenty-one.
    whole = run([*noisy(3000, 8), *noisy(300, 13)])
    tail = whole.intervals[-1].model_copy(update={"duration_ns": SECOND // 3})
    cut = whole.model_copy(update={"intervals": (*whole.intervals[:-1], tail)})
    found = judged("gp2,size=100GiB,instance=m5.large,time_scale=250", {Role.READS: cut})
    assert any("the burst ended after 8 s: 2,996/s before, 300/s after" in each for each in found.sentences)
    assert not any("no cliff" in each for each in found.sentences)
    evidence = RunEvidence(
        plan=cut.plan,
        target=cut.target,
        outcome={"intervals": [each.model_dump() for each in cut.intervals]},
        before=HostSample(0),
        after=HostSample(1),
        samples=(),
        chain=Chain(),
        file=None,
        memory_limit_bytes=0,
    )
    said = change_point.check(evidence)
    assert said is not None
    assert said.message == found.loads[0].regime.sentence  # type: ignore[union-attr]
    assert (said.values["burst"], said.values["sustained"]) == (found.loads[0].burst_rate, found.loads[0].rate)


def test_a_run_is_not_too_short_for_its_last_interval_that_is_none() -> None:
    # The twentieth second ends when what was in flight does, 0.6 s late: 19 whole ones are left of 20.6 s.
    whole = run([*noisy(3000, 7), *noisy(300, 13)])
    late = whole.intervals[-1].model_copy(update={"duration_ns": SECOND * 16 // 10})
    found = judged(
        "gp2,size=100GiB", {Role.READS: whole.model_copy(update={"intervals": (*whole.intervals[:-1], late)})}
    )
    assert any("the burst ended after 7 s" in each for each in found.sentences)


def test_a_run_that_is_too_short_denies_no_cliff() -> None:
    found = judged("gp2,size=100GiB,instance=m5.large", {Role.READS: run(noisy(3000, 5))})
    assert any("measured for 5 s, too short to see a cliff in (20 s at least)" in each for each in found.sentences)
    assert not any("no cliff" in each for each in found.sentences)
    steady = judged("gp2,size=100GiB,instance=m5.large", {Role.READS: run(noisy(3000, 20))})
    assert any("no cliff in 20 s" in each for each in steady.sentences)


def test_a_rate_that_never_settles_is_no_level_without_a_cliff() -> None:
    found = judged("gp3,size=100GiB,instance=m5.large", {Role.READS: run([3000 - 15 * i for i in range(60)])})
    assert any("the rate never settled" in each for each in found.sentences)
    assert not any("no cliff" in each for each in found.sentences)


def counted(mean: float, seconds: int, **shares: float) -> Run:
    """A run during which I/Os waited for buckets (`volume_iops=0.9`)."""
    names = {name.replace("_", ".", 1): share for name, share in shares.items()}
    return run(noisy(mean, seconds), waited=[names] * seconds)


@pytest.mark.parametrize(
    ("rate", "shares", "party", "why"),
    [
        # The same rate, with and without I/Os that waited for the limit.
        (2995, {"volume_iops": 0.97}, "volume IOPS", "held back by its volume IOPS of 3,000/s"),
        (2995, {"volume_iops": 0.0}, "latency", "no limit of it made I/Os wait"),
        (2995, {"volume_iops": 0.3}, "latency, and at times volume IOPS", "waited for its volume IOPS"),
        (
            2995,
            {"volume_iops": 0.2, "instance_iops": 0.8},
            "instance IOPS burst",
            "held back by its instance IOPS burst",
        ),
        (2995, {"instance_iops_credits": 0.8}, "instance IOPS baseline", "I/Os waited for it in 80 %"),
    ],
)
def test_the_limiting_party_is_what_made_ios_wait(rate: float, shares: dict[str, float], party: str, why: str) -> None:
    found = judged("gp3,size=100GiB,instance=m5.large", {Role.READS: counted(rate, 60, **shares)})
    assert found.answer is Answer.YES
    assert found.loads[0].party == party
    assert why in found.loads[0].why


def test_a_volume_at_depth_one_is_limited_by_its_latency() -> None:
    found = judged("gp2,size=100GiB", {Role.READS: counted(1500, 60, volume_iops=0.0, volume_iops_credits=0.0)})
    assert found.answer is Answer.YES
    assert found.loads[0].party == "latency"
    assert "volume IOPS burst" not in " ".join(found.sentences)
    assert "No instance was named" not in " ".join(found.sentences)
    uncounted = judged("gp2,size=100GiB", {Role.READS: run(noisy(1500, 60))})
    assert uncounted.loads[0].party == "not known"
    assert "No instance was named" in " ".join(uncounted.sentences)


def test_a_suspect_does_not_take_the_place_of_what_was_counted() -> None:
    waiting = [{"volume.iops": 0.97}] * 60
    busy = run([500, 900, 1300] * 20, busy=0.99, waited=waiting)
    [load] = judged("gp3,size=100GiB", {Role.READS: busy}).loads
    assert (load.answer, load.party) == (Answer.UNKNOWN, "volume IOPS")
    assert "I/Os waited for it in 97 % of the time; all processors of this machine were busy" in load.why
    slow = judged("gp3,size=100GiB,iops=4000", {Role.READS: run(noisy(3000, 60), waited=waiting)}).loads[0]
    assert (slow.answer, slow.party) == (Answer.NO, "the volume")
    assert "I/Os waited for it in 97 %" in slow.why


def test_after_a_cliff_the_limit_is_the_one_of_then() -> None:
    before, after = {"volume.iops": 0.9, "volume.iops_credits": 0.0}, {"volume.iops": 0.0, "volume.iops_credits": 0.9}
    stepped = run([*noisy(3000, 200), *noisy(300, 400)], waited=[before] * 200 + [after] * 400)
    [load] = judged("gp2,size=100GiB", {Role.READS: stepped}).loads
    assert load.party == "volume IOPS baseline"
    assert "I/Os waited for it in 90 % of the time" in load.why


def test_counters_with_a_hole_are_no_counters() -> None:
    whole = counted(2995, 60, volume_iops=0.97)
    hole = whole.intervals[30].model_copy(update={"device": {}})
    torn = whole.model_copy(update={"intervals": (*whole.intervals[:30], hole, *whole.intervals[31:])})
    assert judged("gp3,size=100GiB", {Role.READS: torn}).loads[0].party == "near volume IOPS"


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
                Role.FIRST: reads(25 * MILLISECOND),
                Role.AGAIN: reads(2.5 * MILLISECOND),
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
    passes = {Role.FIRST: reads(2.5 * MILLISECOND), Role.AGAIN: reads(2.44 * MILLISECOND)}
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


def dips(at_s: Sequence[int], length_s: int, of_s: int, rate: float = 2000) -> list[float]:
    """3,000 a second, but for these stretches."""
    series = noisy(2995, of_s)
    for start in at_s:
        series[start : start + length_s] = noisy(rate, length_s)
    return series


@pytest.mark.parametrize("volume", ["gp3,size=100GiB", "io1,size=100GiB,iops=3000", "io2,size=100GiB,iops=3000"])
def test_one_stretch_is_one_event_whatever_was_promised(volume: str) -> None:
    for series in (dips([30], 6, 60), dips([300], 60, 600)):
        [load] = judged(f"{volume},instance=m5.large", {Role.READS: run(series)}).loads
        assert (load.answer, load.windows - load.kept) == (Answer.UNKNOWN, 1)
        assert "too few to prove anything" in load.why


def test_windows_shorter_than_a_minute_accuse_only_if_all_together_fell_short() -> None:
    volume = "io2,size=100GiB,iops=3000,instance=m5.large"
    [short] = judged(volume, {Role.READS: run(dips([12, 30], 6, 60))}).loads
    assert (short.answer, short.windows - short.kept) == (Answer.UNKNOWN, 2)
    assert "all windows together are not, and a provider counts minutes" in short.why
    [minutes] = judged(volume, {Role.READS: run(dips([120, 300], 60, 600))}).loads
    assert (minutes.answer, minutes.windows - minutes.kept) == (Answer.NO, 2)
    [low] = judged(volume, {Role.READS: run(dips([12, 30, 42], 6, 60, rate=1000))}).loads
    assert (low.answer, low.windows - low.kept) == (Answer.NO, 3)


def test_a_long_dip_is_not_hidden_by_what_came_after_it() -> None:
    """The score is of the last level; the promise is of all of the run."""
    [load] = judged("gp3,size=100GiB,instance=m5.large", {Role.READS: run(dips([120], 120, 400, rate=900))}).loads
    assert load.regime is not None
    assert load.regime.shape is Shape.EPISODE
    assert load.rate == pytest.approx(2995, rel=0.01)
    assert (load.answer, load.windows - load.kept) == (Answer.NO, 3)
    assert "together" not in load.why


@pytest.mark.parametrize("seconds", [1, 2, 5, 19, 25, 60])
def test_what_was_under_way_when_counting_began_is_missed_by_nobody(seconds: int) -> None:
    volume = "io1,size=100GiB,iops=300,instance=m5.large"
    # At a depth of 64, as many of the first second began in the warm-up, and do not count.
    first_lacks = [300.0 - 64, *[300.0] * (seconds - 1)]
    [load] = judged(volume, {Role.READS: run(first_lacks, depth=64)}).loads
    assert (load.answer, load.kept) == (Answer.YES, load.windows)
    # Without a warm-up there is nothing under way, and no second is excused.
    [cold] = judged(volume, {Role.READS: run(first_lacks, depth=64, warmup=0)}).loads
    assert (cold.answer, cold.windows - cold.kept) == ((Answer.UNKNOWN, 1) if seconds < 20 else (Answer.YES, 0))
    slow_throughout = [200.0 - 64, *[200.0] * (seconds - 1)]
    [slow] = judged(volume, {Role.READS: run(slow_throughout, depth=64)}).loads
    assert (slow.answer, slow.kept) == (Answer.NO if seconds > 1 else Answer.UNKNOWN, 0)


def test_what_a_record_says_of_it_is_in_its_intervals() -> None:
    first_lacks = run([240.0, *[300.0] * 9], depth=64)
    has = first_lacks.model_copy(update={"facts": {"discarded": {"read": {"operations": 64, "bytes": 0}}}})
    kept = [judged("io1,size=100GiB,iops=300", {Role.READS: each}).loads[0].kept for each in (first_lacks, has)]
    assert kept == [10, 9]


def test_it_is_added_to_the_first_second_of_the_run_only() -> None:
    series = Rates((236.0, *[300.0] * 19), 1.0, 20.0)
    # As of whole cycles: from the beginning, or after what is no cycle.
    from_the_first = replace(series.regime(), shape=Shape.CYCLIC, window_s=(0.0, 10.0))
    assert [_windows(series, from_the_first, 270.0, begun).kept for begun in (0, 64)] == [9, 10]
    later = replace(from_the_first, window_s=(1.0, 11.0))
    assert [_windows(series, later, 270.0, begun).mean for begun in (0, 64)] == [300, 300]


def test_what_waited_for_a_limit_is_not_blamed_on_the_volume_for_one_slow_moment() -> None:
    waited = [{"volume.iops": 0.95}] * 60
    [load] = judged("io1,size=100GiB,iops=3000", {Role.READS: run(dips([30], 6, 60), waited=waited)}).loads
    assert (load.answer, load.party) == (Answer.UNKNOWN, "volume IOPS")


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
    assert len(rates_of((*whole.intervals[:-1], cut), "1/s").values) == 4


USUAL = 0.6 * MILLISECOND
"""Of a read whose block is there."""


@pytest.mark.parametrize(
    ("first", "later", "ratio"),
    [
        pytest.param(reads(USUAL, slow=0.08), [reads(USUAL)], 1, id="a few slow reads of a busy machine"),
        pytest.param(reads(USUAL * 8), [reads(USUAL)], 8, id="new"),
        pytest.param(reads(USUAL, slow=0.5), [reads(USUAL)], 17.2, id="half of it is new"),
        pytest.param(reads(USUAL * 8), [reads(USUAL, slow=0.005, slow_ns=SECOND), reads(USUAL)], 8, id="one stall"),
        pytest.param(reads(USUAL, slow=0.005, slow_ns=SECOND), [reads(USUAL)], 1, id="one stall, and nothing new"),
    ],
)
def test_a_first_touch_is_what_all_reads_of_a_share_tell(first: Run, later: list[Run], ratio: float) -> None:
    passes = {Role.FIRST: first, **dict(zip((Role.AGAIN, Role.CONTROL), later, strict=False))}
    found = judged("gp3,size=100GiB,instance=m5.large", {Role.READS: run(noisy(3000, 60)), **passes})
    assert found.first_touch == pytest.approx(ratio, rel=0.01)
    said = any("first touch: not initialised yet" in each for each in found.sentences)
    assert said is (ratio > 1)


def test_a_pass_without_latencies_says_nothing_of_a_first_touch() -> None:
    passes = {Role.FIRST: run(noisy(40, 10)), Role.AGAIN: run(noisy(400, 10))}
    found = judged("gp3,size=100GiB,instance=m5.large", {Role.READS: run(noisy(900, 60)), **passes})
    assert found.first_touch is None
    assert not any("Reading the same blocks again" in each for each in found.sentences)


def test_a_slow_first_pass_among_passes_that_differ_anyway_is_no_first_touch() -> None:
    passes = {Role.FIRST: 400, Role.AGAIN: 800, Role.CONTROL: 500}
    found = judged(
        "gp3,size=100GiB,instance=m5.large",
        {Role.READS: run(noisy(900, 60)), **{role: reads(SECOND / rate) for role, rate in passes.items()}},
    )
    assert found.first_touch == pytest.approx(1.25, rel=0.02)
    assert found.answer is Answer.NO
