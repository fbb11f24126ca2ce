"""Whose fault a percentile of a recorded load is: a limit's, or the latency of the volume itself."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from plimsoll.simulation.outcome import NOTHING
from plimsoll.simulation.slo import _whole_reason, parse_slo


def outcome(waited_s: dict[str, float], held: dict[str, float] | None = None) -> Any:
    return SimpleNamespace(waited_s=waited_s, duration_s=100.0, limiting_shares=held or {NOTHING: 1.0})


@pytest.mark.parametrize(
    ("waited_s", "held", "told"),
    [
        ({"volume IOPS": 0.1, "volume throughput": 1.1}, None, "held back by its volume throughput"),
        ({"volume IOPS": 0.1, "volume throughput": 0.2}, None, "its own latency"),
        ({"volume throughput": 1.1}, {NOTHING: 0.9, "volume IOPS": 0.1}, "held back by its volume IOPS"),
        ({}, None, "its own latency"),
    ],
)
def test_waits_that_make_a_percentile_are_named(waited_s: dict[str, float], held: Any, told: str) -> None:
    (clause,) = parse_slo("p99<10ms")
    assert _whole_reason(outcome(waited_s, held), clause, 11.4e6) == f"p99 is 11.4 ms, {told}"


def test_a_maximum_and_a_rate_have_no_tail() -> None:
    (clause,) = parse_slo("max<10ms")
    assert "its own latency" in _whole_reason(outcome({"volume IOPS": 90.0}), clause, 11e6)
