"""Simulations end where the formulas say, and the choice is the cheapest that is enough."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from plimsoll.catalog.shape import VolumeShape, options_from, volume_shape
from plimsoll.errors import TargetError, UsageError
from plimsoll.prices.cost import cost
from plimsoll.report.document import Chart
from plimsoll.report.simulated import simulation_document
from plimsoll.simulation.choice import choose
from plimsoll.simulation.grid import grid
from plimsoll.simulation.job import Trace, load
from plimsoll.simulation.outcome import Outcome, simulate
from plimsoll.simulation.slo import judge, parse_slo
from plimsoll.units import HOUR, MINUTE, SECOND


def shape(text: str) -> VolumeShape:
    return volume_shape(options_from(text, "--volume"), "--volume")


def simulated(volume: str, job: str, duration_ns: int) -> Outcome:
    made = shape(volume)
    return simulate(made, load(job, {}), duration_ns, cost(made))


def test_a_gp2_burst_ends_when_the_formula_says() -> None:
    found = simulated("gp2,size=100GiB,instance=m5.large", "randread,depth=16", HOUR)
    [(second, who)] = found.burst_ends
    assert second == pytest.approx(5_400_000 / (3000 - 300), rel=0.01)
    assert who == "volume IOPS, credits used up"
    first, last = found.phases
    assert first.operations == pytest.approx(3000, rel=0.01)
    assert last.operations == pytest.approx(300, rel=0.01)
    assert last.limited_by == who
    assert last.limited_share == 1
    assert found.used_credits == ("volume.iops_credits",)
    assert sum(found.limiting_shares.values()) == pytest.approx(1)


def test_a_burst_is_told_however_short_the_simulation() -> None:
    lasts = simulated("gp2,size=100GiB", "randread,depth=16", 5 * SECOND).credits_last
    assert lasts is not None
    assert lasts[0] == pytest.approx(5_400_000 / (3000 - 300), rel=0.01)
    assert simulated("gp2,size=100GiB", "randread,rate=100/s", 5 * SECOND).credits_last is None


def test_an_instance_limits_what_the_volume_would_give() -> None:
    found = simulated("gp3,size=1000GiB,iops=16000,instance=m5.large", "randread,depth=64", 30 * SECOND)
    assert found.sustained.limited_by == "volume IOPS"
    lasts = found.credits_last
    assert lasts is not None
    assert lasts[0] == pytest.approx(27_270_000 / (16_000 - 3600), rel=0.01)
    assert lasts[1].startswith("instance IOPS")
    larger = simulated("gp3,size=1000GiB,iops=80000,instance=m5.large", "randread,depth=128", 30 * SECOND)
    assert larger.sustained.limited_by == "instance IOPS"
    assert larger.sustained.operations == pytest.approx(18_750, rel=0.02)


def test_the_same_question_has_the_same_answer() -> None:
    one, two = (simulated("io2,size=100GiB,iops=1000", "randrw,depth=8", 5 * SECOND) for _ in range(2))
    assert one.answer == two.answer
    other = simulated("io2,size=100GiB,iops=1000,seed=2", "randrw,depth=8", 5 * SECOND)
    assert other.answer != one.answer


def test_depth_one_has_the_latency_of_the_model() -> None:
    found = simulated("io2,size=100GiB,iops=64000", "randread,depth=1", 20 * SECOND)
    assert found.latency.percentile(50) == pytest.approx(300_000, rel=0.02)
    assert found.latency.percentile(99) == pytest.approx(517_000, rel=0.05)
    assert found.sustained.limited_by == "nothing"


def test_a_recorded_load(tmp_path: Path) -> None:
    log = tmp_path / "app.iolog"
    lines = [f"{i * 1000} /dev/sdb read {i * 8192} 4096" for i in range(2000)]
    log.write_text("fio version 3 iolog\n0 /dev/sdb add\n0 /dev/sdb open\n" + "\n".join(lines) + "\n")
    made = shape("gp2,size=10GiB")
    found = simulate(made, Trace(log), None, cost(made))
    assert found.requests == 2000
    others = tmp_path / "others.csv"
    others.write_text("".join(f"{128166372003061629 + i * 10_000},hm,0,Read,{i * 4096},4096,8\n" for i in range(100)))
    assert simulate(made, Trace(others), None, cost(made)).requests == 100
    others.write_text(others.read_text() + "128166372104061629,hm,1,Read,0,4096,8\n")
    with pytest.raises(UsageError, match="holds I/Os of several devices or files; a volume replays one"):
        simulate(made, Trace(others), None, cost(made))
    with pytest.raises(TargetError, match="missing"):
        simulate(made, Trace(tmp_path / "missing"), None, cost(made))
    (tmp_path / "empty").write_text("nothing here\n")
    with pytest.raises(UsageError, match="empty is no trace that is known here"):
        simulate(made, Trace(tmp_path / "empty"), None, cost(made))


@pytest.mark.parametrize(
    ("job", "part"),
    [
        ("randread,randwrite", "give one test"),
        ("randwrite,mode=trim", "trims have no cost"),
        ("randread,block_size=4KiB:50 8KiB:50", "one block size"),
        ("randrea", "randread"),
        ("randread,dept=3", "depth"),
    ],
)
def test_what_has_no_model_is_refused(job: str, part: str) -> None:
    with pytest.raises(UsageError, match=part):
        load(job, {})


@pytest.mark.parametrize("text", ["", "fast", "p99>10ms", "iops<100", "p99<0ms", "p99<10", "throughput>=1MB,x"])
def test_what_is_no_bound_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--slo"):
        parse_slo(text)


@pytest.mark.parametrize("name", ["p100", "p1000", "p100.0", "p105", "p0", "p200.5"])
def test_what_is_no_percentile_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match=f"--slo {name}: percentiles lie between 0 and 100; write max"):
        parse_slo(f"{name}<20ms")


def test_percentiles_read_as_written() -> None:
    words = ("p1", "p50", "p99", "p99.9", "p99.99", "p999", "p9999", "p995")
    found = [parse_slo(f"{each}<1ms")[0].metric for each in words]
    assert found == ["p1", "p50", "p99", "p99.9", "p99.99", "p99.9", "p99.99", "p99.5"]


def test_bounds_read_as_written() -> None:
    clauses = parse_slo("p99<10ms, p999 <= 20ms and iops>=4k,throughput>200MiB/s")
    assert [(each.metric, each.limit) for each in clauses] == [
        ("p99", 10e6),
        ("p99.9", 20e6),
        ("iops", 4000.0),
        ("throughput", 200 * 2**20),
    ]


def test_a_bound_that_holds_only_until_the_burst_ends_does_not_hold() -> None:
    bound = parse_slo("p50<10ms")
    short = simulated("gp2,size=100GiB", "randread,depth=16", 10 * MINUTE)
    assert judge(short, bound).met
    long = simulated("gp2,size=100GiB", "randread,depth=16", 40 * MINUTE)
    verdict = judge(long, bound)
    assert not verdict.met
    assert "from 33 min" in verdict.reasons[0]
    assert "credits used up" in verdict.reasons[0]


def test_the_cheapest_that_is_enough_comes_first() -> None:
    work = load("randread,rate=3500/s", {})
    shared = {"size": "200GiB"}
    found = choose(["standard", "io2", "gp3", "gp2", "st1"], shared, work, None, parse_slo("p99<10ms"), None, print)
    met = [each for each in found if each.met]
    assert [each.type for each in met] == ["gp3", "gp2", "io2"]
    prices = [each.usd_per_month for each in met]
    assert prices == sorted(price for price in prices if price is not None)
    assert met[0].outcome
    assert met[0].outcome.shape.provisioned_iops == 3500
    assert met[0].headroom == pytest.approx(0)
    assert {each.type for each in found if not each.met} == {"standard", "st1"}
    assert all(each.judgement and each.judgement.reasons for each in found if not each.met)


def test_a_type_that_cannot_be_bought_like_this_says_why() -> None:
    [found] = choose(["gp2"], {"size": "40TiB"}, load(None, {}), None, parse_slo("p99<10ms"), None, print)
    assert "1 to 16,384 GiB" in found.refused
    with pytest.raises(UsageError, match="gp3"):
        choose(["gp4"], {"size": "40GiB"}, load(None, {}), None, parse_slo("p99<10ms"), None, print)


@pytest.mark.parametrize(
    "kind", ["gp3", "gp2", "io1", "io2", "st1", "pd-ssd", "premium-ssd", "premium-ssd-v2", "ultra"]
)
def test_a_grid_only_gets_faster_and_never_cheaper(kind: str) -> None:
    sold = grid(kind, {"size": "500GiB"})
    for i, axis in enumerate(sold.axes):
        assert len(axis.values) > 3
        for other in (0, -1):
            point = [each.values[other] for each in sold.axes]
            places = sorted({round(len(axis.values) ** (k / 20)) - 1 for k in range(21)})
            shapes = [sold.shape([*point[:i], axis.values[place], *point[i + 1 :]]) for place in places]
            speeds = [(each.limits.iops.sustained, each.limits.throughput.sustained) for each in shapes]  # type: ignore[union-attr]
            assert all(a <= c and b <= d for (a, b), (c, d) in itertools.pairwise(speeds))
            prices = [price for each in shapes if (price := cost(each).volume_per_month) is not None]
            assert prices == sorted(prices)


def test_the_load_that_was_assumed_is_named_as_such() -> None:
    assert load(None, {}).words == "randread of 4 KiB, always 32 in flight (assumed; --job says what it really is)"
    assert "assumed" not in load("randread", {}).words


def test_a_report_of_a_simulation_draws_all_that_it_says() -> None:
    found = [simulated(volume, "randread,depth=16", 2 * HOUR) for volume in ("gp2,size=100GiB", "gp3,size=100GiB")]
    document = simulation_document(found)
    over_time = document.sections[-1].blocks
    assert [block.id for block in over_time if isinstance(block, Chart)] == [
        f"simulated-{name}" for name in ("rate", "p99", "credits", "limits")
    ]
    for chart in document.charts:
        picture = chart.svg()
        assert 'class="mark-' in picture
        assert "gp2" in picture
    assert "more than 200 points shows medians" in str(over_time[0])
    # A minute has 60 points.
    assert isinstance(
        simulation_document([simulated("gp3,size=100GiB", "randread", 60 * SECOND)]).sections[-1].blocks[0], Chart
    )
