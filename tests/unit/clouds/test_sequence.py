"""How many allocations, and how many blocks in each."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from plimsoll.clouds.sequence import blocks_per_allocation, is_decided, widest
from plimsoll.stats.products import Spread


def _spread(between: float, within: float | None) -> Spread:
    return Spread(between, 0.0, 1.0, within)


@pytest.mark.parametrize(
    ("allocating", "block", "spread", "most", "blocks"),
    [
        (600, 60, None, 20, 3),  # √10, and nothing known of the variances
        (600, 6, None, 20, 10),
        (600, 60, _spread(0.05, 0.02), 20, 3),  # volumes differ more than blocks: the fewest
        (600, 60, _spread(0.02, 0.04), 20, 6),  # √(10 × 4)
        (600, 60, _spread(0.0, 0.04), 20, 20),  # no difference between volumes is seen: further ones say nothing
        (600, 60, _spread(0.01, 0.10), 12, 12),
        (600, 60, _spread(0.01, None), 12, 3),
        (600, 6, None, 2, 2),  # the user allows two
        (0, 0, None, 20, 3),
    ],
)
def test_blocks_follow_from_the_cost(
    allocating: int, block: int, spread: Spread | None, most: int, blocks: int
) -> None:
    assert blocks_per_allocation(allocating, block, spread, most) == blocks


def _product(allocations: int, *, decided: bool, spread: Spread | None = None) -> Any:
    verdict = SimpleNamespace(decided=decided)
    return SimpleNamespace(allocations=[0] * allocations, cell=SimpleNamespace(verdict=verdict), spread=spread)


def test_it_ends_when_everything_is_decided_at_a_look() -> None:
    assert is_decided([_product(3, decided=True), _product(3, decided=True)], 3)
    assert not is_decided([_product(3, decided=True), _product(3, decided=False)], 3)
    assert not is_decided([_product(7, decided=True)], 7), "between two looks nothing is decided"
    assert not is_decided([_product(2, decided=True)], 3), "sessions that shared a volume are one allocation"
    assert not is_decided([], 3)


def test_the_comparison_whose_volumes_differ_most_says_how_many_blocks() -> None:
    near, far = _spread(0.01, 0.05), _spread(0.03, 0.05)
    assert widest([_product(3, decided=False, spread=near), _product(3, decided=False, spread=far)]) is far
    assert widest([_product(3, decided=False)]) is None
