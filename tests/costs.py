"""Whether time grows with the length of a text, or with its square: no test waits for a certain time."""

from __future__ import annotations

from collections.abc import Callable

MOST_GROWTH = 3.0
"""Of twice the text; what grows with its square takes four times as long."""


def grows_too_fast(cost: Callable[[int], float], size: int) -> bool:
    """Whether each of three doublings makes the time grow as no text does: once or twice could be the machine.

    `cost` gives the seconds of processor time for a text of so many characters.
    """
    before = cost(size)
    for _ in range(3):
        size, now = 2 * size, cost(2 * size)
        if now <= MOST_GROWTH * before:
            return False
        before = now
    return True
