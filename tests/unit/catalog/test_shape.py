"""Shapes: what is written becomes the provider's numbers, and what a provider refuses is refused with its rule."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.catalog.shape import VolumeShape, volume_shape
from plimsoll.errors import UnknownName, UsageError


def shape(text: str) -> VolumeShape:
    return volume_shape(dict(part.split("=", 1) for part in text.split(",")), "volume")


# Sizes, baselines, burst and refill times as in the tables of the user guides.
GP2 = [
    # GiB, base, burst, MiB/s, seconds of burst, seconds to refill
    (1, 100, 3000, 128, 1862, 54_000),
    (20, 100, 3000, 128, 1862, 54_000),
    (100, 300, 3000, 128, 2000, 18_000),
    (170, 510, 3000, 128, 2169, 10_588),
    (250, 750, 3000, 250, 2400, 7_200),
    (334, 1002, 3000, 250, 2703, 5_389),
    (500, 1500, 3000, 250, 3600, 3_600),
    (750, 2250, 3000, 250, 7200, 2_400),
    (1000, 3000, 3000, 250, None, None),
    (5334, 16_000, 16_000, 250, None, None),
    (16_384, 16_000, 16_000, 250, None, None),
]


@pytest.mark.parametrize(("gib", "base", "burst", "mib", "burst_s", "refill_s"), GP2)
def test_gp2_is_the_providers_table(
    gib: int, base: int, burst: int, mib: int, burst_s: int | None, refill_s: int | None
) -> None:
    limits = shape(f"type=gp2,size={gib}GiB").limits
    assert limits.iops
    assert limits.throughput
    assert (limits.iops.sustained, limits.iops.rate) == (base, burst)
    assert limits.throughput.rate == mib * 2**20
    seconds = limits.iops.burst_seconds()
    assert (seconds is None) if burst_s is None else (seconds == pytest.approx(burst_s, abs=1))
    if refill_s is not None and limits.iops.capacity:
        assert limits.iops.capacity / limits.iops.sustained == pytest.approx(refill_s, abs=1)


@pytest.mark.parametrize(
    ("text", "iops", "mib"),
    [
        ("type=io1,size=1000GiB,iops=2000", 2000, 500),
        ("type=io1,size=1000GiB,iops=400", 400, 100),
        ("type=io1,size=1000GiB,iops=48000", 48_000, 750),
        ("type=io1,size=2000GiB,iops=64000", 64_000, 1000),
        ("type=io2,size=100GiB,iops=16000", 16_000, 4000),
        ("type=io2,size=100GiB,iops=1000", 1000, 256),
        ("type=io2,size=1000GiB,iops=1000,era=2021", 1000, 250),
        ("type=gp3,size=1GiB", 3000, 125),
        ("type=gp3,size=160GiB,iops=80000,throughput=2000", 80_000, 2000),
        ("type=gp2,size=5000GiB,era=2018-02", 10_000, 160),
        ("type=pd-ssd,size=100GiB", 9000, 288),
        ("type=pd-balanced,size=100GiB", 3600, 168),
    ],
)
def test_provisioned_types(text: str, iops: int, mib: float) -> None:
    limits = shape(text).limits
    assert limits.iops
    assert limits.throughput
    assert limits.iops.rate == iops
    assert limits.throughput.rate == pytest.approx(mib * 2**20, abs=1)


@pytest.mark.parametrize(
    ("kind", "tib", "base", "burst", "scan_hours"),
    [
        ("st1", 1, 40, 250, 1.17),
        ("st1", 5, 200, 500, 2.91),
        ("st1", 12.5, 500, 500, 7.28),
        ("st1", 16, 500, 500, 9.32),
        ("sc1", 1, 12, 80, 3.64),
        ("sc1", 3.125, 37.5, 250, 3.64),
        ("sc1", 16, 192, 250, 18.64),
    ],
)
def test_disks_hold_the_burst_for_one_scan(kind: str, tib: float, base: float, burst: float, scan_hours: float) -> None:
    limit = shape(f"type={kind},size={tib:g}TiB").limits.throughput
    assert limit
    assert (limit.sustained, limit.rate) == (round(base * 2**20), round(burst * 2**20))
    scan_s = tib * 2**40 / limit.rate
    assert scan_s / 3600 == pytest.approx(scan_hours, abs=0.01)
    lasts = limit.burst_seconds()
    assert lasts is None or lasts >= scan_s


def test_small_azure_disks_burst_for_thirty_minutes() -> None:
    limits = shape("type=premium-ssd,size=100GiB").limits
    assert limits.iops
    assert limits.throughput
    assert (limits.iops.sustained, limits.iops.rate, limits.iops.burst_seconds()) == (500, 3500, 1800)
    assert limits.throughput.rate == 170 * 10**6
    assert shape("type=premium-ssd,size=600GiB").limits.iops.burst_seconds() is None  # type: ignore[union-attr]


def test_an_instance_bursts_for_thirty_minutes_and_shares_the_card_where_it_has_no_link() -> None:
    limits = shape("type=gp3,size=100GiB,instance=m5.large").instance_limits
    assert limits.iops
    assert limits.throughput
    assert (limits.iops.sustained, limits.iops.rate, limits.iops.burst_seconds()) == (3600, 18_750, 1800)
    assert limits.throughput.sustained == 81_250_000
    small = shape("type=io1,size=100GiB,iops=1000,era=2013,instance=m1.small").instance_limits
    assert small.iops is None
    assert small.throughput
    assert small.throughput.rate == 37_500_000


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("type=gp3,size=10GiB,iops=60000", "500 IOPS per GiB, 5,000 for 10 GiB"),
        ("type=gp3,size=100GiB,iops=90000", "3,000 to 80,000 IOPS"),
        ("type=gp3,size=100GiB,throughput=2000", "so 750 MiB/s with 3,000 IOPS"),
        ("type=gp3,size=100TiB", "1 to 65,536 GiB"),
        ("type=gp2,size=100GiB,iops=4000", "3 IOPS per GiB"),
        ("type=gp3,size=1GiB,era=2013", "not sold in 2013"),
        ("type=io1,size=10GiB,iops=4000,era=2013", "10 IOPS per GiB"),
        ("type=io1,size=100GiB,iops=1000,throughput=100", "throughput follows"),
        ("type=io1,size=1000GiB", "needs iops"),
        ("type=io2,size=1000GiB,iops=40000,instance=m4.large", "Nitro"),
        ("type=instance-store,instance=m5.large", "has none"),
        ("type=instance-store", "give the instance"),
        ("type=gp3", "needs a size"),
        ("type=gp3,size=100", "100 B is out of bounds; use 1 MiB to 64 PiB"),
        ("type=gp3,size=100GiB,raid=5,members=2", "members=3 to 64"),
        ("type=gp3,size=100GiB,raid=7,members=4", "0, 1, 5 or 10"),
        ("type=gp3,size=100GiB,members=4", "needs an array"),
        ("type=gp3,size=100GiB,chunk=64KiB", "chunk needs an array"),
        ("type=gp3,size=100GiB,era=soon", "not an era"),
        ("type=gp3,size=100GiB,queue=best", "fifo"),
        ("type=gp3,size=100GiB,time_scale=abc", "time_scale: 'abc' is not a number"),
        ("type=gp3,size=100GiB,time_scale=nan", "time_scale: 'nan' is not a number"),
        ("type=gp3,size=100GiB,time_scale=0.5", "out of bounds; use 1 or more"),
        ("size=100GiB", "needs a type"),
    ],
)
def test_refusals_say_the_rule(text: str, part: str) -> None:
    with pytest.raises(UsageError, match=part):
        shape(text)


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("type=gp4,size=1GiB", "gp3"),
        ("type=gp3,size=1GiB,instance=m5.lage", "m5.large"),
        ("type=gp3,size=1GiB,iopz=3", "iops"),
    ],
)
def test_unknown_names_suggest_the_nearest(text: str, near: str) -> None:
    with pytest.raises(UnknownName, match=near):
        shape(text)


SHAPES = st.one_of(
    st.integers(1, 16_384).map(lambda gib: f"type=gp2,size={gib}GiB"),
    st.tuples(st.integers(200, 65_536), st.integers(3000, 80_000)).map(
        lambda pair: f"type=gp3,size={pair[0]}GiB,iops={pair[1]}"
    ),
    st.tuples(st.integers(128, 65_536), st.integers(100, 64_000)).map(
        lambda pair: f"type=io2,size={pair[0]}GiB,iops={pair[1]}"
    ),
    st.integers(1, 32_767).map(lambda gib: f"type=premium-ssd,size={gib}GiB"),
    st.integers(4000, 2**22).map(lambda mib: f"type=gp2,size={mib}MiB,raid=0,members=4,instance=m5.large"),
)


@given(SHAPES)
def test_a_normalised_shape_reads_back_as_itself(text: str) -> None:
    first = shape(text)
    again = volume_shape(first.options, "again")
    assert again == first


@given(st.integers(1, 16_383))
def test_a_larger_gp2_volume_never_gives_less(gib: int) -> None:
    def limits(size: int) -> tuple[Any, ...]:
        found = shape(f"type=gp2,size={size}GiB").limits
        assert found.iops
        assert found.throughput
        return found.iops.sustained, found.iops.rate, found.throughput.rate

    assert all(small <= large for small, large in zip(limits(gib), limits(gib + 1), strict=True))


def test_of_a_great_many_names_those_that_begin_alike_are_told() -> None:
    with pytest.raises(UsageError, match=r"known: m5\.12xlarge, .* and 1,\d\d\d more") as refused:
        shape("type=gp2,size=10GiB,instance=m5")
    assert len(str(refused.value)) < 500
