"""How far another machine's clock is from this one's, from a few questions and answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from plimsoll.errors import TargetError
from plimsoll.units import MILLISECOND, SECOND, format_duration

QUESTIONS = 9
MOST_QUESTIONS = 45
"""Of a worker that answers slowly: one answer of many is quick even on a busy machine."""
LONGEST_NS = SECOND // 2
"""Beyond the first questions no more are asked after so long: a long way stays long, and there may be many workers."""
ENOUGH_NS = MILLISECOND
MOST_UNCERTAIN_NS = SECOND // 2
"""Seconds of several machines are laid side by side: beyond this a second would be taken for its neighbour."""


@dataclass(frozen=True)
class Offset:
    """`offset_ns` is the other clock minus this one; the truth lies within ± `uncertainty_ns`."""

    offset_ns: int
    uncertainty_ns: int


def measure_offset(ask: Callable[[], int], now: Callable[[], int] = time.time_ns) -> Offset:
    """Ask the other clock several times, more often while it answers slowly, and believe the quickest answer.

    The answer was given at some moment between question and answer, so half of the way there and back bounds the error
    (Cristian 1989).
    """
    found: list[Offset] = []
    asked = now()
    until = asked + LONGEST_NS
    while len(found) < QUESTIONS or (
        len(found) < MOST_QUESTIONS and _best(found).uncertainty_ns > ENOUGH_NS and asked < until
    ):
        asked = now()
        there = ask()
        answered = now()
        found.append(Offset(there - (asked + answered) // 2, (answered - asked + 1) // 2))
    return _best(found)


def _best(found: Sequence[Offset]) -> Offset:
    return min(found, key=lambda each: each.uncertainty_ns)


def known_well(name: str, offset: Offset) -> Offset:
    """The offset of a worker's clock. Raises TargetError if it is too uncertain for a common start."""
    if offset.uncertainty_ns > MOST_UNCERTAIN_NS:
        raise TargetError(
            f"the clock of worker {name} is known to ± {format_duration(offset.uncertainty_ns)} only, because it "
            "answers so slowly: no common start and no common seconds are possible; stop what keeps it or its network "
            "busy, or leave it out"
        )
    return offset
