"""Prices: never without a date, the user's own win, and bills add up."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.catalog.shape import options_from, volume_shape
from plimsoll.errors import UnknownName, UsageError
from plimsoll.prices.book import price_book
from plimsoll.prices.cost import HOURS_PER_MONTH, Cost, cost, usd

DATE = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?( to \d{4}(-\d{2}(-\d{2})?)?)?")


def priced(text: str, region: str | None = None) -> Cost:
    return cost(volume_shape(options_from(text, "volume"), "volume"), region)


# Computed by hand from the price pages; dollars per month without the instance.
BILLS = [
    ("gp3,size=40GiB,iops=4000,throughput=130", None, 8.40),
    ("gp3,size=100GiB", None, 8.00),
    ("gp3,size=100GiB,iops=4000,throughput=250", "ap-northeast-1", 21.60),
    ("gp2,size=385GiB", None, 38.50),
    ("io1,size=30GiB,iops=300", None, 23.25),
    ("io2,size=1000GiB,iops=32000", None, 2205.00),
    ("io2,size=1000GiB,iops=100000", None, 4807.60),
    ("st1,size=125GiB", None, 5.625),
    ("standard,size=20GiB", None, 1.00),
    ("standard,size=20GiB,era=2009", None, 2.00),
    ("io1,size=100GiB,iops=1000,era=2013", None, 112.50),
    ("premium-ssd,size=32GiB", None, 5.28),
    ("pd-ssd,size=100GiB", None, 17.00),
    ("gp2,size=100GiB,raid=0,members=4", None, 40.00),
    ("instance-store,instance=m5d.large", None, 0.00),
]


@pytest.mark.parametrize(("text", "region", "month"), BILLS)
def test_bills(text: str, region: str | None, month: float) -> None:
    assert priced(text, region).volume_per_month == pytest.approx(month)


def test_every_price_has_a_date_and_a_source() -> None:
    for price in price_book().prices:
        assert DATE.fullmatch(price.as_of), price
        assert price.source
        assert price.usd > 0
        assert price.unit


@pytest.mark.parametrize("text", [text for text, _, _ in BILLS if "instance-store" not in text])
def test_a_cost_names_the_dates_of_its_prices(text: str) -> None:
    assert DATE.fullmatch(priced(text).as_of)


def test_instances_are_billed_by_the_hour() -> None:
    found = priced("gp2,size=385GiB,instance=m5d.large")
    assert found.instance_per_month == pytest.approx(0.113 * HOURS_PER_MONTH)
    assert found.per_month == pytest.approx(0.113 * HOURS_PER_MONTH + 38.5)
    assert found.of_time(3600) == pytest.approx(0.113 + 38.5 / HOURS_PER_MONTH)
    assert found.of_time(3600, with_instance=False) == pytest.approx(38.5 / HOURS_PER_MONTH)
    assert found.of_time(1) == found.of_time(60)
    assert priced("io1,size=100GiB,iops=1000,era=2013,instance=m1.small").instance_per_month == pytest.approx(43.80)


def test_two_million_requests_of_2009_cost_twenty_cents_and_the_volume() -> None:
    found = priced("standard,size=10GiB,era=2009")
    assert found.requests
    assert found.requests.usd == 0.10
    assert found.of_time(0, 2e6) == pytest.approx(0.20 + 1.00 * 60 / (HOURS_PER_MONTH * 3600))


def test_a_million_operations_at_a_sustained_rate() -> None:
    found = priced("gp3,size=100GiB")
    seconds = HOURS_PER_MONTH * 3600
    assert found.per_million_operations(3000) == pytest.approx(8.0 / (3000 * seconds / 1e6))
    assert found.per_million_operations(0) is None


def test_an_unknown_price_makes_no_total() -> None:
    found = priced("premium-ssd,size=64GiB")
    assert found.unknown == ("premium-ssd.P6",)
    assert (found.per_month, found.volume_per_month, found.of_time(60)) == (None, None, None)


def test_an_unknown_region_is_named() -> None:
    with pytest.raises(UnknownName, match="us-east-1"):
        priced("gp3,size=1GiB", "us-east-9")


def test_a_region_of_another_provider_leaves_the_home_region() -> None:
    found = priced("pd-balanced,size=100GiB", "us-east-1")
    assert (found.region, found.volume_per_month) == ("us-central1", priced("pd-balanced,size=100GiB").volume_per_month)
    assert priced("gp3,size=100GiB", "eu-west-1").region == "eu-west-1"


def test_your_own_prices_win(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = tmp_path / "prices.csv"
    mine.write_text("provider,region,item,usd,as_of\naws,us-east-1,gp3.storage,0.05,2026-11-01\n")
    monkeypatch.setenv("PLIMSOLL_PRICES", str(mine))
    found = priced("gp3,size=100GiB")
    assert found.volume_per_month == pytest.approx(5.0)
    assert found.as_of == "2026-11-01"
    assert found.sources == ("your", "file")


@pytest.mark.parametrize(
    ("content", "part"),
    [
        ("provider,item,usd\n", "no column region, as_of"),
        ("provider,region,item,usd,as_of\naws,us-east-1,gp3.storage,cheap,2026-11\n", "row 2: usd must be a number"),
        ("provider,region,item,usd,as_of\naws,us-east-1,gp3.storage,0.05,\n", "needs its date"),
        ("provider,region,item,usd,as_of\naws,us-east-1,gp3.storage,-1,2026\n", "from 0 on"),
        ("provider,region,item,usd,as_of\nhp,x,gp3.storage,1,2026\n", "aws, azure or gcp"),
    ],
)
def test_a_bad_price_file_says_where(content: str, part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = tmp_path / "prices.csv"
    mine.write_text(content)
    monkeypatch.setenv("PLIMSOLL_PRICES", str(mine))
    with pytest.raises(UsageError, match=part):
        price_book()


@given(st.integers(161, 60_000), st.integers(3000, 79_000), st.integers(125, 700))
def test_more_never_costs_less(gib: int, iops: int, mib: int) -> None:
    def month(size: int, operations: int, throughput: int) -> float:
        found = priced(f"gp3,size={size}GiB,iops={operations},throughput={throughput}").volume_per_month
        assert found is not None
        return found

    least = month(gib, iops, mib)
    assert least < month(gib + 1, iops, mib)
    assert least < month(gib, iops + 1000, mib)
    assert least < month(gib, iops, mib + 1)


@given(st.integers(4, 256_000))
def test_io2_tiers_join_without_a_step(iops: int) -> None:
    def month(operations: int) -> float:
        found = priced(f"io2,size=65536GiB,iops={max(100, operations)}").volume_per_month
        assert found is not None
        return found

    assert 0 <= month(iops) - month(iops - 1) <= 0.065 + 1e-6


@pytest.mark.parametrize(
    ("amount", "text"),
    [(8.0, "$8.00"), (1234.5, "$1,234"), (0.05, "$0.05"), (0.0042, "$0.0042"), (1.8e-5, "$0.000018"), (0, "$0")],
)
def test_money_has_the_digits_that_say_something(amount: float, text: str) -> None:
    assert usd(amount) == text
