"""How far another machine's clock is from this one's, from a few questions and answers."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

QUESTIONS = 9


@dataclass(frozen=True)
class Offset:
    """`offset_ns` is the other clock minus this one; the truth lies within ± `uncertainty_ns`."""

    offset_ns: int
    uncertainty_ns: int


def measure_offset(ask: Callable[[], int], now: Callable[[], int] = time.time_ns) -> Offset:
    """Ask the other clock several times and believe the quickest answer.

    The answer was given at some moment between question and answer, so half of the way there and back bounds the error
    (Cristian 1989).
    """
    found = []
    for _ in range(QUESTIONS):
        asked = now()
        there = ask()
        answered = now()
        found.append(Offset(there - (asked + answered) // 2, (answered - asked + 1) // 2))
    return min(found, key=lambda each: each.uncertainty_ns)
