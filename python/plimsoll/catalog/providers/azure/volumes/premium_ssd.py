"""Premium SSD: sold in sizes from a list, P1 to P80, each with limits and a price of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plimsoll.catalog.limits import Limits, Rate
from plimsoll.catalog.tables import Row, rows
from plimsoll.catalog.volume_type import Charge, Provisioned, VolumeType

MB = 10**6


class PremiumSsd(VolumeType):
    """The limits of the smallest size that holds the disk; small ones burst on credits for 30 minutes."""

    burst = "to 3,500, 30 min"

    def formula(self, asked: Provisioned) -> Limits:
        """From the size in the list."""
        self.refuse_choice(asked, ("iops", "throughput"), "performance follows from the size (P1 to P80)")
        tier = self._tier(asked.size_gib)
        iops, mbs = int(tier["base_iops"]), int(tier["base_mbs"])
        if tier["burst"] != "credit":
            return Limits(Rate(iops), Rate(mbs * MB))
        burst_iops, burst_mbs = int(tier["burst_iops"]), int(tier["burst_mbs"])
        return Limits(Rate.half_hour(iops, burst_iops), Rate.half_hour(mbs * MB, burst_mbs * MB))

    def charges(self, asked: Provisioned) -> Iterator[Charge]:
        """One disk of the size in the list."""
        yield Charge("storage", f"{self.name}.{self._tier(asked.size_gib)['tier']}", 1)

    def sizes(self, least_gib: int) -> Sequence[int]:
        """A disk costs and gives what the next size of the list does."""
        above = [gib for row in self._tiers() if (gib := int(row["gib"])) >= least_gib]
        return (least_gib, *above[1:])

    def _tier(self, size_gib: float) -> Row:
        return next(row for row in self._tiers() if int(row["gib"]) >= size_gib)

    def _tiers(self) -> Iterator[Row]:
        return rows(self.provider.package, "premium_ssd")


TYPES = (
    PremiumSsd(
        name="premium-ssd",
        title="Premium SSD",
        since="2015-04",
        min_gib=1,
        max_gib=32_767,
        iops_max=20_000,
        throughput_max=900,
        latency="premium-ssd",
        consistency_time=0.999,
        source="azure26",
    ),
)
