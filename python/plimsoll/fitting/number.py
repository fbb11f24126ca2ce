"""What a fit says: a number with its interval, or why there is none."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from plimsoll.stats.student_t import quantile

FEWEST = 3
"""Runs from which on they themselves show how they differ."""


@dataclass(frozen=True)
class Number:
    """One number of the model, base units."""

    name: str
    """As `catalog.fitted.NUMBERS` has it."""
    value: float
    low: float
    high: float
    """95 % interval of what this volume does; how others of its type differ is not in it."""
    runs: int


@dataclass(frozen=True)
class Missing:
    """A number that the runs cannot show."""

    names: tuple[str, ...]
    why: str
    test: str
    """The test that would show it."""


def of_runs(name: str, values: Sequence[float], floor: float, room: float = 0.0) -> Number:
    """From one value above zero per run, three or more; the interval is at least ± `floor`, a share, ± `room` wide."""
    logs = [math.log(value) for value in values]
    middle = fmean(logs)
    half = quantile(0.975, len(logs) - 1) * stdev(logs) / math.sqrt(len(logs)) + floor
    value = math.exp(middle)
    return Number(name, value, max(0.0, value * math.exp(-half) - room), value * math.exp(half) + room, len(logs))
