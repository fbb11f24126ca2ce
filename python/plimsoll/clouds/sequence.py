"""How many allocations, and how many blocks in each: pure, from what was measured and from how long it took.

More blocks on one pair of volumes say little once the volumes themselves differ more than their blocks do; a further
pair costs the time in which it is rented. The cheapest mixture is the classic one of two-stage sampling:
n = √(cost of allocating / cost of a block × variance within / variance between).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from plimsoll.stats.policy import LOOKS
from plimsoll.stats.products import Product, Spread

FEWEST_BLOCKS = 3
"""In an allocation: fewer say nothing of how far its blocks scatter."""


def blocks_per_allocation(allocating_ns: float, block_ns: float, spread: Spread | None, most: int) -> int:
    """Blocks in the next allocation; while nothing is known of the variances, they count as equal."""
    ratio = 1.0
    if spread is not None and spread.within is not None:
        if spread.between == 0:
            return most
        ratio = (spread.within / spread.between) ** 2
    best = math.sqrt(max(allocating_ns, 0) / max(block_ns, 1) * ratio)
    return max(FEWEST_BLOCKS, min(most, round(best))) if most >= FEWEST_BLOCKS else most


def is_decided(found: Sequence[Product], allocations: int) -> bool:
    """Whether no further allocation is needed: looked at after 3, 4, 5, 6, 8, 10, … of them, as the rule demands."""
    if allocations not in LOOKS or not found:
        return False
    return all(len(each.allocations) == allocations and each.cell.verdict.decided for each in found)


def widest(found: Sequence[Product]) -> Spread | None:
    """The spread of the comparison whose allocations differ most beside their blocks; None while none is known."""
    known = [each.spread for each in found if each.spread is not None and each.spread.within]
    return max(known, key=lambda each: each.between / (each.within or 1), default=None)
