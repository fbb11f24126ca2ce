"""The search for the depth of fio's `latency_target`, on a device that is known."""

from __future__ import annotations

import pytest

from plimsoll.frontends.fio.latency_target import Search


def searched(most: int, meets: int) -> tuple[list[int], Search]:
    """The depths that are tried on a device that meets the target up to a depth, until the search ends."""
    search, tried = Search(most), list[int]()
    while not search.done and len(tried) < 100:
        tried.append(search.depth)
        if search.depth <= meets:
            search.succeeded()
        elif not search.failed():
            break
    return tried, search


@pytest.mark.parametrize(
    ("most", "meets", "tried"),
    [
        # Doubled until the first failure, bisected, and one last window.
        (32, 5, [1, 2, 4, 8, 6, 5, 5]),
        (32, 1, [1, 2, 1, 1]),
        # Nothing fails: the depth that was asked for.
        (8, 100, [1, 2, 4, 8, 8]),
        (1, 1, [1, 1]),
        (32, 0, [1]),
    ],
)
def test_depths_that_are_tried(most: int, meets: int, tried: list[int]) -> None:
    found, search = searched(most, meets)
    assert found == tried
    assert search.done == (meets > 0)


@pytest.mark.parametrize("most", [1, 3, 16, 100, 1000])
def test_the_largest_depth_that_meets_it_is_found(most: int) -> None:
    for meets in range(1, most + 1, max(1, most // 20)):
        found, search = searched(most, meets)
        assert search.done
        assert found[-1] <= meets
        # fio stops at a window that was good twice, at most one below the largest.
        assert found[-1] >= min(meets, most) - 1
