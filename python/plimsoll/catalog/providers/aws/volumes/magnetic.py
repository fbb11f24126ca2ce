"""EBS magnetic, `standard`: best effort since 2008."""

from __future__ import annotations

from dataclasses import replace

from plimsoll.catalog.limits import Limits, Rate
from plimsoll.catalog.volume_type import Provisioned, VolumeType
from plimsoll.units import MIB

BASELINE, CREDITS = 100, 18_000
"""What was published is "about 100 on average, bursts to hundreds" 180 s at 200 are our guess."""


class Magnetic(VolumeType):
    """About 100 IOPS on average."""

    burst = "best effort"
    why_no_choice = "best effort, about 100 IOPS"

    def formula(self, asked: Provisioned) -> Limits:
        """The same for every size."""
        self.refuse_choice(asked, ("iops", "throughput"), self.why_no_choice)
        return Limits(self.iops_rate, Rate((self.throughput_max or 0) * MIB))

    @property
    def iops_rate(self) -> Rate:
        """IOPS with their burst."""
        return Rate(self.iops_max or 0, BASELINE, CREDITS)


class WithoutCredits(Magnetic):
    """As an article of 2013 found it: no credits, and far above the 100 IOPS that were promised."""

    why_no_choice = "best effort"

    @property
    def iops_rate(self) -> Rate:
        """For ever."""
        return Rate(self.iops_max or 0)


_NOW = Magnetic(
    name="standard",
    title="EBS magnetic",
    since="2014-06",
    min_gib=1,
    max_gib=1024,
    iops_min=40,
    iops_max=200,
    throughput_max=90,
    latency="magnetic",
    source="ug23",
)
TYPES = (
    _NOW,
    WithoutCredits(
        name="standard",
        title="EBS magnetic",
        since="2013-01",
        until="2014-06",
        min_gib=1,
        max_gib=1024,
        iops_min=40,
        iops_max=1960,
        throughput_max=90,
        unit_kib=16,
        latency="magnetic-2013",
        source="fit13",
    ),
    replace(_NOW, since="2008-08", until="2013-01"),
)
