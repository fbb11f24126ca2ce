import numpy as np
import pytest
from scipy import stats

from plimsoll.stats.carryover import drift, order_effect


@pytest.mark.parametrize("seed", range(40))
def test_reported_exactly_where_the_regression_of_scipy_is_significant(seed: int) -> None:
    random = np.random.default_rng(seed)
    blocks = np.arange(10)
    values = 0.1 + random.choice([0.0, 0.03]) * blocks + random.normal(0, 0.05, 10)
    golden = stats.linregress(blocks, values)
    found = drift(values.tolist())
    assert (found is not None) == (golden.pvalue < 0.01)
    if found is not None:
        assert found == pytest.approx(9 * golden.slope, rel=1e-9)


def test_false_alarms_are_rare() -> None:
    random = np.random.default_rng(1)
    alarms = [drift(path.tolist()) is not None for path in random.normal(0, 0.05, (2000, 12))]
    assert np.mean(alarms) < 0.018


def test_the_order_within_blocks_is_seen() -> None:
    first = [True, False, True, True, False, False, True, False]
    values = [0.2 if each else -0.2 for each in first]
    assert order_effect(values, first) == pytest.approx(0.4)
    assert order_effect([0.1 + 0.001 * i % 3 for i in range(8)], first) is None


def test_what_cannot_be_told_is_not_told() -> None:
    assert drift([0.0, 1.0, 2.0]) is None
    assert drift([0.1] * 10) is None
    assert order_effect([0.0, 1.0] * 4, [True] * 8) is None
