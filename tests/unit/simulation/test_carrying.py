"""Which volumes would carry a measured load: by their limits, by their latency, and at which price."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from plimsoll.catalog.shape import volume_shape
from plimsoll.prices.cost import cost
from plimsoll.simulation.carrying import LATENCY, Carrier, Measured, as_sold, carriers, cheapest_for_all
from plimsoll.simulation.lasting import for_ever
from plimsoll.units import GIB, KIB, MIB

RANDOM = Measured(4096, 1.0, sequential=False, in_flight=32, data_bytes=100 * GIB, per_second=9_000)


def by_type(measured: Measured) -> dict[str, Carrier]:
    return {each.shape.type.name: each for each in carriers(measured)[0]}


def test_the_least_volume_that_is_fast_enough_is_found_with_its_price() -> None:
    found = by_type(RANDOM)
    assert found["gp3"].shape.options == {"type": "gp3", "size": "100GiB", "iops": "9000", "throughput": "125"}
    # 100 GiB at 0.08, 6,000 IOPS beyond the included ones at 0.005.
    assert found["gp3"].usd_per_month == pytest.approx(8 + 30)
    # gp2 has 3 IOPS per GiB.
    assert found["gp2"].shape.size_gib == 3000
    assert found["gp2"].usd_per_month == pytest.approx(300)


def test_the_cheapest_stands_first_and_what_has_no_price_last() -> None:
    amounts = [each.usd_per_month for each in carriers(RANDOM)[0]]
    known = [amount for amount in amounts if amount is not None]
    assert known == sorted(known)
    assert amounts[: len(known)] == known
    assert all(each.cost.as_of for each in carriers(RANDOM)[0] if each.usd_per_month is not None)


def test_every_carrier_does_the_load_and_no_slow_type_does() -> None:
    found, slow = carriers(RANDOM)
    for each in found:
        assert for_ever(each.shape, RANDOM.load, each.cost).outcome.sustained.operations >= 0.97 * RANDOM.per_second
    for other in slow:
        reached = for_ever(other.shape, RANDOM.load, cost(other.shape)).outcome.sustained.operations
        assert reached < RANDOM.per_second
        assert reached == pytest.approx(other.per_second, rel=0.05)
    assert {each.shape.type.name for each in slow} >= {"st1", "sc1", "standard"}


def test_a_single_operation_in_flight_is_held_back_by_latency() -> None:
    found, slow = carriers(replace(RANDOM, in_flight=1, per_second=11_000))
    assert not found
    assert slow[0].by == LATENCY
    # 300 µs at best.
    assert 3_000 < slow[0].per_second < 3_400
    assert slow == tuple(sorted(slow, key=lambda each: each.per_second, reverse=True))


def test_large_sequential_reads_need_throughput() -> None:
    measured = Measured(MIB, 1.0, sequential=True, in_flight=8, data_bytes=10 * GIB, per_second=400)
    gp3 = by_type(measured)["gp3"]
    assert gp3.shape.provisioned_throughput == 400
    assert gp3.usd_per_month == pytest.approx(0.8 + 275 * 0.04)
    assert "gp2" not in by_type(measured)


def test_what_no_volume_holds_has_no_answer() -> None:
    found, slow = carriers(replace(RANDOM, data_bytes=2**60))
    assert (found, slow) == ((), ())


def test_your_own_prices_count_from_the_next_question_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "prices.csv"
    monkeypatch.setenv("PLIMSOLL_PRICES", str(own))
    for price in (1.0, 2.5):
        own.write_text(f"provider,region,item,usd,as_of\naws,us-east-1,gp3.storage,{price},2026-11\n")
        assert by_type(RANDOM)["gp3"].usd_per_month == pytest.approx(100 * price + 30)


def test_a_default_volume_is_the_least_that_is_sold() -> None:
    assert as_sold("gp3", RANDOM).shape.one == "gp3 100 GiB, 3,000 IOPS, 125 MiB/s"
    assert as_sold("gp3", RANDOM).shape.options == volume_shape({"type": "gp3", "size": "100GiB"}, "").options


def test_one_volume_for_several_loads_does_each_and_costs_no_less_than_for_one() -> None:
    many = Measured(4 * KIB, 1.0, sequential=False, in_flight=64, data_bytes=GIB, per_second=40_000)
    large = Measured(MIB, 1.0, sequential=True, in_flight=8, data_bytes=GIB, per_second=1_200)
    found = [carriers(each)[0] for each in (many, large)]
    both = cheapest_for_all([many, large], found)
    assert both is not None
    assert both.usd_per_month is not None
    assert all(both.usd_per_month >= (those[0].usd_per_month or 0) for those in found)
    for each in (many, large):
        assert for_ever(both.shape, each.load, cost(both.shape)).outcome.sustained.operations >= 0.97 * each.per_second
    [alone] = [cheapest_for_all([many], found[:1])]
    assert alone is not None
    assert alone.shape == found[0][0].shape


def test_loads_that_no_one_volume_does_have_none() -> None:
    many = Measured(4 * KIB, 1.0, sequential=False, in_flight=32, data_bytes=GIB, per_second=97_600)
    large = Measured(MIB, 1.0, sequential=True, in_flight=8, data_bytes=GIB, per_second=6_000)
    found = [carriers(each)[0] for each in (many, large)]
    assert all(found)
    assert cheapest_for_all([many, large], found) is None
