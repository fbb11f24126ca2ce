"""The storage of RDS for MySQL, MariaDB and PostgreSQL: from 400 GiB on four EBS volumes, with the limits of four.

Ranges and baselines are those of the RDS user guide (rds25). Where that gives only the ends of a range, what is between
follows from EBS's own formula, for one volume or for four: it meets both ends of each range in the guide's tables.
"""

from __future__ import annotations

import math
from abc import ABC
from dataclasses import replace
from typing import ClassVar

from plimsoll.catalog.databases import AskedOfDatabase
from plimsoll.catalog.limits import Limits, Rate
from plimsoll.catalog.providers.aws.volumes import gp2, io1
from plimsoll.catalog.providers.aws.volumes.magnetic import BASELINE, CREDITS
from plimsoll.catalog.provisioned import ProvisionedIops
from plimsoll.catalog.volume_type import Provisioned, VolumeType
from plimsoll.units import MIB

STRIPED_GIB, VOLUMES = 400, 4
"""From this size on RDS stripes over so many volumes."""


def volumes(size_gib: float) -> int:
    """How many EBS volumes RDS makes."""
    return VOLUMES if size_gib >= STRIPED_GIB else 1


class Gp3(VolumeType):
    """Fixed below 400 GiB; from there on IOPS and throughput are provisioned, above four times the baseline."""

    chosen: ClassVar[tuple[str, ...]] = ("iops", "throughput")
    FIXED: ClassVar[tuple[int, int]] = (3000, 125)

    def formula(self, asked: Provisioned) -> Limits:
        """Baseline, or what was asked for."""
        if volumes(asked.size_gib) == 1:
            least, mib = self.FIXED
            self.refuse_choice(asked, self.chosen, f"below {STRIPED_GIB} GiB {least:,} IOPS and {mib} MiB/s, always")
            return Limits(Rate(least), Rate(mib * MIB))
        low, high = self.iops_min or 0, self.iops_max or 0
        iops = asked.iops or low
        if not low <= iops <= high:
            self.refuse(asked, f"{self.name} with {iops:,} IOPS is impossible", f"{low:,} to {high:,} IOPS")
        throughput = asked.throughput or self._throughput_with(iops, asked)
        least, most = self._least(iops, asked), min(self.throughput_max or 0, iops // 4)
        if not least <= throughput <= most:
            rule = f"{least:,} to {most:,} MiB/s with {iops:,} IOPS, at most 0.25 MiB/s for each"
            self.refuse(asked, f"{self.name} with {throughput:,g} MiB/s is impossible", rule)
        return Limits(Rate(iops), Rate(round(throughput * MIB)))

    def _least(self, iops: int, asked: Provisioned) -> int:
        """MySQL and MariaDB raise the least throughput above 32,000 IOPS: 625 MiB/s at 40,000."""
        raised = isinstance(asked, AskedOfDatabase) and asked.engine != "postgres" and iops > 32_000
        included = self.throughput_included or 0
        return max(included, math.ceil(iops / 64)) if raised else included

    def _throughput_with(self, iops: int, asked: Provisioned) -> int:
        return self._least(iops, asked)


class Gp2(VolumeType):
    """As one EBS volume, or as four."""

    is_by_size = True
    burst = "to 3,000, from 400 GiB on to 12,000; credits"

    def formula(self, asked: Provisioned) -> Limits:
        """From the size alone."""
        self.refuse_choice(asked, ("iops", "throughput"), "3 IOPS per GiB, from 100 on; gp3 and io2 let you choose")
        count = volumes(asked.size_gib)
        return _times(count, gp2.TYPES[0].formula(replace(asked, size_gib=asked.size_gib / count)))


class ProvisionedStorage(ProvisionedIops, ABC):
    """IOPS are chosen, at least 0.5 per GiB; throughput follows."""

    def formula(self, asked: Provisioned) -> Limits:
        """From the IOPS that were asked for."""
        self.refuse_choice(asked, ("throughput",), "throughput follows from the IOPS")
        iops = self.iops_asked(asked)
        if iops < asked.size_gib / 2:
            what = f"{self.name} with {iops:,} IOPS in {asked.size_gib:,.10g} GiB is impossible"
            self.refuse(asked, what, f"at least 0.5 IOPS per GiB, {asked.size_gib / 2:,.0f}")
        return Limits(Rate(iops), self.throughput_with(iops, asked.size_gib))

    def throughput_with(self, iops: int, size_gib: float) -> Rate:
        """What comes with the IOPS: 0.256 MiB/s for each, to 16,000 MiB/s."""
        del size_gib
        return Rate(round(min(self.throughput_max or 0, 0.256 * iops) * MIB))


class Io1(ProvisionedStorage):
    """Throughput as that of one EBS volume, or of four with a quarter of the IOPS each."""

    def throughput_with(self, iops: int, size_gib: float) -> Rate:
        """EBS's formula."""
        count = volumes(size_gib)
        found = io1.TYPES[0].throughput_with(iops // count)
        return Rate(found.rate * count)


class Magnetic(VolumeType):
    """About 100 IOPS, best effort."""

    burst = "best effort"

    def formula(self, asked: Provisioned) -> Limits:
        """The same for every size; the burst is EBS's, of which no figure was published either."""
        self.refuse_choice(asked, ("iops", "throughput"), "best effort, about 100 IOPS")
        return Limits(Rate(self.iops_max or 0, BASELINE, CREDITS), None)


def _times(count: int, one: Limits) -> Limits:
    return Limits(*(_rate_times(count, rate) for rate in (one.iops, one.throughput)))


def _rate_times(count: int, rate: Rate | None) -> Rate | None:
    if rate is None or rate.baseline is None or rate.capacity is None:
        return rate and Rate(rate.rate * count)
    return Rate(rate.rate * count, rate.baseline * count, rate.capacity * count)


STORAGE = (
    Gp3(
        name="rds-gp3",
        title="RDS General Purpose SSD gp3",
        since="2025-12",
        min_gib=20,
        max_gib=65_536,
        iops_min=12_000,
        iops_max=64_000,
        iops_included=12_000,
        throughput_included=500,
        throughput_max=4000,
        latency="gp3",
        queue="unfair",
        source="rds25",
    ),
    ProvisionedStorage(
        name="rds-io2",
        title="RDS Provisioned IOPS SSD io2 Block Express",
        since="2025-12",
        min_gib=100,
        max_gib=65_536,
        iops_min=1000,
        iops_max=256_000,
        iops_per_gib=1000,
        throughput_max=16_000,
        latency="io2",
        queue="unfair",
        source="rds25",
    ),
    Io1(
        name="rds-io1",
        title="RDS Provisioned IOPS SSD io1",
        since="2025-12",
        min_gib=100,
        max_gib=65_536,
        iops_min=1000,
        iops_max=256_000,
        iops_per_gib=50,
        throughput_max=4000,
        latency="io1",
        source="rds25",
    ),
    Gp2(
        name="rds-gp2",
        title="RDS General Purpose SSD gp2",
        since="2025-12",
        min_gib=20,
        max_gib=65_536,
        iops_min=100,
        iops_max=64_000,
        iops_per_gib=3,
        throughput_max=1000,
        latency="gp2",
        queue="unfair",
        source="rds25",
    ),
    Magnetic(
        name="rds-standard",
        title="RDS magnetic",
        since="2025-12",
        until="2026-05",
        min_gib=5,
        max_gib=3072,
        iops_max=1000,
        latency="magnetic",
        source="rds25",
    ),
)
SUCCESSORS = {"standard": ("gp3", "io2")}
"""What is rented instead of storage that is no longer sold: RDS ended magnetic storage on 2026-04-30."""
