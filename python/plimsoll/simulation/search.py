"""The cheapest point of a grid that is enough, by bisection: more on any axis is never less.

With two axes, each is searched with the limit of the other taken away: no volume that is enough has less of either.
Where the corner of both is enough, nothing is cheaper; else the edge of what is enough is followed for as long as it
may still be cheaper.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from plimsoll.catalog.limits import Limits
from plimsoll.catalog.shape import VolumeShape
from plimsoll.simulation.grid import Grid


@dataclass(frozen=True)
class Need:
    """What is looked for. All three are monotone along the axes of a grid."""

    possible: Callable[[VolumeShape], bool]
    """Quick, and true of every volume that is enough: its limits are."""
    enough: Callable[[VolumeShape], bool]
    price: Callable[[VolumeShape], float | None]
    """None where it is not known; then the least is what is looked for."""

    def least(self, values: Sequence[int], shape: Callable[[int], VolumeShape]) -> int | None:
        """The smallest of some values whose volume is enough; None if the largest is not."""
        low = _first(0, len(values), lambda i: self.possible(shape(values[i])))

        def enough(i: int) -> bool:
            return self.enough(shape(values[i]))

        # Mostly the limits are all that matters, and the first that is possible is enough.
        step, high = 1, low
        while high < len(values) and not enough(high):
            if high == len(values) - 1:
                return None
            low, high, step = high + 1, min(high + step, len(values) - 1), step * 4
        return None if high >= len(values) else values[_first(low, high, enough)]


def _first(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """The first index from `low` on that holds, and `high` if none below it does."""
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def cheapest(grid: Grid, need: Need) -> tuple[int, ...] | None:
    """The point of the cheapest volume that is enough; None where none is."""
    if not grid.axes:
        return () if need.enough(grid.least) else None
    if len(grid.axes) == 1:
        found = need.least(grid.axes[0].values, lambda value: grid.shape((value,)))
        return None if found is None else (found,)
    return _cheapest_of_two(grid, need)


def _cheapest_of_two(grid: Grid, need: Need) -> tuple[int, ...] | None:
    (_, operations), (_, rates) = ((axis.name, axis.values) for axis in grid.axes)
    fewest = need.least(operations, lambda value: without(grid.shape((value, rates[0])), "throughput"))
    slowest = need.least(rates, lambda value: without(grid.shape((operations[0], value)), "iops"))
    if fewest is None or slowest is None:
        return None
    best: tuple[int, ...] | None = None
    best_price = math.inf
    above = operations[operations.index(fewest) :]
    for rate in rates[rates.index(slowest) :]:
        bound = need.price(grid.shape((fewest, rate)))
        if best is not None and (bound is None or bound >= best_price):
            return best
        found = need.least(above, _at(grid, rate))
        if found is None:
            continue
        price = need.price(grid.shape((found, rate)))
        if best is None or (price is not None and price < best_price):
            best, best_price = (found, rate), price if price is not None else math.inf
        if found == fewest:
            return best
    return best


def _at(grid: Grid, rate: int) -> Callable[[int], VolumeShape]:
    return lambda value: grid.shape((value, rate))


def without(shape: VolumeShape, limit: str) -> VolumeShape:
    """The volume as if it had no limit of `iops` or `throughput`; the instance's stay."""
    own = Limits(shape.limits.iops, None) if limit == "throughput" else Limits(None, shape.limits.throughput)
    spec = {name: value for name, value in shape.spec.items() if name != limit}
    return replace(shape, limits=own, spec=spec)


def one_cheaper(grid: Grid, point: Sequence[int], price: Callable[[VolumeShape], float | None]) -> VolumeShape | None:
    """The dearest volume with one step less of something that costs less than the one at `point`; None for none."""
    here = price(grid.shape(point))
    found: list[tuple[float, VolumeShape]] = []
    for i, axis in enumerate(grid.axes):
        place = axis.values.index(point[i])
        if place == 0:
            continue
        shape = grid.shape((*point[:i], axis.values[place - 1], *point[i + 1 :]))
        there = price(shape)
        if here is None or there is None:
            found += [(0.0, shape)] if shape.options != grid.shape(point).options else []
        elif there < here:
            found.append((there, shape))
    return max(found, key=lambda each: each[0], default=(0.0, None))[1]
