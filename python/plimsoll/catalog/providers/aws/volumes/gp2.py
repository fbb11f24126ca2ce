"""General Purpose SSD gp2: IOPS follow from the size, and small volumes burst on credits."""

from __future__ import annotations

from dataclasses import replace

from plimsoll.catalog.limits import Limits, Rate
from plimsoll.catalog.volume_type import Provisioned, VolumeType
from plimsoll.units import MIB

CREDITS = 5_400_000
"""I/O credits of a volume: full at the start, 3,000 IOPS for 30 minutes."""
BURST = 3000


class Gp2(VolumeType):
    """3 IOPS per GiB, credits to burst to 3,000 below 1,000 GiB."""

    is_by_size = True
    burst = "to 3,000, credits"

    def formula(self, asked: Provisioned) -> Limits:
        """From the size alone."""
        why = "3 IOPS per GiB, 100 to 16,000; gp3 and io2 let you choose"
        self.refuse_choice(asked, ("iops", "throughput"), why)
        base = min(self.iops_max or 0, max(self.iops_min or 0, round(3 * asked.size_gib)))
        iops = Rate(base) if base >= BURST else Rate(BURST, base, CREDITS)
        # Without credits, IOPS × 256 KiB bound the throughput by themselves.
        mib = 128 if asked.size_gib <= 170 else self.throughput_max or 0
        return Limits(iops, Rate(mib * MIB))


_NOW = Gp2(
    name="gp2",
    title="General Purpose SSD gp2",
    since="2018-12",
    min_gib=1,
    max_gib=16_384,
    iops_min=100,
    iops_max=16_000,
    iops_per_gib=3,
    throughput_max=250,
    kib_per_iops=256,
    merge_min_kib=32,
    latency="gp2",
    queue="unfair",
    consistency=0.9,
    consistency_time=0.99,
    source="ug23",
)
_BEFORE = replace(_NOW, iops_max=10_000, throughput_max=160, queue="fifo")
TYPES = (
    _NOW,
    replace(_BEFORE, since="2017-12", until="2018-12", source="ug18"),
    replace(_BEFORE, since="2014-06", until="2017-12", max_gib=1024, iops_max=3000, source="ec214"),
)
