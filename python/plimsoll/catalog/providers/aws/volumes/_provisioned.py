"""Provisioned IOPS SSD, of which io1 and io2 are: IOPS are chosen, throughput follows from them."""

from __future__ import annotations

from plimsoll.catalog.limits import Limits, Rate
from plimsoll.catalog.provisioned import ProvisionedIops
from plimsoll.catalog.volume_type import Provisioned
from plimsoll.units import MIB

WITHOUT_NITRO = {"xen": 32_000}
"""More IOPS are sold only to instances built on Nitro, as all but the oldest bare metal is."""


class ProvisionedIopsSsd(ProvisionedIops):
    """io1 and the first io2: 256 KiB per IOPS to 500 MiB/s; beyond 32,000 IOPS 16 KiB per IOPS to 1,000 MiB/s."""

    iops_max_on = WITHOUT_NITRO
    why_no_throughput = "throughput follows from the IOPS"

    def formula(self, asked: Provisioned) -> Limits:
        """From the IOPS that were asked for."""
        iops = self.iops_asked(asked)
        if asked.instance and iops > self.iops_max_on.get(asked.instance.hypervisor, iops):
            what = f"{self.name} with {iops:,} IOPS on {asked.instance.name}"
            self.refuse(asked, what, "more than 32,000 IOPS need an instance built on Nitro")
        self.refuse_choice(asked, ("throughput",), self.why_no_throughput)
        return Limits(Rate(iops), self.throughput_with(iops))

    def throughput_with(self, iops: int) -> Rate:
        """What comes with the IOPS."""
        mib = min(500.0, iops * 256 / 1024) if iops <= 32_000 else min(1000.0, iops * 16 / 1024)
        return Rate(round(mib * MIB))
