"""Two formulas that several providers have: IOPS are provisioned, and with some types the throughput as well."""

from __future__ import annotations

import math
from abc import ABC
from collections.abc import Mapping
from typing import ClassVar

from plimsoll.catalog.instance import Instance
from plimsoll.catalog.limits import Limits, Rate
from plimsoll.catalog.volume_type import Provisioned, VolumeType


class ProvisionedIops(VolumeType, ABC):
    """IOPS are chosen within a range and a ratio to the size; a subclass says which throughput comes with them."""

    chosen: ClassVar[tuple[str, ...]] = ("iops",)
    iops_max_on: ClassVar[Mapping[str, int]] = {}
    """The most IOPS to instances with a hypervisor, where that is fewer than to others."""

    def iops_asked(self, asked: Provisioned) -> int:
        """The IOPS that were asked for, or what is included; raises UsageError for what range and ratio forbid."""
        low, high = self.iops_min or 1, self.iops_max or 1
        iops = asked.iops if asked.iops is not None else self.iops_included
        if iops is None:
            self.refuse(asked, f"{self.name} needs iops=…", f"IOPS are provisioned, from {low:,} to {high:,}")
        name = f"{self.name} with {iops:,} IOPS"
        if not low <= iops <= high:
            self.refuse(asked, f"{name} is impossible", f"{low:,} to {high:,} IOPS")
        ratio = self.iops_per_gib
        # What comes without charge comes with every size.
        if ratio is not None and iops > max(ratio * asked.size_gib, self.iops_included or low):
            most = f"at most {ratio:g} IOPS per GiB, {ratio * asked.size_gib:,.0f} for {asked.size_gib:,.10g} GiB"
            self.refuse(asked, f"{name} in {asked.size_gib:,.10g} GiB is impossible", most)
        return iops

    def iops_range(self, instance: Instance | None) -> tuple[int, int]:
        """The fewest IOPS that are sold, and the most at the largest size to an instance."""
        low, most = self.iops_included or self.iops_min or 1, self.iops_max or 1
        if self.iops_per_gib and self.max_gib:
            most = min(most, max(low, int(self.iops_per_gib * self.max_gib)))
        return low, most if instance is None else min(most, self.iops_max_on.get(instance.hypervisor, most))

    def iops_for(self, throughput: int) -> int:
        """The fewest IOPS that this throughput is sold with."""
        return math.ceil(throughput * 1024 / self.kib_per_iops) if self.kib_per_iops else 1

    def gib_for(self, iops: int) -> int:
        """The fewest GiB that these IOPS are sold with."""
        if not self.iops_per_gib or iops <= (self.iops_included or self.iops_min or 1):
            return 1
        return math.ceil(iops / self.iops_per_gib)


class ProvisionedThroughput(ProvisionedIops):
    """IOPS and throughput are chosen, within ratios."""

    chosen: ClassVar[tuple[str, ...]] = ("iops", "throughput")

    def formula(self, asked: Provisioned) -> Limits:
        """As asked for; without a throughput the one that is included, or all that goes with the IOPS."""
        iops = self.iops_asked(asked)
        unit = self.provider.throughput_unit
        ceiling = min(self.throughput_max or 0, (self.kib_per_iops or 0) * iops / 1024)
        chosen = asked.throughput if asked.throughput is not None else self.throughput_included or ceiling
        if chosen > ceiling:
            per = (self.kib_per_iops or 0) / 1024
            rule = f"at most {per:g} {unit} per provisioned IOPS and {self.throughput_max:,} {unit} in all"
            needed = f", so {ceiling:,.10g} {unit} with {iops:,} IOPS"
            self.refuse(asked, f"{self.name} with {chosen:g} {unit} is impossible", rule + needed)
        least = self.throughput_included or 1
        if chosen < least:
            self.refuse(asked, f"{self.name} with {chosen:g} {unit} is impossible", f"at least {least} {unit}")
        return Limits(Rate(iops), Rate(round(chosen * self.provider.throughput_unit_bytes)))
