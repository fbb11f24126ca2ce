"""What a volume does to a load as it grows: from the load as it was to a little beyond what the volume carries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from plimsoll.catalog.shape import VolumeShape
from plimsoll.traces.advice.growth import BUDGET, PRECISE
from plimsoll.traces.advice.turn import Turn
from plimsoll.traces.advice.wanted import Wanted
from plimsoll.traces.flow import flow

WITHIN, BEYOND = 5, (1.1, 1.25)
"""Loads up to the largest that is carried, and times the first one that is not."""
FAR = 4.0
"""Up to so many times a load is shown that nothing breaks."""


@dataclass(frozen=True)
class Stage:
    """A load that has grown to so many times."""

    factor: float
    iops: float
    waiting: float
    """Share of the I/Os that wait for the volume's limits."""
    turn: Turn | None
    """None where limits alone decide, or a turn has too many I/Os to simulate it once more."""
    why_not: str
    """Why the volume does not carry it; empty where it does."""


def stages(shape: VolumeShape, wanted: Wanted, breaks_at: float | None) -> tuple[Stage, ...]:
    """The curve of one volume; `breaks_at` is the growth at which it breaks first."""
    left, found = BUDGET, []
    for factor in _factors(breaks_at):
        grown = wanted.scaled(factor)
        operations = sum(each.operations for each in grown.demands)
        why, turn = grown.too_little(shape) or "", None
        if not why and left >= operations:
            left -= operations
            turn, judged = grown.tried(shape)
            why = "" if judged.met else judged.reasons[0]
        waiting = max(flow(shape, each).share_waiting(0.0) for each in grown.demands)
        found.append(Stage(factor, max(each.rate for each in grown.demands), waiting, turn, why))
    return tuple(found)


def _factors(breaks_at: float | None) -> Sequence[float]:
    """Evenly on a logarithmic scale."""
    largest = FAR if breaks_at is None else max(1.0, breaks_at / PRECISE)
    return sorted({*_up_to(largest), *(() if breaks_at is None else (breaks_at * each for each in (PRECISE, *BEYOND)))})


def _up_to(largest: float) -> Iterator[float]:
    for step in range(WITHIN):
        yield largest ** (step / (WITHIN - 1))
