"""Prices, leases and budgets: what a session can cost at most is known before anything is rented."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from plimsoll.clouds.provider import PriceLine
from plimsoll.clouds.providers.aws.prices import price_lines
from plimsoll.clouds.quote import BACK_NS, FREE_USD, READY_NS, Quote, Times, check, quote
from plimsoll.clouds.target import complete, rental_of, rented_volumes
from plimsoll.clouds.wanted import Rental
from plimsoll.errors import UsageError
from plimsoll.run.renting import Renting, renting_of
from plimsoll.run.study import from_words
from plimsoll.units import HOUR, MINUTE

SHORT = Times(least_ns=2 * MINUTE, most_ns=10 * MINUTE)


def _rental(*on: str, **rent: Any) -> Rental:
    study = complete(from_words(["randread"], on, rent=renting_of({"instance": "m7i.large", **rent}), seed=1))
    return rental_of(study, rented_volumes(study), rental_id="0123abcd", lease_end_ns=1, from_address="192.0.2.1/32")


def _line(usd: float | None, date: str = "2026-07-20") -> PriceLine:
    return PriceLine(what="m1: m7i.large", per_hour_usd=usd, date=date)


def test_every_part_of_a_rental_has_a_dated_price() -> None:
    found = price_lines(_rental("a=aws:gp3,size=500GiB,iops=6000,throughput=250", "b=aws:gp2,size=100GiB"))
    assert {line.what: (round(line.per_hour_usd or 0, 5), line.date) for line in found} == {
        "m1: m7i.large": (0.1008, "2026-07-20"),
        "m1: public IPv4 address": (0.005, "2024-06"),
        "m1: root volume, gp3 16 GiB": (round(16 * 0.08 / 730, 5), "2026-07-17"),
        "a: gp3 500 GiB, 6,000 IOPS, 250 MiB/s": (
            round((500 * 0.08 + 3000 * 0.005 + 125 * 0.04) / 730, 5),
            "2024-07",
        ),
        "b: gp2 100 GiB, 300 IOPS (burst 3,000), 128 MiB/s": (round(100 * 0.1 / 730, 5), "2026-07-17"),
    }


def test_requests_of_magnetic_volumes_are_charged_as_fast_as_they_can_come() -> None:
    found = price_lines(_rental("std=aws:standard,size=200GiB"))
    (requests,) = [line for line in found if line.requests_of]
    assert requests.requests_of == "std"
    assert requests.per_hour_usd == pytest.approx(1960 * 3600 / 1e6 * 0.05)


def test_another_regions_price_is_no_price() -> None:
    found = price_lines(_rental("a=aws:gp3,size=1GiB", region="sa-east-1"))
    assert {line.per_hour_usd for line in found} == {None}


def test_an_array_is_paid_for_all_its_members() -> None:
    found = price_lines(_rental("a=aws:gp2,size=10GiB,raid=0,members=3"))
    assert [line.what.partition(":")[0] for line in found][-3:] == ["a", "a", "a"]


def test_the_lease_has_room_for_everything_and_the_most_is_price_times_lease() -> None:
    found = quote([_line(0.5)], SHORT, Renting())
    assert found.lease_ns == READY_NS + SHORT.most_ns + BACK_NS
    assert found.most_usd == pytest.approx(0.5 * found.lease_ns / HOUR)
    assert not found.refusal


def test_several_allocations_are_rented_one_after_the_other() -> None:
    found = quote([_line(0.1)], Times(least_ns=MINUTE, most_ns=10 * MINUTE, allocations=5, fewest=3), Renting())
    assert found.lease_ns == 5 * (READY_NS + 10 * MINUTE) + BACK_NS


def test_a_budget_shortens_a_lease_that_nobody_chose() -> None:
    found = quote([_line(1.0)], Times(least_ns=MINUTE, most_ns=5 * HOUR), Renting(budget_usd=2))
    assert found.lease_ns == 2 * HOUR
    assert found.most_usd == 2


@pytest.mark.parametrize(
    ("usd", "rent", "words"),
    [
        (None, Renting(budget_usd=5), "no budget can be kept: no dated price is known of m1: m7i.large"),
        (8.0, Renting(), "say how much it may: --budget"),
        (8.0, Renting(budget_usd=1), "too small: 17 min cost"),
        (8.0, Renting(budget_usd=1, lease_ns=HOUR), "give --budget 8USD, or a shorter --lease"),
        (0.1, Renting(lease_ns=10 * MINUTE), "give --lease 17m"),
    ],
)
def test_terms_that_cannot_be_kept_are_refused_before_renting(usd: float | None, rent: Renting, words: str) -> None:
    with pytest.raises(UsageError) as refused:
        check(quote([_line(usd)], SHORT, rent))
    assert words in str(refused.value)


def test_less_than_a_dollar_needs_no_budget() -> None:
    check(quote([_line(FREE_USD)], SHORT, Renting()))


_TIMES = some.builds(
    lambda least, more, allocations: Times(
        least_ns=least, most_ns=least + more, allocations=allocations, fewest=min(3, allocations)
    ),
    some.integers(1, 10 * HOUR),
    some.integers(0, 100 * HOUR),
    some.integers(1, 20),
)
_RENT = some.builds(
    Renting,
    budget_usd=some.none() | some.floats(0.01, 1000),
    lease_ns=some.none() | some.integers(1, 300 * HOUR),
)
_PRICES = some.lists(some.none() | some.floats(0, 100), min_size=1, max_size=6)


@given(_PRICES, _TIMES, _RENT)
def test_whatever_is_allowed_stays_within_the_budget_and_the_lease(
    prices: list[float | None], times: Times, rent: Renting
) -> None:
    made: Quote = quote([_line(each) for each in prices], times, rent)
    if made.refusal:
        return
    most = made.most_usd
    assert most is not None
    assert most <= (rent.budget_usd if rent.budget_usd is not None else FREE_USD)
    assert made.lease_ns >= times.shortest_ns
    assert rent.lease_ns is None or made.lease_ns == rent.lease_ns
