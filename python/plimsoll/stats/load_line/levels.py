"""Which loads are tried: geometric steps, because a system that carries 3 or 300 is found with equal relative error."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from plimsoll.errors import UsageError
from plimsoll.units import parse_count

STEP = math.sqrt(2)
AROUND = 3
"""Levels below and above the bend that are measured in rounds: a factor of 2.8 either way."""


@dataclass(frozen=True)
class LoadRange:
    """The smallest and largest load; `whole` where it counts something, such as clients."""

    low: float
    high: float
    whole: bool

    def __post_init__(self) -> None:
        if self.low <= 0 or self.high <= self.low:
            raise UsageError(f"a load range goes from above zero to more, such as 1..256, not {self.text}")

    @property
    def text(self) -> str:
        """As the command line takes it: `1..256`."""
        return f"{self.low:.10g}..{self.high:.10g}"

    def rounded(self, load: float) -> float:
        """A load that can be run: whole, or with four digits; within the range."""
        near = float(round(load)) if self.whole else float(f"{load:.4g}")
        return min(max(near, self.low), self.high)

    @cached_property
    def levels(self) -> tuple[float, ...]:
        """The smallest load times √2, 2, 2√2, … up to the largest, which is always one of them."""
        count = math.ceil(math.log(self.high / self.low) / math.log(STEP) - 1e-9)
        steps = [self.low * STEP**k for k in range(count)]
        made = [float(math.ceil(each - 1e-9)) if self.whole else float(f"{each:.4g}") for each in steps]
        kept = [each for each in dict.fromkeys(made) if each < self.high]
        # A last step that is hardly one says nothing.
        if len(kept) > 1 and self.high / kept[-1] < math.sqrt(STEP):
            kept.pop()
        return (*kept, self.high)

    def window(self, load: float) -> tuple[float, ...]:
        """The levels around `load`, as many as the range has."""
        place = min(range(len(self.levels)), key=lambda k: abs(math.log(self.levels[k] / load)))
        start = min(max(0, place - AROUND), max(0, len(self.levels) - 2 * AROUND - 1))
        return self.levels[start : start + 2 * AROUND + 1]


def parse_range(text: str, *, whole: bool) -> LoadRange:
    """`1..256`, or `100..20k` where numbers may have a `k`; raises UsageError."""
    low, dots, high = text.strip().removesuffix("/s").partition("..")
    if not dots:
        raise UsageError(f"{text!r} is not a load range; write the smallest and the largest, such as 1..256")
    return LoadRange(float(parse_count(low)), float(parse_count(high)), whole)
