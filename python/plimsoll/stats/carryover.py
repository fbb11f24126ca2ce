"""Do blocks influence each other? Two regressions on the paired differences of one cell.

A drift of the level is harmless, because targets of a block run close together in random order. A drift of the
*difference* is not: credits, wear or compaction of one target carry over from block to block.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from plimsoll.stats.policy import RESOLUTION
from plimsoll.stats.student_t import quantile

FEWEST_BLOCKS = 5
LEVEL = 0.995
"""Quantile of t beyond which an effect is reported: a false alarm in 1 of 100 cells."""


def drift(differences: Sequence[float]) -> float | None:
    """Change of the log ratio from the first to the last block, if it is significant; else None."""
    last = len(differences) - 1
    slope = _slope([float(block) for block in range(last + 1)], differences)
    return None if slope is None else slope * last


def order_effect(differences: Sequence[float], baseline_first: Sequence[bool]) -> float | None:
    """How much better the other target looks, as a log ratio, when the baseline ran before it; None if not significant.

    Half of it would be the bias of every block if the order were not random.
    """
    return _slope([1.0 if first else 0.0 for first in baseline_first], differences)


def _slope(x: Sequence[float], y: Sequence[float]) -> float | None:
    """Least-squares slope of y on x where |t| is beyond `LEVEL`; None if it is not, or cannot be told."""
    count = len(y)
    if count < FEWEST_BLOCKS:
        return None
    mean_x, mean_y = math.fsum(x) / count, math.fsum(y) / count
    spread = math.fsum((a - mean_x) ** 2 for a in x)
    if spread == 0:
        return None
    slope = math.fsum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)) / spread
    residuals = math.fsum((b - mean_y - slope * (a - mean_x)) ** 2 for a, b in zip(x, y, strict=True))
    variance = max(residuals / (count - 2), RESOLUTION**2)
    significant = abs(slope) > quantile(LEVEL, count - 2) * math.sqrt(variance / spread)
    return slope if significant else None
