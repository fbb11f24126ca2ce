"""Which limit holds a load back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.catalog.bounds import Pace, Use, bounds, burst, explain, pace, sustained, use_of
from plimsoll.catalog.shape import VolumeShape, options_from, volume_shape
from plimsoll.catalog.targets import read_as, shape_of
from plimsoll.catalog.waits import Wait
from plimsoll.errors import UsageError
from plimsoll.model import Target
from plimsoll.profile import Entry, cases


def shape(text: str) -> VolumeShape:
    return volume_shape(options_from(text, "volume"), "volume")


READ_4K = Use(4096, 1.0)


@pytest.mark.parametrize(
    ("text", "use", "lasting", "bursting"),
    [
        ("gp2,size=100GiB", READ_4K, ("volume IOPS baseline", 300), ("volume IOPS burst", 3000)),
        ("gp2,size=385GiB,instance=m5d.large", READ_4K, ("volume IOPS baseline", 1155), ("volume IOPS burst", 3000)),
        ("gp3,size=100GiB", Use(2**20, 1.0), ("volume throughput", 125), ("volume throughput", 125)),
        ("gp3,size=100GiB", Use(2**18, 1.0), ("volume throughput", 500), ("volume throughput", 500)),
        (
            "gp3,size=100GiB,iops=16000,throughput=1000,instance=m5.large",
            READ_4K,
            ("instance IOPS baseline", 3600),
            ("volume IOPS", 16_000),
        ),
        (
            "io1,size=200GiB,iops=2000,era=2013,instance=m1.small",
            Use(65_536, 1.0),
            ("instance throughput", 37_500_000 / 65_536),
            ("instance throughput", 37_500_000 / 65_536),
        ),
        ("gp3,size=100GiB,raid=5,members=4", Use(4096, 0.0), ("volume IOPS", 3000), ("volume IOPS", 3000)),
        ("gp3,size=100GiB,raid=1,members=2", Use(4096, 0.0), ("volume IOPS", 3000), ("volume IOPS", 3000)),
        ("gp3,size=100GiB,raid=10,members=4", Use(4096, 0.5), ("volume IOPS", 8000), ("volume IOPS", 8000)),
        ("gp3,size=100GiB,raid=0,members=4", READ_4K, ("volume IOPS", 12_000), ("volume IOPS", 12_000)),
        ("st1,size=1TiB", READ_4K, ("volume throughput baseline", 40), ("volume throughput burst", 250)),
        (
            "st1,size=1TiB",
            Use(131_072, 1.0, True),
            ("volume throughput baseline", 320),
            ("volume throughput burst", 2000),
        ),
        ("gp3,size=100GiB", Use(65_536, 1.0, True), ("volume throughput", 2000), ("volume throughput", 2000)),
    ],
)
def test_the_tightest_limits(text: str, use: Use, lasting: tuple[str, float], bursting: tuple[str, float]) -> None:
    found, short = sustained(shape(text), use), burst(shape(text), use)
    assert found
    assert short
    assert (found.name, found.per_second) == (lasting[0], pytest.approx(lasting[1]))
    assert (short.name, short.per_second) == (bursting[0], pytest.approx(bursting[1]))


@pytest.mark.parametrize(
    ("rate", "part", "lasts_s"),
    [
        (
            3010,
            "is near its limit of 3,000/s, the volume IOPS burst; full credits hold this rate for 48 min 47 s",
            2927,
        ),
        (1150, "is near its limit of 1,155/s, the volume IOPS baseline", None),
        (1168, "is near its limit of 1,155/s, the volume IOPS baseline", None),
        (
            2000,
            "above its volume IOPS baseline of 1,155/s, on a burst; full credits hold this rate for 1 h 47 min",
            6391,
        ),
        (90_000, "above its volume IOPS burst of 3,000/s: a cache", None),
        (400, "below all its limits", None),
    ],
)
def test_why_a_volume_gave_what_it_gave(rate: float, part: str, lasts_s: float | None) -> None:
    found = explain(shape("gp2,size=385GiB,instance=m5d.large"), READ_4K, rate)
    assert part in found.text
    assert found.lasts_s == (None if lasts_s is None else pytest.approx(lasts_s, abs=20))


@pytest.mark.parametrize(
    ("text", "use", "rate", "told"),
    [
        (
            "gp3,size=100GiB",
            Use(2**18, 1.0, True),
            6803,
            "6,803/s of 256 KiB (1.66 GiB/s) is above its volume throughput of 125 MiB/s (500/s): a cache, or not this "
            "volume",
        ),
        (
            "gp3,size=100GiB",
            Use(2**20, 1.0),
            117,
            "117/s of 1 MiB (117 MiB/s) is near its limit of 125 MiB/s (125/s), the volume throughput",
        ),
        (
            "st1,size=1TiB",
            READ_4K,
            39,
            "39/s of 4 KiB (156 KiB/s) is near its limit of 40 MiB/s (40/s, each counted as 1 MiB), "
            "the volume throughput baseline",
        ),
        (
            "gp3,size=100GiB,raid=5,members=4",
            Use(4096, 0.0),
            2900,
            "2,900/s is near its limit of 12,000/s (3,000/s, each counted as 4), the volume IOPS",
        ),
        (
            "gp3,size=100GiB,raid=0,members=4",
            READ_4K,
            11_900,
            "11,900/s is near its limit of 12,000/s, the volume IOPS",
        ),
        (
            "gp3,size=100GiB",
            READ_4K,
            400,
            "400/s is below all its limits (the tightest is the volume IOPS, 3,000/s)",
        ),
    ],
)
def test_a_limit_is_said_in_its_own_unit_and_in_that_of_the_load(text: str, use: Use, rate: float, told: str) -> None:
    assert explain(shape(text), use, rate).text == told


@pytest.mark.parametrize(
    ("rate", "waited", "told"),
    [
        (
            3000,
            [Wait("volume.iops", 0.95)],
            "3,000/s is held back by its volume IOPS burst of 3,000/s: I/Os waited for it in 95 % of the time; "
            "full credits hold this rate for 33 min 20 s",
        ),
        (
            300,
            [Wait("volume.iops_credits", 0.9), Wait("volume.iops", 0.1)],
            "300/s is held back by its volume IOPS baseline of 300/s: I/Os waited for it in 90 % of the time",
        ),
        # A limit that held I/Os back in all of the time, and not at the rate that it should have.
        (
            200,
            [Wait("volume.iops_credits", 1.0)],
            "200/s is held back by its volume IOPS baseline, of which it gets less than 300/s: I/Os waited for it in "
            "100 % of the time",
        ),
        # In half of the time, at its rate: nothing was asked for in the other half.
        (
            150,
            [Wait("volume.iops_credits", 0.5)],
            "150/s is held back by its volume IOPS baseline of 300/s: I/Os waited for it in 50 % of the time",
        ),
        (
            900,
            [Wait("volume.iops_credits", 0.7)],
            "900/s is in part a burst: I/Os waited for its volume IOPS baseline of 300/s in 70 % of the time",
        ),
        # The very rate of a limit, for which nothing waited.
        (
            300,
            [Wait("volume.iops", 0.02)],
            "300/s is what its latency allows at this many in flight: no limit of it made I/Os wait",
        ),
        (
            90_000,
            [Wait("volume.iops", 0.9)],
            "90,000/s is above its volume IOPS burst of 3,000/s: a cache, or not this volume",
        ),
    ],
)
def test_what_made_ios_wait_is_the_reason(rate: float, waited: list[Wait], told: str) -> None:
    assert explain(shape("gp2,size=100GiB"), READ_4K, rate, waited).text == told


@pytest.mark.parametrize(
    ("runtime", "warmup", "told"),
    [
        # A volume that was idle gives a second's worth at once.
        ("2s", "0s", "115/s is in part a burst: I/Os waited for its volume IOPS of 100/s in 97 % of the time"),
        ("60s", "0s", "115/s is above its volume IOPS of 100/s: a cache, or not this volume"),
        ("2s", "1s", "115/s is above its volume IOPS of 100/s: a cache, or not this volume"),
    ],
)
def test_what_an_idle_volume_has_in_reserve_is_no_cache(runtime: str, warmup: str, told: str) -> None:
    (case,) = cases([Entry("randread", {"runtime": runtime, "warmup": warmup})], {}, "test")
    use = use_of(case.plan({}, "target"))
    assert use is not None
    waited = [Wait("volume.iops", 0.97)]
    assert explain(shape("io1,size=20GiB,iops=100"), use, 115, waited).text == told


@given(
    st.sampled_from(["gp2,size=200GiB,instance=m5.large", "gp3,size=50GiB,raid=10,members=4", "st1,size=2TiB"]),
    st.integers(9, 20),
    st.floats(0, 1),
)
def test_no_throughput_limit_is_only_a_rate_of_operations(text: str, power: int, share: float) -> None:
    for each in bounds(shape(text), Use(2**power, share)):
        assert ("B/s" in each.text) == ("throughput" in each.name)


def test_credits_of_an_emulated_volume_last_as_long_as_they_are_and_time_passes() -> None:
    found = explain(shape("gp2,size=100GiB,credits=10%,time_scale=20"), READ_4K, 3000)
    assert found.lasts_s == pytest.approx(2000 * 0.1 / 20)


@given(st.sampled_from(["gp2,size=200GiB,instance=m5.large", "gp3,size=50GiB", "st1,size=2TiB"]), st.integers(9, 20))
def test_larger_operations_are_never_more_per_second(text: str, power: int) -> None:
    def least(size: int) -> float:
        return min(each.per_second for each in bounds(shape(text), Use(size, 0.5)))

    assert least(2**power) >= least(2 ** (power + 1))


def test_the_pace_of_a_volume_is_its_tightest_limit_while_credits_last() -> None:
    assert pace(shape("gp2,size=100GiB")) == Pace(128 * 2**20, 3000)
    # The network of an m1.small, and not the volume.
    assert pace(shape("io1,size=200GiB,iops=2000,era=2013,instance=m1.small")) == Pace(37_500_000, 2000)
    assert pace(None) is None


def test_a_target_is_the_volume_that_its_user_or_its_name_says() -> None:
    said = Target(name="a", where="/mnt", options={"as": "gp3+size=100GiB+iops=4000"})
    assert (found := shape_of(said)) is not None
    assert found.provisioned_iops == 4000
    served = Target(name="b", kind="volume", where="vol:type=gp2,size=100GiB,fs=xfs", options={"depth": "4"})
    assert (found := shape_of(served)) is not None
    assert found.summary.startswith("gp2 100 GiB")
    assert shape_of(Target(name="c", where="/mnt")) is None
    assert shape_of(Target(name="d", where="/mnt", options={"as": "hyperdrive+size=1GiB"})) is None
    with pytest.raises(UsageError, match="gp3"):
        read_as("gp4+size=1GiB")


def test_credits_are_those_of_the_instance_too() -> None:
    words = "gp3,size=100GiB,iops=16000,throughput=1000,instance=m5.large"
    full, empty = shape(words), shape(f"{words},credits=0")
    assert full.spec["instance"]["iops"]["credits"]["initial"] == 1
    assert [limit["credits"]["initial"] for limit in empty.spec["instance"].values()] == [0, 0]
    lasts = [next(each.lasts_s for each in bounds(each, READ_4K) if each.name == "instance IOPS burst")
             for each in (full, empty)]  # fmt: skip
    assert lasts == [1800, 0]
