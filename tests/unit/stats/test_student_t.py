import numpy as np
import pytest
from scipy import stats

from plimsoll.stats.student_t import quantile, upper_tail


@pytest.mark.parametrize("degrees", [*range(1, 41), 99, 400])
def test_tail_is_that_of_scipy(degrees: int) -> None:
    t = np.concatenate([np.linspace(-8, 8, 161), [-50.0, 13.073, 40.0, 1e4]])
    assert upper_tail(t, degrees) == pytest.approx(stats.t.sf(t, degrees), abs=1e-13)


@pytest.mark.parametrize("degrees", [1, 2, 3, 4, 9, 19, 100])
@pytest.mark.parametrize("p", [0.001, 0.3, 0.5, 0.9, 0.975, 0.9929, 0.9971, 0.995])
def test_quantile_is_that_of_scipy(degrees: int, p: float) -> None:
    assert quantile(p, degrees) == pytest.approx(stats.t.ppf(p, degrees), rel=1e-9, abs=1e-9)


def test_a_p_value_is_never_zero() -> None:
    assert float(upper_tail(1e9, 2)) > 0
