"""The rates of a run's intervals, whatever their length."""

from __future__ import annotations

import pytest

from plimsoll.stats.course import whole_rates
from plimsoll.stats.steady import Shape


@pytest.mark.parametrize("duration_ns", [40_000, 400_000, 4_000_000, 1_000_000_000])
def test_a_run_of_any_length_has_a_rate(duration_ns: int) -> None:
    found = whole_rates([(duration_ns, 4)])
    assert found.regime().shape is Shape.SHORT
    assert found.regime().score == pytest.approx(4e9 / duration_ns)


def test_the_interval_that_the_end_cut_is_left_out() -> None:
    found = whole_rates([(1_000_000_000, 100)] * 3 + [(300_000_000, 5)])
    assert found.values == (100.0, 100.0, 100.0)
    assert found.measured_s == pytest.approx(3.3)
