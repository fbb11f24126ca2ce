"""Throughput Optimized HDD st1 and Cold HDD sc1: throughput follows from the size, and bursts on credits."""

from __future__ import annotations

from dataclasses import dataclass

from plimsoll.catalog.limits import Limits, Rate
from plimsoll.catalog.volume_type import Provisioned, VolumeType
from plimsoll.units import GIB, MIB


@dataclass(frozen=True, kw_only=True)
class Hdd(VolumeType):
    """Throughput credits, a bucket of 1 TiB per TiB that holds one scan of the volume."""

    base_per_tib: int
    """MiB/s that last."""
    burst_per_tib: int
    """MiB/s while there are credits."""

    is_by_size = True
    burst = "credits, one scan"

    def formula(self, asked: Provisioned) -> Limits:
        """From the size alone."""
        self.refuse_choice(asked, ("iops", "throughput"), "throughput follows from the size")
        tib, cap = asked.size_gib / 1024, self.throughput_max or 0
        base, burst = (round(min(cap, each * tib) * MIB) for each in (self.base_per_tib, self.burst_per_tib))
        throughput = Rate(burst) if burst <= base else Rate(burst, base, round(asked.size_gib * GIB))
        return Limits(Rate(self.iops_max or 0), throughput)


TYPES = (
    Hdd(
        name="st1",
        title="Throughput Optimized HDD st1",
        since="2016-04",
        min_gib=125,
        max_gib=16_384,
        iops_max=500,
        throughput_max=500,
        base_per_tib=40,
        burst_per_tib=250,
        unit_kib=1024,
        merge_min_kib=4,
        throughput_in_units=True,
        latency="hdd",
        consistency=0.9,
        consistency_time=0.99,
        source="ug23",
    ),
    Hdd(
        name="sc1",
        title="Cold HDD sc1",
        since="2016-04",
        min_gib=125,
        max_gib=16_384,
        iops_max=250,
        throughput_max=250,
        base_per_tib=12,
        burst_per_tib=80,
        unit_kib=1024,
        merge_min_kib=4,
        throughput_in_units=True,
        latency="hdd",
        consistency=0.9,
        consistency_time=0.99,
        source="ug23",
    ),
)
