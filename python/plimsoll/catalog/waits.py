"""Which limit made I/Os wait, from the counters of an emulated volume: they know what a similar rate only suggests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from plimsoll.model import Interval, Run
from plimsoll.stats.course import rates_of
from plimsoll.units import SECOND

WAITED = "waited_ns."
"""What the counters of an interval are called, in front of the name of the bucket."""
LIMITS = 0.5
"""From this share of the time on, waiting for a limit is what holds a load back."""
TOUCHES = 0.1
"""Below this share nothing has to be said about a limit."""
PARTIES = {
    "volume.iops": "volume IOPS",
    "volume.throughput": "volume throughput",
    "volume.iops_credits": "volume IOPS, credits used up",
    "volume.throughput_credits": "volume throughput, credits used up",
    "instance.iops": "instance IOPS",
    "instance.throughput": "instance throughput",
    "instance.iops_credits": "instance IOPS, burst used up",
    "instance.throughput_credits": "instance throughput, burst used up",
}


def of_volume(bucket: str) -> str:
    """`member3.iops` → `volume.iops`: members of an array are volumes."""
    where, _, what = bucket.partition(".")
    return f"volume.{what}" if where.startswith("member") else bucket


def party(bucket: str) -> str:
    """A bucket's name as people say it."""
    return PARTIES.get(of_volume(bucket), bucket)


@dataclass(frozen=True)
class Wait:
    """In which share of the time I/Os waited for one limit."""

    bucket: str
    """`volume.iops`, `instance.throughput_credits`, …; that of an array's busiest member is the volume's."""
    share: float

    @property
    def party(self) -> str:
        """`volume IOPS, credits used up`."""
        return party(self.bucket)


def waits(runs: Sequence[Run]) -> tuple[Wait, ...] | None:
    """The waits in the parts of some runs that are scored, longest first; None where not all of it was counted."""
    inside = [interval for run in runs for interval in _scored(run)]
    names = {name for interval in inside for name in interval.device if name.startswith(WAITED)}
    if not names or any(name not in interval.device for interval in inside for name in names):
        return None
    total = sum(interval.duration_ns for interval in inside)
    shares: dict[str, float] = {}
    for name in names:
        bucket = of_volume(name.removeprefix(WAITED))
        share = min(1.0, sum(interval.device[name] for interval in inside) / total)
        shares[bucket] = max(share, shares.get(bucket, 0.0))
    found = (Wait(bucket, share) for bucket, share in shares.items())
    return tuple(sorted(found, key=lambda wait: (-wait.share, wait.bucket)))


def _scored(run: Run) -> list[Interval]:
    """The intervals of the steady part that samples enclose; the last one ends after them."""
    rates = rates_of(run.intervals, "1/s")
    if not rates.values:
        return []
    start_s, end_s = rates.regime().window_s
    return [
        each
        for each in run.intervals
        if start_s * SECOND <= each.start_ns and each.start_ns + each.duration_ns <= end_s * SECOND and each.cpu
    ]
