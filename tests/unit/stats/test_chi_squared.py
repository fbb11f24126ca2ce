from __future__ import annotations

import pytest
from scipy.stats import chi2

from plimsoll.stats.chi_squared import cumulative, quantile


@pytest.mark.parametrize("degrees", [1, 2, 3, 4, 7, 19, 100])
@pytest.mark.parametrize("p", [1e-4, 0.025, 0.3, 0.5, 0.975, 0.9999])
def test_it_is_what_scipy_says(p: float, degrees: int) -> None:
    expected = float(chi2.ppf(p, degrees))
    assert quantile(p, degrees) == pytest.approx(expected, rel=1e-8)
    assert cumulative(expected, degrees) == pytest.approx(p, rel=1e-8)


def test_nothing_lies_below_zero() -> None:
    assert cumulative(-1.0, 3) == cumulative(0.0, 3) == 0.0
