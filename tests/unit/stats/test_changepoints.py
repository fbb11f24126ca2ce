import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plimsoll.stats.changepoints import largest_step, long_run_variance, merged, penalty, segment_ends
from plimsoll.stats.simulation import wander


def cost(part: np.ndarray) -> float:
    return float(((part - part.mean()) ** 2).sum())


def best_cost(values: np.ndarray, price: float, minimum: int) -> float:
    """Optimal partitioning without any pruning."""
    best = {0: -price}
    for end in range(minimum, len(values) + 1):
        starts = [start for start in best if end - start >= minimum]
        best[end] = min((best[start] + cost(values[start:end]) + price for start in starts), default=np.inf)
    return best[len(values)]


def total_cost(values: np.ndarray, ends: list[int], price: float) -> float:
    return sum(cost(part) for part in np.split(values, ends[:-1])) + price * (len(ends) - 1)


@settings(max_examples=200)
@given(
    st.lists(st.sampled_from([0.0, 1.0, 5.0]) | st.floats(-3, 3), min_size=1, max_size=30),
    st.floats(0.05, 5),
    st.integers(1, 5),
)
def test_the_partition_is_optimal(values: list[float], price: float, minimum: int) -> None:
    series = np.array(values)
    ends = segment_ends(series, price, minimum)
    assert ends[-1] == len(series)
    if len(series) >= 2 * minimum:
        assert all(b - a >= minimum for a, b in zip([0, *ends], ends, strict=False))
        assert total_cost(series, ends, price) == pytest.approx(best_cost(series, price, minimum), abs=1e-7)


def test_steps_are_found_where_they_are() -> None:
    series = np.repeat([0.0, 1.0, 0.3], 25) + np.random.default_rng(2).normal(0, 0.05, 75)
    assert segment_ends(series, penalty(series, 0.05**2), 4) == [25, 50, 75]
    assert largest_step(series[:50], 4)[0] == 25


def test_close_levels_are_merged() -> None:
    series = np.repeat([0.0, 0.02, 1.0], 10)
    assert merged(series, [10, 20, 30], 0.05) == [20, 30]
    assert merged(series, [10, 20, 30], 0.001) == [10, 20, 30]


@pytest.mark.parametrize("persistence", [0.0, 0.2, 0.35])
def test_long_run_variance_knows_of_autocorrelation(persistence: float) -> None:
    random = np.random.default_rng(3)
    found = [long_run_variance(row, 1e-6) for row in wander(0.1, persistence)(random, (200, 200))]
    truth = 0.1**2 * (1 + persistence) / (1 - persistence)
    assert np.median(found) == pytest.approx(truth, rel=0.25)


def test_long_run_variance_does_not_see_a_step() -> None:
    noise = np.random.default_rng(4).normal(0, 0.1, 200)
    stepped = noise + np.repeat([0.0, 3.0], 100)
    assert long_run_variance(stepped, 1e-6) < 3 * long_run_variance(noise, 1e-6)


def test_constant_series_have_the_smallest_variance() -> None:
    assert long_run_variance(np.ones(50), 0.01) == pytest.approx(0.0001)
