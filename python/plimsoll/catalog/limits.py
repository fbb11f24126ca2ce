"""What a volume or an instance lets through: rates with their bursts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

BURST_SECONDS = 1800
"""Instances and Azure disks can hold their maximum for 30 minutes (EC2 user guide; Azure managed disk bursting)."""


@dataclass(frozen=True)
class Rate:
    """Per second. With credits, `rate` holds while there are any and `baseline` is what remains and what is earned."""

    rate: int
    baseline: int | None = None
    capacity: int | None = None
    depth_s: float = 1.0
    """Seconds of the rate that an idle volume gives at once (measured 1.0 on gp3, io2 and instance links)."""

    @classmethod
    def half_hour(cls, baseline: float, maximum: float) -> Rate:
        """A burst that lasts 30 minutes at the maximum and refills at the baseline."""
        if maximum <= baseline:
            return cls(round(baseline))
        return cls(round(maximum), round(baseline), round((maximum - baseline) * BURST_SECONDS))

    @property
    def sustained(self) -> int:
        """What lasts for ever."""
        return self.rate if self.baseline is None else self.baseline

    def burst_seconds(self, used: float | None = None) -> float | None:
        """How long full credits last at a use of `used` per second (default: the rate); None if for ever."""
        if self.baseline is None or self.capacity is None:
            return None
        spent = min(used if used is not None else self.rate, self.rate) - self.baseline
        return self.capacity / spent if spent > 0 else None

    def spec(self, initial: float = 1.0) -> dict[str, Any]:
        """The JSON of a limit in the volume crate; `initial` is the share of the credits at the start."""
        found: dict[str, Any] = {"rate": self.rate}
        if self.depth_s != 1.0:
            found["depth_s"] = self.depth_s
        if self.baseline is not None and self.capacity is not None:
            found["credits"] = {"baseline": self.baseline, "capacity": self.capacity, "initial": initial}
        return found


@dataclass(frozen=True)
class Limits:
    """IOPS and bytes per second, reads and writes together; None is no limit."""

    iops: Rate | None
    throughput: Rate | None

    def within(self, other: Limits) -> Limits:
        """The lower of each; of two rates that burst, the one that lasts less."""
        return Limits(_lower(self.iops, other.iops), _lower(self.throughput, other.throughput))


def _lower(one: Rate | None, other: Rate | None) -> Rate | None:
    known = [rate for rate in (one, other) if rate is not None]
    return min(known, key=lambda rate: (rate.sustained, rate.rate), default=None)
