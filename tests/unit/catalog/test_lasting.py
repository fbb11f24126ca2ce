"""What a score stands on: a burst is called one, and nothing else is."""

from __future__ import annotations

import pytest
from tests.factories import make_study

from plimsoll.catalog.lasting import GUARD, finding, standing, standings
from plimsoll.model import Interval, IntervalOperations, Run, Score
from plimsoll.stats.standing import Basis, Standing
from plimsoll.units import SECOND

_CASE = "randread"


def runs(where: str, rates: list[float], seconds: int = 2) -> list[Run]:
    """Runs of 4 KiB random reads at these rates, on a volume that is said (`as=`) or served (`vol:`)."""
    _, made = make_study(cases=(_CASE,), targets=("a",), blocks=len(rates))
    place = {"where": where} if where.startswith("vol:") else {"options": {"as": where} if where else {}}
    found = []
    for run, rate in zip(made, rates, strict=True):
        intervals = tuple(_interval(second, rate) for second in range(seconds))
        scores = (Score(metric="iops", value=rate, unit="1/s", direction="higher"),)
        target = run.target.model_copy(update=place)
        update = {"target": target, "intervals": intervals, "scores": scores, "findings": ()}
        found.append(run.model_copy(update=update))
    return found


def _interval(second: int, rate: float, device: dict[str, float] | None = None) -> Interval:
    done = IntervalOperations(operations=round(rate), bytes=round(rate) * 4096, p50_ns=1, p99_ns=2, max_ns=3)
    return Interval(
        start_ns=second * SECOND, duration_ns=SECOND, errors=0, operations={"read": done}, device=device or {}
    )


def on_burst(where: str, rate: float, seconds: int = 2) -> Standing | None:
    made = runs(where, [rate] * 3, seconds)
    found = standing(made)
    assert (finding(made, found) is not None) == (found is not None and found.basis is Basis.BURST)
    return found


@pytest.mark.parametrize(
    ("where", "rate", "lasts_s", "left", "holder"),
    [
        ("gp2,size=100GiB", 2915, 2065, 300, "volume"),
        ("vol:type=gp2,size=100GiB,fs=xfs", 2915, 2065, 300, "volume"),
        # The second that an idle volume has in store: a run of 2 s may give half as much again.
        ("gp2,size=100GiB", 4400, 2000, 300, "volume"),
        ("gp2,size=500GiB", 3000, 3600, 1500, "volume"),
        ("gp2,size=100GiB,credits=10%,time_scale=20", 3000, 10, 300, "volume"),
        # The volume has 16,000 for ever, an m5.large lets 3,600 through after half an hour of its maximum.
        ("gp3,size=500GiB,iops=16000,instance=m5.large", 16_000, 2200, 3600, "instance"),
        ("premium-ssd,size=64GiB", 3500, 1800, 240, "volume"),
        ("standard,size=100GiB,era=2009", 200, 180, 100, "volume"),
        # 4 KiB at random cost an st1 a MiB each.
        ("st1,size=500GiB", 100, 6500, 19.5, "volume"),
    ],
)
def test_a_burst_is_called_one(where: str, rate: float, lasts_s: float, left: float, holder: str) -> None:
    found = on_burst(where, rate)
    assert found is not None
    assert found.basis is Basis.BURST
    assert found.lasts_s == pytest.approx(lasts_s, rel=0.03)
    assert found.left == pytest.approx(left, rel=0.01)
    assert found.holder == holder
    # The second in store is no part of what credits hold.
    assert found.share == pytest.approx(left / (3000 if rate == 4400 else rate), rel=0.01)


@pytest.mark.parametrize(
    ("where", "rate"),
    [
        ("", 3000),  # nobody said which volume it is
        ("gp3,size=100GiB", 2915),
        ("gp3,size=100GiB", 6000),  # the second it has in store is no burst on credits
        ("gp3,size=100GiB,instance=m5.large", 2915),  # the instance bursts, this volume never needs it
        ("io2,size=100GiB,iops=5000", 5000),
        ("instance-store,instance=m5d.large", 20_000),
        ("gp2,size=1000GiB", 3000),  # its base is its most
        ("gp2,size=2TiB", 6100),
        ("premium-ssd,size=1TiB", 5000),
        ("gp2,size=100GiB", 90_000),  # a cache answered, or it is another volume
        ("vol:type=nonsense", 3000),
    ],
)
def test_what_does_not_burst_never_is(where: str, rate: float) -> None:
    assert on_burst(where, rate) is None


@pytest.mark.parametrize(("where", "rate"), [("gp2,size=100GiB", 290), ("gp2,size=100GiB", 325), ("st1,size=2TiB", 70)])
def test_a_rate_that_lasts_is_sustained(where: str, rate: float) -> None:
    found = on_burst(where, rate)
    assert found is not None
    assert found.basis is Basis.SUSTAINED


def test_a_run_that_outlasts_the_burst_is_none() -> None:
    assert on_burst("gp2,size=100GiB,time_scale=100", 2900, seconds=19) is not None
    assert on_burst("gp2,size=100GiB,time_scale=100", 2900, seconds=30) is None


def test_a_burst_that_ended_between_the_runs_was_seen() -> None:
    made = runs("gp2,size=100GiB", [2900, 2900, 2900, 300, 300])
    found = standing(made)
    assert found is not None
    assert found.basis is Basis.MIXED
    assert finding(made, found) is None


@pytest.mark.parametrize("rates", [[2900, 2900, 300, 2900, 2900], [2900, 2900, 2900, 2900, 290], [300, 2900, 2900]])
def test_a_slow_run_that_fast_ones_follow_is_no_end_of_a_burst(rates: list[float]) -> None:
    found = standing(runs("gp2,size=100GiB", rates))
    assert found is not None
    assert found.basis is Basis.BURST


def _cliff(run: Run, after: int, seconds: int = 50) -> Run:
    """3,000/s until second `after`, then 300."""
    intervals = tuple(_interval(second, 3000 if second < after else 300) for second in range(seconds))
    burst = Score(metric="iops_burst", value=3000, unit="1/s", direction="higher")
    rate = Score(metric="iops", value=300, unit="1/s", direction="higher")
    return run.model_copy(update={"intervals": intervals, "scores": (rate, burst)})


@pytest.mark.parametrize("where", ["", "gp2,size=100GiB,time_scale=100"])
def test_a_cliff_inside_a_run_leaves_a_sustained_rate_and_mixed_latencies(where: str) -> None:
    made = [_cliff(run, 20) for run in runs(where, [3000, 3000])]
    found = standing(made)
    assert found is not None
    assert finding(made, found) is None
    assert found.of("iops", "1/s") is Basis.SUSTAINED
    assert found.of("iops_burst", "1/s") is Basis.BURST
    assert found.of("read_p99", "ns") is Basis.MIXED


def test_a_cliff_too_near_the_end_mixes_both() -> None:
    found = standing([_cliff(run, 44) for run in runs("", [3000])])
    assert found is not None
    assert found.of("iops", "1/s") is Basis.MIXED


def _commits(where: str, device: dict[str, float]) -> list[Run]:
    """Runs whose I/Os have no one size: only the device knows what reached it."""
    made = runs(where, [1300, 1300])
    plan = made[0].plan.model_copy(update={"workload": "postmark"})
    intervals = tuple(_interval(second, 1300, device) for second in range(2))
    return [run.model_copy(update={"plan": plan, "intervals": intervals}) for run in made]


def test_the_device_tells_the_rate_of_a_test_whose_requests_differ() -> None:
    busy = {"reads": 0.0, "writes": 2600.0, "read_bytes": 0.0, "write_bytes": 2600.0 * 4096}
    found = standing(_commits("gp2,size=100GiB", busy))
    assert found is not None
    assert (found.basis, found.rate, found.left) == (Basis.BURST, 2600, 300)
    idle = {name: value / 100 for name, value in busy.items()}
    assert standing(_commits("gp2,size=100GiB", idle)) is None
    assert standing(_commits("gp3,size=100GiB", busy)) is None


def test_where_nothing_counts_a_burst_that_may_be_is_in_doubt() -> None:
    made = _commits("gp2,size=100GiB", {})
    found = standing(made)
    assert found is not None
    assert found.basis is Basis.UNKNOWN
    assert found.lasts_s == pytest.approx(2000)
    told = finding(made, found)
    assert told is not None
    assert told.message.startswith("sustained level not measured: this volume may burst for 33 min or longer")
    for steady in ("gp3,size=100GiB", "gp2,size=2TiB", "io2,size=100GiB,iops=5000", ""):
        assert standing(_commits(steady, {})) is None
    # Less than the base of the instance is all that the volume can give: 15 MiB/s of an io1 of 100 IOPS.
    assert standing(_commits("io1,size=100GiB,iops=100,instance=m5.large", {})) is None


def test_the_finding_says_what_is_left_and_what_to_do() -> None:
    made = runs("vol:type=gp2,size=100GiB,fs=xfs", [2915])
    told = finding(made, standing(made))
    assert told is not None
    assert told.guard == GUARD
    assert told.message == (
        "sustained level not measured: 2,915/s depends on burst credits of the volume; full ones last 34 min, and then "
        "300/s are left (volume IOPS baseline). No run was longer than 2 s"
    )
    assert "credits=0" in told.advice
    said = runs("gp2,size=100GiB", [2915])
    told = finding(said, standing(said))
    assert told is not None
    assert "credits=0" not in told.advice  # nobody can empty a real volume's


def test_memory_says_nothing_about_a_volume() -> None:
    made = runs("gp2,size=100GiB", [2900, 2900])
    assert list(standings(made, [])) == [(_CASE, "a")]
    assert standings(made, [(_CASE, "iops", "a")]) == {}
