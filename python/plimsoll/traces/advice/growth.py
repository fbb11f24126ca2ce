"""What of a volume breaks first as a load grows, and at which growth."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from plimsoll.catalog.shape import VolumeShape
from plimsoll.errors import UsageError
from plimsoll.simulation.outcome import NOTHING
from plimsoll.traces.advice.wanted import Wanted

MOST = 64.0
"""A load that may grow to more than so many times is not worth a number."""
PRECISE = 1.01
"""Growth is found within one per cent."""
BUDGET = 60_000_000
"""I/Os that may be simulated for it; beyond, the limits alone decide."""
MONTHS = {"y": 12.0, "year": 12.0, "m": 1.0, "month": 1.0}


@dataclass(frozen=True)
class Break:
    """The growth at which a volume stops carrying a load."""

    factor: float | None
    """None: more than MOST times."""
    by: str
    """`volume IOPS`, or `its own latency`."""
    simulated: bool
    """Whether I/Os were simulated; else limits alone decide, and it may break a little earlier."""

    @property
    def growth(self) -> float | None:
        """As a share: 0.12 for 12 % more."""
        return None if self.factor is None else self.factor - 1


def parse_growth(text: str) -> float:
    """Growth per month from `40%/y` or `3%/month`: 0.0284. Raises UsageError."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*%\s*/\s*([a-z]+)\s*", text.lower())
    if not match or match[2] not in MONTHS or not 0 < float(match[1]) <= 10_000:
        raise UsageError(f"--growth {text!r}: write it like 40%/y or 3%/month")
    return float((1 + float(match[1]) / 100) ** (1 / MONTHS[match[2]]) - 1)


def months(factor: float, per_month: float) -> float:
    """Until a load has grown to so many times."""
    return math.log(factor) / math.log1p(per_month)


def breaks(shape: VolumeShape, wanted: Wanted) -> Break:
    """The least growth that a volume does not carry."""
    low, high = 1.0, _by_limits(shape, wanted)
    if high is None:
        return Break(None, "", simulated=False)
    operations = sum(each.operations for each in wanted.demands)
    left = BUDGET
    by, simulated = "", False
    while high / low > PRECISE and left >= operations * high:
        middle = math.sqrt(low * high)
        grown = wanted.scaled(middle)
        left -= round(operations * middle)
        simulated = True
        if grown.enough(shape):
            low = middle
        else:
            high, by = middle, _by(shape, grown)
    return Break(high, by or _by(shape, wanted.scaled(high * PRECISE)), simulated)


def _by_limits(shape: VolumeShape, wanted: Wanted) -> float | None:
    """The growth that limits plainly forbid; None where they allow all."""
    low, high = 1.0, MOST
    if wanted.scaled(high).too_little(shape) is None:
        return None
    while high / low > 1.001:
        middle = math.sqrt(low * high)
        if wanted.scaled(middle).too_little(shape) is None:
            low = middle
        else:
            high = middle
    return high


def _by(shape: VolumeShape, grown: Wanted) -> str:
    """Which party breaks a load that is too much."""
    from plimsoll.catalog.waits import party
    from plimsoll.traces.flow import flow

    found = max((flow(shape, each) for each in grown.demands), key=lambda each: float(each.waits_s.max()))
    tightest = found.tightest
    if tightest is not None and (tightest.use > 1 or float(tightest.waits_s.max()) > 0):
        return party(tightest.name)
    if grown.too_little(shape) is None:
        held = [name for name in grown.tried(shape)[0].outcome.limiting_shares if name != NOTHING]
        if held:
            return held[0]
    return "latency"
