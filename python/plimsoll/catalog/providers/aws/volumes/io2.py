"""Provisioned IOPS SSD io2, since 2023 Block Express: its IOPS are charged in three tiers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from plimsoll.catalog.limits import Rate
from plimsoll.catalog.providers.aws.volumes._provisioned import ProvisionedIopsSsd
from plimsoll.catalog.volume_type import Charge, Provisioned
from plimsoll.units import MIB

TIERS = ((0, 32_000), (32_000, 64_000), (64_000, None))
"""Each with a price of its own: above so many IOPS, up to so many."""


class Io2(ProvisionedIopsSsd):
    """io2 as it came: throughput as io1's."""

    def charges(self, asked: Provisioned) -> Iterator[Charge]:
        """IOPS by tier."""
        yield from super().charges(replace(asked, iops=None))
        iops = asked.iops or 0
        for number, (low, high) in enumerate(TIERS, start=1):
            within = min(iops, high if high is not None else iops) - low
            if within > 0:
                yield Charge("iops", f"{self.name}.iops.{number}", within)


class BlockExpress(Io2):
    """0.256 MiB/s per IOPS, to 4,000 MiB/s."""

    why_no_throughput = "throughput follows from the IOPS: 0.256 MiB/s for each"

    def throughput_with(self, iops: int) -> Rate:
        """One ratio from the first IOPS to the most."""
        return Rate(round(min(4000.0, 0.256 * iops) * MIB))


TYPES = (
    BlockExpress(
        name="io2",
        title="Provisioned IOPS SSD io2 Block Express",
        since="2023-11",
        min_gib=4,
        max_gib=65_536,
        iops_min=100,
        iops_max=256_000,
        iops_per_gib=1000,
        throughput_max=4000,
        kib_per_iops=262.144,
        merge_min_kib=32,
        latency="io2",
        queue="unfair",
        consistency=0.9,
        consistency_time=0.999,
        source="ebs25",
    ),
    Io2(
        name="io2",
        title="Provisioned IOPS SSD io2",
        since="2020-08",
        until="2023-11",
        min_gib=4,
        max_gib=16_384,
        iops_min=100,
        iops_max=64_000,
        iops_per_gib=500,
        throughput_max=1000,
        kib_per_iops=256,
        merge_min_kib=32,
        latency="io2",
        queue="unfair",
        consistency=0.9,
        consistency_time=0.999,
        source="ug23",
    ),
)
