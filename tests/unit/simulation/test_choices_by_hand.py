"""Choices checked by hand: from the provider's rules and prices (us-east-1, us-central1, eastus) to dollars a month."""

from __future__ import annotations

import pytest

from plimsoll.simulation.choice import Choice, choose
from plimsoll.simulation.job import load
from plimsoll.simulation.slo import parse_slo
from plimsoll.units import HOUR, MINUTE, parse_duration

SLOW = "randread,block_size=16KiB,rate=200/s"
FAST = "randread,block_size=16KiB,rate=2000/s"


def chosen(name: str, volume: str, job: str, slo: str, lasts: str | None = None) -> Choice:
    options = dict(pair.split("=") for pair in volume.split(","))
    lasts_ns = None if lasts is None else parse_duration(lasts)
    [found] = choose([name], options, load(job, {}), lasts_ns, parse_slo(slo), None, lambda _: None)
    return found


@pytest.mark.parametrize(
    ("name", "volume", "job", "slo", "summary", "usd"),
    [
        # 500 GiB × $0.08; 3,000 IOPS are included.
        ("gp3", "size=500GiB", SLOW, "p99<30ms", "gp3 500 GiB, 3,000 IOPS, 125 MiB/s", 500 * 0.08),
        # 3 IOPS per GiB: 1,500 for ever.
        ("gp2", "size=500GiB", SLOW, "p99<30ms", "gp2 500 GiB, 1,500 IOPS", 500 * 0.10),
        # Each random I/O counts as 1 MiB: 200 MiB/s at 40 MiB/s per TiB are 5 TiB.
        ("st1", "size=500GiB", SLOW, "p99<30ms", "st1 5 TiB, 500 IOPS, 200 MiB/s", 5120 * 0.045),
        # 200 are asked for, so 200 are bought.
        ("io2", "size=500GiB", SLOW, "p99<30ms", "io2 500 GiB, 200 IOPS", 500 * 0.125 + 200 * 0.065),
        # 2,000 / 3 = 666.7 GiB; the burst of 3,000 does not count.
        ("gp2", "size=500GiB", FAST, "p99<30ms", "gp2 667 GiB, 2,001 IOPS", 667 * 0.10),
        ("io2", "size=500GiB", FAST, "p99<30ms", "io2 500 GiB, 2,000 IOPS", 500 * 0.125 + 2000 * 0.065),
        # 5,000 × 64 KiB = 312.5 MiB/s; 2,000 IOPS and 188 MiB/s more than are included.
        (
            "gp3",
            "size=500GiB",
            "randread,block_size=64KiB,rate=5000/s",
            "p99<10ms",
            "gp3 500 GiB, 5,000 IOPS, 313 MiB/s",
            500 * 0.08 + 2000 * 0.005 + 188 * 0.04,
        ),
        # Throughput is bought by itself: 200 MiB/s are 800 I/Os of 256 KiB, and 3,000 are included.
        (
            "gp3",
            "size=500GiB",
            "seqread,block_size=1MiB,depth=16",
            "throughput>=200MiB/s",
            "gp3 500 GiB, 3,000 IOPS, 200 MiB/s",
            500 * 0.08 + 75 * 0.04,
        ),
        # Up to 170 GiB gp2 has 128 MiB/s, beyond it 250; 513 base IOPS are 128 MiB/s of 256 KiB, so 800 / 3 = 267 GiB.
        (
            "gp2",
            "size=100GiB",
            "seqread,block_size=1MiB,depth=16",
            "throughput>=200MiB/s",
            "gp2 267 GiB, 801 IOPS",
            267 * 0.10,
        ),
        # 50 IOPS per GiB: 5,000 need 100 GiB, though 10 would hold the data.
        (
            "io1",
            "size=10GiB",
            "randread,rate=5000/s",
            "p99<10ms",
            "io1 100 GiB, 5,000 IOPS",
            100 * 0.125 + 5000 * 0.065,
        ),
        # The first 32,000 at one price, the next 8,000 at another.
        (
            "io2",
            "size=100GiB",
            "randread,rate=40000/s",
            "p99<10ms",
            "io2 100 GiB, 40,000 IOPS",
            100 * 0.125 + 32_000 * 0.065 + 8000 * 0.0455,
        ),
        # 0.75 IOPS per GiB: 1,333 GiB are 999.75, told as 1,000.
        (
            "pd-standard",
            "size=100GiB",
            "randread,rate=1000/s",
            "p99<100ms",
            "pd-standard 1,333 GiB, 1,000 IOPS",
            1333 * 0.04,
        ),
        # 3,000 × 65,536 B = 196.6 MB/s; here every MB/s has a price.
        (
            "ultra",
            "size=40GiB",
            "randread,block_size=64KiB,rate=3000/s",
            "p99<10ms",
            "ultra 40 GiB, 3,000 IOPS, 197 MB/s",
            40 * 0.11972 + 3000 * 0.04964 + 197 * 0.3495,
        ),
        # 12 MiB/s per TiB for ever: 24 MiB/s are 2 TiB.
        (
            "sc1",
            "size=500GiB",
            "seqread,block_size=1MiB,depth=4",
            "throughput>=24MiB/s",
            "sc1 2 TiB, 250 IOPS, 24 MiB/s",
            2048 * 0.015,
        ),
        # Two members share 9,800: 4,900 each, 1,900 more than are included.
        (
            "gp3",
            "size=200GiB,raid=0,members=2",
            "randread,rate=9800/s",
            "iops>=9800",
            "RAID 0 of 2 × gp3 200 GiB, 4,900 IOPS",
            2 * (200 * 0.08 + 1900 * 0.005),
        ),
        # st1 is sold from 125 GiB on, whatever must fit.
        ("st1", "size=10GiB", "seqread,block_size=1MiB,rate=4/s", "p99<1s", "st1 125 GiB", 125 * 0.045),
    ],
)
def test_for_ever(name: str, volume: str, job: str, slo: str, summary: str, usd: float) -> None:
    found = chosen(name, volume, job, slo)
    assert found.met
    assert found.outcome
    assert found.lasts_s is None
    assert found.outcome.shape.one.startswith(summary)
    assert found.usd_per_month == pytest.approx(usd)
    if found.cheaper is not None:
        assert found.usd_per_month is not None
        assert found.cheaper.usd_per_month is not None
        assert found.cheaper.usd_per_month < found.usd_per_month
        assert found.cheaper.reasons


def test_a_burst_is_not_for_ever_and_the_largest_says_why() -> None:
    found = chosen("st1", "size=500GiB", FAST, "p99<30ms")
    assert not found.met
    assert found.judgement
    assert found.judgement.reasons == ("only 500/s of 2,000/s are possible, held back by its volume IOPS",)
    assert found.cheaper is None


def test_a_throughput_volume_for_as_long_as_its_credits_last() -> None:
    # s GiB hold s × 1,024 MiB of credits and earn s / 1,024 × 40 MiB/s; 200 I/Os of 1 MiB go for 100 minutes:
    # 1,024 s = 6,000 × (200 - 0.0390625 s), so s = 953.6 GiB; 977 of them last 6,182 s.
    found = chosen("st1", "size=500GiB", SLOW, "p99<30ms", "100m")
    assert found.outcome
    assert found.outcome.shape.size_gib == 954
    assert found.usd_per_month == pytest.approx(954 * 0.045)
    assert found.lasts_s == pytest.approx(1024 * 954 / (200 - 954 / 1024 * 40), rel=0.001)
    assert found.cheaper
    assert "credits used up" in found.cheaper.reasons[0]
    whole = chosen("st1", "size=977GiB", SLOW, "p99<30ms", "100m")
    assert whole.lasts_s == pytest.approx(6182, rel=0.001)


def test_a_burst_ends_to_the_minute() -> None:
    # 5.4 million credits, spent at 2,000 and earned at 1,500 a second: three hours.
    found = chosen("gp2", "size=500GiB", FAST, "p99<30ms", "179m")
    assert found.outcome
    assert found.outcome.shape.size_gib == 500
    assert found.lasts_s == pytest.approx(3 * HOUR / 1e9, rel=0.001)
    assert found.usd_per_month == pytest.approx(50)
    # Four hours: 14,400 × (2,000 - 3 s) = 5,400,000, so s = 541.7 GiB.
    longer = chosen("gp2", "size=500GiB", FAST, "p99<30ms", "4h")
    assert longer.outcome
    assert longer.outcome.shape.size_gib == 542
    # What the baseline gives needs no burst.
    assert chosen("gp2", "size=500GiB", SLOW, "p99<30ms", "4h").lasts_s is None


def test_the_burst_of_an_instance_counts_for_as_long_as_it_lasts() -> None:
    # m5.large: 3,600 IOPS for ever, 18,750 for 30 minutes: 27,270,000 credits, 16,000 spend 12,400 of them a second.
    job, slo = "randread,rate=16000/s", "p99<10ms"
    for_ever = chosen("gp3", "size=500GiB,instance=m5.large", job, slo)
    assert not for_ever.met
    assert for_ever.judgement
    assert "instance IOPS baseline" in for_ever.judgement.reasons[0]
    found = chosen("gp3", "size=500GiB,instance=m5.large", job, slo, "20m")
    assert found.outcome
    assert found.outcome.shape.provisioned_iops == 16_000
    assert found.usd_per_month == pytest.approx(500 * 0.08 + 13_000 * 0.005)
    assert found.lasts_s == pytest.approx(27_270_000 / 12_400, rel=0.001)
    assert not chosen("gp3", "size=500GiB,instance=m5.large", job, slo, "40m").met


def test_the_stored_second_of_an_idle_volume_does_not_count() -> None:
    # 3,050 would be met in the first minute: 3,000 a second and 3,000 that were stored.
    found = chosen("gp3", "size=500GiB", "randread,depth=32", "iops>=3050")
    assert found.outcome
    assert found.outcome.shape.provisioned_iops == 3050
    exact = chosen("gp3", "size=500GiB", "randread,depth=32", "iops>=3000")
    assert exact.outcome
    assert exact.outcome.shape.provisioned_iops == 3000
    assert found.cheaper
    assert found.cheaper.reasons == ("iops>=3050 fails: only 3,049/s are possible, held back by its volume IOPS",)


def test_too_few_in_flight_is_no_fault_of_the_volume() -> None:
    found = chosen("gp3", "size=500GiB", "randread,rate=5000/s,depth=1", "p99<10ms")
    assert not found.met
    assert found.judgement
    assert "its own latency with at most 1 in flight" in found.judgement.reasons[0]


def test_what_is_given_stays() -> None:
    found = chosen("gp3", "size=20GiB,iops=12000", "seqread,block_size=256KiB", "throughput>=300MiB/s")
    assert found.outcome
    # 500 IOPS per GiB: 12,000 need 24 GiB; only the throughput was left to choose.
    assert found.outcome.shape.one == "gp3 24 GiB, 12,000 IOPS, 300 MiB/s"
    assert found.usd_per_month == pytest.approx(24 * 0.08 + 9000 * 0.005 + 175 * 0.04)


def test_the_cheapest_of_all_is_first_and_a_dearer_one_after_it() -> None:
    names = ["gp2", "gp3", "io2"]
    work = load("seqread,block_size=1MiB,depth=16", {})
    bounds = parse_slo("throughput>=200MiB/s")
    found = choose(names, {"size": "500GiB"}, work, None, bounds, None, lambda _: None)
    assert found[0].cheaper
    assert found[0].cheaper.reasons == (
        "throughput>=200MiB/s fails: only 199 MiB/s are possible, held back by its volume throughput",
    )
    # gp3: 500 × 0.08 + 75 × 0.04; gp2: 500 × 0.10, whose 1,500 IOPS × 256 KiB are more than its 250 MiB/s;
    # io2: 200 MiB/s at 0.256 for each IOPS are 782 (800 I/Os of 256 KiB ask for more), 62.50 + 800 × 0.065.
    assert [(each.type, each.usd_per_month) for each in found] == [
        ("gp3", pytest.approx(43.0)),
        ("gp2", pytest.approx(50.0)),
        ("io2", pytest.approx(114.5)),
    ]


def test_requests_that_are_charged_are_part_of_the_price() -> None:
    # 100 GiB × $0.05, and 90 × 2,628,000 s of requests at $0.05 a million: $16.83, not less than $8.00 of a gp3.
    work, bounds = load("randread,rate=90/s", {}), parse_slo("p99<1s")
    found = choose(["standard", "gp3"], {"size": "100GiB"}, work, None, bounds, None, lambda _: None)
    prices = [(each.type, each.usd_per_month) for each in found]
    asked = 90 * 2_628_000 / 1e6 * 0.05
    assert prices == [("gp3", pytest.approx(8.0)), ("standard", pytest.approx(5.0 + asked, rel=0.001))]


def test_minutes_are_not_for_ever() -> None:
    found = chosen("gp2", "size=100GiB", "randread,rate=1000/s", "p99<10ms", "30m")
    assert found.outcome
    assert found.outcome.shape.size_gib == 100
    assert found.lasts_s == pytest.approx(5_400_000 / 700, rel=0.001)
    assert found.lasts_s > 30 * MINUTE / 1e9
