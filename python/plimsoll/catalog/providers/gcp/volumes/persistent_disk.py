"""Persistent disks whose performance follows from the size."""

from __future__ import annotations

from dataclasses import dataclass

from plimsoll.catalog.limits import Limits, Rate
from plimsoll.catalog.volume_type import Provisioned, VolumeType
from plimsoll.units import MIB


@dataclass(frozen=True, kw_only=True)
class PersistentDisk(VolumeType):
    """A floor and so much per GiB; shared by all disks of the type on a machine."""

    mib_base: int = 0
    """MiB/s that every size has."""
    mib_per_gib: float
    least_gib: int = 0
    """Smaller disks have the limits of this size."""

    is_by_size = True
    is_pooled = True

    def formula(self, asked: Provisioned) -> Limits:
        """From the size alone."""
        self.refuse_choice(asked, ("iops", "throughput"), "performance follows from the size")
        gib = max(asked.size_gib, self.least_gib)
        iops = (self.iops_min or 0) + (self.iops_per_gib or 0) * gib
        mib = self.mib_base + self.mib_per_gib * gib
        return Limits(
            Rate(max(1, round(min(iops, self.iops_max or iops)))),
            Rate(round(min(mib, self.throughput_max or mib) * MIB)),
        )


TYPES = (
    PersistentDisk(
        name="pd-standard",
        title="Standard persistent disk",
        since="2013-12",
        min_gib=10,
        max_gib=65_536,
        iops_max=7500,
        iops_per_gib=0.75,
        throughput_max=180,
        mib_per_gib=0.12,
        least_gib=100,
        latency="pd-standard",
        source="gcp25",
    ),
    PersistentDisk(
        name="pd-balanced",
        title="Balanced persistent disk",
        since="2020-08",
        min_gib=10,
        max_gib=65_536,
        iops_min=3000,
        iops_max=80_000,
        iops_per_gib=6,
        throughput_max=1200,
        mib_base=140,
        mib_per_gib=0.28,
        latency="pd-ssd",
        source="gcp25",
    ),
    PersistentDisk(
        name="pd-ssd",
        title="SSD persistent disk",
        since="2014-06",
        min_gib=10,
        max_gib=65_536,
        iops_min=6000,
        iops_max=100_000,
        iops_per_gib=30,
        throughput_max=1200,
        mib_base=240,
        mib_per_gib=0.48,
        latency="pd-ssd",
        source="gcp25",
    ),
)
