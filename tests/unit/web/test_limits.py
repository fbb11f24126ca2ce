"""Token buckets on a clock of their own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.web.limits import MOST_CLIENTS, Buckets, client_of


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@given(st.lists(st.floats(0, 3), min_size=1, max_size=60))
def test_nobody_gets_more_than_rate_and_burst(pauses: list[float]) -> None:
    clock = Clock()
    buckets = Buckets(2.0, 5.0, clock)
    served = 0
    for pause in pauses:
        clock.now += pause
        served += buckets.take("a") == 0
    assert served <= 5 + 2 * clock.now


def test_waiting_as_long_as_told_is_enough() -> None:
    clock = Clock()
    buckets = Buckets(0.5, 1.0, clock)
    assert buckets.take("a") == 0
    wait = buckets.take("a")
    assert wait == pytest.approx(2.0)
    clock.now += wait
    assert buckets.take("a") == 0


def test_clients_do_not_disturb_each_other() -> None:
    buckets = Buckets(0.1, 1.0, Clock())
    assert [buckets.take(name) for name in "abc"] == [0, 0, 0]
    assert buckets.take("a") > 0


def test_the_table_of_clients_is_bounded() -> None:
    buckets = Buckets(0.001, 1.0, Clock())
    for number in range(MOST_CLIENTS + 10):
        buckets.take(str(number))
    assert buckets.take(str(MOST_CLIENTS + 9)) > 0
    assert buckets.take("0") == 0


@pytest.mark.parametrize(
    "same",
    [
        ("2001:db8:1:2::1", "2001:db8:1:2::2", "2001:db8:1:2:3:4:5:6"),
        ("fe80::1%eth0", "fe80::2%eth0"),
        ("192.0.2.1", "::ffff:192.0.2.1"),
    ],
)
def test_a_network_of_ipv6_is_one_client(same: tuple[str, ...]) -> None:
    assert len({client_of({"client": (address, 1)}) for address in same}) == 1


def test_others_are_other_clients() -> None:
    apart = ("192.0.2.1", "192.0.2.2", "::ffff:192.0.2.3", "2001:db8::1", "2001:db8:0:1::1", "unknown")
    assert len({client_of({"client": (address, 1)}) for address in apart}) == len(apart)
    assert client_of({"client": ("192.0.2.1", 5)}) == "192.0.2.1"
    assert client_of({"client": None}) == "unknown"
