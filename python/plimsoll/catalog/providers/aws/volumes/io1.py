"""Provisioned IOPS SSD io1, and what it was before SSDs had a name of their own."""

from __future__ import annotations

from dataclasses import replace

from plimsoll.catalog.limits import Limits
from plimsoll.catalog.providers.aws.volumes._provisioned import ProvisionedIopsSsd
from plimsoll.catalog.volume_type import Provisioned


class IopsOnly(ProvisionedIopsSsd):
    """Of 2012 to 2017: no throughput limit of its own but the unit times the IOPS."""

    def formula(self, asked: Provisioned) -> Limits:
        """The IOPS that were asked for, and nothing else."""
        return Limits(super().formula(asked).iops, None)


_NOW = ProvisionedIopsSsd(
    name="io1",
    title="Provisioned IOPS SSD io1",
    since="2018-11",
    min_gib=4,
    max_gib=16_384,
    iops_min=100,
    iops_max=64_000,
    iops_per_gib=50,
    throughput_max=1000,
    kib_per_iops=256,
    merge_min_kib=32,
    latency="io1",
    consistency=0.9,
    consistency_time=0.999,
    source="ug23",
)
_2014 = IopsOnly(
    name="io1",
    title="Provisioned IOPS SSD io1",
    since="2014-05",
    until="2017-12",
    min_gib=10,
    max_gib=1024,
    iops_min=100,
    iops_max=4000,
    iops_per_gib=30,
    kib_per_iops=256,
    merge_min_kib=32,
    latency="io1",
    consistency=0.9,
    consistency_time=0.999,
    source="ec214",
)
_2013 = replace(
    _2014,
    title="Provisioned IOPS",
    since="2013-05",
    until="2014-05",
    iops_per_gib=10,
    kib_per_iops=64,
    unit_kib=64,
    latency="piops-2013",
    source="fit13",
)
_2012 = replace(_2013, kib_per_iops=16, unit_kib=16, latency="piops-2012")
TYPES = (
    _NOW,
    replace(_NOW, since="2017-12", until="2018-11", iops_max=32_000, throughput_max=500, source="ug18"),
    _2014,
    _2013,
    replace(_2012, since="2012-11", until="2013-05", iops_max=2000, source="dd13"),
    replace(_2012, since="2012-08", until="2012-11", iops_max=1000, source="olson24"),
)
