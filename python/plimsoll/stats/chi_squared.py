"""The χ² distribution for whole degrees of freedom, without SciPy; the tests hold it against SciPy."""

from __future__ import annotations

import math
from functools import lru_cache


@lru_cache(maxsize=1024)
def quantile(p: float, degrees: int) -> float:
    """The value x with P(X ≤ x) = p, 1e-6 < p < 1 - 1e-6 and `degrees` ≥ 1."""
    low, high = 0.0, 1.0
    while cumulative(high, degrees) < p:
        low, high = high, 2 * high
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if cumulative(middle, degrees) < p else (low, middle)
    return (low + high) / 2


def cumulative(x: float, degrees: int) -> float:
    """P(X ≤ x): the series of the incomplete gamma function (Abramowitz & Stegun 1964, 6.5.29)."""
    if x <= 0:
        return 0.0
    half, shape = x / 2, degrees / 2
    term = total = 1 / shape
    step = shape
    while term > 1e-17 * total:
        step += 1
        term *= half / step
        total += term
    return total * math.exp(shape * math.log(half) - half - math.lgamma(shape))
