"""Levels, bend, bracket, objective and request, each on its own."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.errors import UsageError
from plimsoll.stats.load_line import bend, bracket
from plimsoll.stats.load_line.levels import STEP, LoadRange, parse_range
from plimsoll.stats.load_line.points import Phase, Point
from plimsoll.stats.load_line.request import request, request_from
from plimsoll.stats.load_line.slo import Belief, parse_objective
from plimsoll.units import MILLISECOND

LOADS = (4.0, 6.0, 8.0, 12.0, 16.0, 23.0, 32.0)


def rounds(curve: dict[float, float], number: int = 3, noise: float = 0.0, drift: float = 0.0) -> list[Point]:
    """Rounds over a curve of throughput by load, with latency by Little's law."""
    rng = np.random.default_rng(1)
    made = []
    for each in range(number):
        level = math.exp(drift * each)
        for load, rate in curve.items():
            rate = rate * level * math.exp(noise * rng.standard_normal())
            made.append(Point(load, Phase.ROUND, each, True, rate, mean_ns=load / rate * 1e9))
    return made


def hockey(knee: float, slope: float = 100.0) -> dict[float, float]:
    return {load: slope * min(load, knee) for load in LOADS}


@given(st.integers(1, 50), st.integers(2, 5000), st.booleans())
def test_levels_are_geometric_and_end_with_the_range(low: int, factor: int, whole: bool) -> None:
    bounds = LoadRange(low, low * factor, whole)
    levels = bounds.levels
    assert (levels[0], levels[-1]) == (low, low * factor)
    assert list(levels) == sorted(set(levels))
    assert all(level == int(level) for level in levels) or not whole
    assert all(b / a < STEP * 1.2 or b - a <= 1 for a, b in pairwise(levels))
    assert set(bounds.window(low * math.sqrt(factor))) <= set(levels)


@pytest.mark.parametrize("text", ["", "5", "0..4", "4..4", "8..2", "a..b", "1...9", "-1..4"])
def test_ranges_that_cannot_be_meant(text: str) -> None:
    with pytest.raises(UsageError):
        parse_range(text, whole=True)


@given(st.floats(6, 20))
def test_an_exact_hockey_stick_is_found(knee: float) -> None:
    found = bend.fit(rounds(hockey(knee)))
    assert found is not None
    assert found.knee == pytest.approx(knee, rel=0.01)
    assert found.plateau == pytest.approx(100 * knee, rel=0.01)
    assert found.low < knee < found.high
    assert found.sharpness == pytest.approx(1, abs=0.03)


def test_drift_between_rounds_moves_no_knee() -> None:
    still, moving = (bend.fit(rounds(hockey(11), 5, drift=drift)) for drift in (0.0, -0.2))
    assert still is not None
    assert moving is not None
    assert (still.knee, still.low, still.high) == pytest.approx((moving.knee, moving.low, moving.high))


def test_noise_widens_the_interval() -> None:
    widths = []
    for noise in (0.01, 0.05, 0.2):
        found = bend.fit(rounds(hockey(11), 5, noise=noise))
        assert found is not None
        widths.append(found.half_width)
    assert widths == sorted(widths)


def test_a_line_has_no_knee_and_few_levels_have_no_fit() -> None:
    line = bend.fit(rounds({load: 100 * load for load in LOADS}))
    assert line is not None
    assert not line.reached
    assert bend.fit(rounds({load: 100 * load for load in LOADS[:3]})) is None


def test_bracket_lies_around_the_knee() -> None:
    found = bracket.find(rounds(hockey(12), noise=0.002))
    assert found is not None
    assert (found.low, found.high, found.rounds) == (12, 16, 3)
    assert found.latency_ratio == pytest.approx(16 / 12, rel=0.02)


def test_no_bracket_without_certainty() -> None:
    assert bracket.find(rounds({load: 100 * load for load in LOADS}, 6)) is None
    assert bracket.find(rounds(hockey(12), 2)) is None
    assert bracket.find(rounds(hockey(12), 3, noise=0.2)) is None


def test_a_schedule_that_is_no_longer_kept_is_a_bracket() -> None:
    points = [
        Point(load, Phase.ROUND, each, True, min(load, 10), mean_ns=None if load > 10 else 1e6, overloaded=load > 10)
        for each in range(3)
        for load in LOADS
    ]
    found = bracket.find(points)
    assert found is not None
    assert (found.low, found.high, found.latency_ratio) == (8, 12, math.inf)


@pytest.mark.parametrize("at_times", [{12}, {8, 12}])
def test_loads_whose_schedule_is_kept_at_times_lie_within_the_bracket(at_times: set[float]) -> None:
    def overloaded(load: float, number: int) -> bool:
        return load > 12 or (load in at_times and number == 1)

    points = [
        Point(
            load,
            Phase.ROUND,
            each,
            True,
            load,
            None if overloaded(load, each) else 1e6,
            overloaded=overloaded(load, each),
        )
        for each in range(6)
        for load in LOADS
    ]
    assert bracket.find(points) is None
    found = bracket.around(points)
    assert found is not None
    assert found.low == max(load for load in LOADS if load < min(at_times))
    assert found.high == min(load for load in LOADS if load > 12)
    assert bracket.around([point for point in points if point.round < 2]) is None
    assert bracket.around([point for point in points if point.load < 12]) is None


@pytest.mark.parametrize(
    ("text", "percent", "limit_ns"),
    [("p99<5ms", 99, 5 * MILLISECOND), ("p999 <= 20ms", 99.9, 20 * MILLISECOND), ("P50<100us", 50, 100_000)],
)
def test_objectives(text: str, percent: float, limit_ns: int) -> None:
    found = parse_objective(text)
    assert (found.percent, found.limit_ns) == (percent, limit_ns)
    assert parse_objective(found.text) == found


@pytest.mark.parametrize("text", ["", "p99", "99<5ms", "p99<5", "p99>5ms", "p0<5ms", "p100<5ms", "p99<0ms", "p99<fast"])
def test_objectives_that_cannot_be_meant(text: str) -> None:
    with pytest.raises(UsageError):
        parse_objective(text)


def test_a_limit_without_a_unit_is_not_taken_for_seconds() -> None:
    with pytest.raises(UsageError, match="p99<5: '5' has no unit; write 5us, 5ms or 5s"):
        parse_objective("p99<5")
    assert parse_objective("p99<5s").limit_ns == 5_000_000_000


@given(st.lists(st.tuples(st.floats(2, 150), st.floats(0.1, 50)), max_size=12))
def test_belief_follows_the_runs(seen: list[tuple[float, float]]) -> None:
    belief = Belief(LoadRange(2, 160, whole=False), parse_objective("p99<5ms"))
    for load, latency_ms in seen:
        before = belief.quantile(0.5)
        belief.see(load, latency_ms * MILLISECOND)
        after = belief.quantile(0.5)
        assert after >= before if latency_ms <= 5 else after <= before
    assert belief.quantile(0.05) <= belief.quantile(0.5) <= belief.quantile(0.95)
    belief.see(20, math.inf)
    assert belief.quantile(0.5) <= belief.quantile(0.95)


def test_a_request_survives_its_study_file() -> None:
    made = request("rate", "100..20k", "p99.9<1.234567ms")
    assert request_from({"load_line": made.to_table()}, "here") == made
    assert request_from({}, "here") is None
    assert (made.text(1400), request("clients", "1..8", None).text(1)) == ("a rate of 1,400/s", "1 client")
    assert made.texts([1400, 2000]) == "rates of 1,400/s and 2,000/s"
    assert request("clients", "1..8", None).texts([1, 2, 8]) == "1, 2 and 8 clients"
    assert request("depth", "1..8", None).texts([4]) == "depth 4"


@pytest.mark.parametrize(
    "table", [3, {}, {"parameter": "size", "range": "1..2"}, {"parameter": "depth", "range": "1..4", "slow": 1}]
)
def test_requests_that_cannot_be_meant(table: object) -> None:
    with pytest.raises(UsageError):
        request_from({"load_line": table}, "study.toml")
