"""Figures of an outage: time without service, time to the old rate, writes lost."""

from __future__ import annotations

from typing import Any

from plimsoll.model import Interval, IntervalOperations
from plimsoll.outages import recovery_ns, without_service_ns, writes_lost
from plimsoll.units import SECOND


def facts(*seen: tuple[float, float, bool], **more: Any) -> dict[str, Any]:
    away = [{"start_ns": round(at * SECOND), "duration_ns": round(s * SECOND), "back": back} for at, s, back in seen]
    return {"outages": away, "whole": ["read"], **more}


def intervals(*rates: int) -> list[Interval]:
    return [
        Interval(
            start_ns=second * SECOND,
            duration_ns=SECOND,
            errors=0,
            operations={"read": IntervalOperations(operations=rate, bytes=0, p50_ns=0, p99_ns=0, max_ns=0)},
        )
        for second, rate in enumerate(rates)
    ]


def test_the_old_rate_is_that_before_the_first_outage() -> None:
    # Away from 2.5 s to 3.5 s; 60 % at 4 s, 95 % at 5 s.
    series = intervals(100, 100, 50, 40, 60, 95, 100, 100)
    assert recovery_ns(facts((2.5, 1.0, True)), series) == round(2.5 * SECOND)
    assert without_service_ns(facts((2.5, 1.0, True), (5, 0.5, True))) == round(1.5 * SECOND)


def test_back_at_once_takes_as_long_as_the_outage() -> None:
    assert recovery_ns(facts((2.0, 0.05, True)), intervals(100, 100, 95, 100, 100)) == round(0.05 * SECOND)


def test_what_is_not_known_is_not_told() -> None:
    series = intervals(100, 100, 0, 0, 0)
    assert recovery_ns(facts(), series) is None
    assert recovery_ns(facts((2.0, 3.0, False)), series) is None
    # Before the first whole interval there is no old rate, and half of it is not the old rate.
    assert recovery_ns(facts((0.5, 0.2, True)), intervals(80, 100, 100)) is None
    assert recovery_ns(facts((2.0, 1.0, True)), intervals(100, 100, 0, 50, 50, 50)) is None
    assert without_service_ns({}) == 0


def test_lost_writes_are_acknowledged_ones_that_are_not_there() -> None:
    kept = {"before": 1000, "acknowledged": 500, "after": 1480}
    assert writes_lost(facts(kept=kept)) == 20
    assert writes_lost(facts(kept={**kept, "after": 1503})) == 0
    assert writes_lost(facts(kept={**kept, "after": None})) is None
    assert writes_lost(facts(kept=None)) is None
    assert writes_lost(facts()) is None
