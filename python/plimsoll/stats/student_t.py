"""Student's t distribution for whole degrees of freedom, without SciPy.

The finite trigonometric series of Abramowitz & Stegun (1964), 26.7.3 and 26.7.4. Absolute error below 1e-14, which
is all that p-values need; the tests hold it against SciPy.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

SMALLEST_P = 1e-15
"""Tail probabilities below this are lost in rounding and are reported as this."""


def upper_tail(t: FloatArray | float, degrees: int) -> FloatArray:
    """P(T > t) for each element of `t`, with `degrees` ≥ 1 degrees of freedom."""
    values = np.asarray(t, dtype=np.float64)
    inside = _central(np.abs(values), degrees)
    tail = np.maximum((1.0 - inside) / 2.0, SMALLEST_P)
    return np.where(values >= 0, tail, 1.0 - tail)


def _central(t: FloatArray, degrees: int) -> FloatArray:
    """P(|T| ≤ t) for t ≥ 0."""
    root = math.sqrt(degrees)
    hypotenuse = np.hypot(t, root)
    sine, cosine = t / hypotenuse, root / hypotenuse
    square = cosine * cosine
    odd = degrees % 2 == 1
    first = 2 if odd else 1
    term = cosine if odd else np.ones_like(t)
    series = np.zeros_like(t)
    for factor in range(first, degrees, 2):
        series = series + term
        term = term * square * (factor / (factor + 1))
    if odd:
        return (np.arctan2(t, root) + sine * series) * (2.0 / math.pi)
    return sine * series


@lru_cache(maxsize=4096)
def quantile(p: float, degrees: int) -> float:
    """The value t with P(T ≤ t) = p, 1e-12 < p < 1 - 1e-12."""
    if p < 0.5:
        return -quantile(1.0 - p, degrees)
    low, high = 0.0, 1.0
    while float(upper_tail(high, degrees)) > 1.0 - p:
        low, high = high, high * 2.0
    while high - low > 1e-13 * high:
        middle = (low + high) / 2.0
        if middle in (low, high):
            break
        low, high = (middle, high) if float(upper_tail(middle, degrees)) > 1.0 - p else (low, middle)
    return (low + high) / 2.0
