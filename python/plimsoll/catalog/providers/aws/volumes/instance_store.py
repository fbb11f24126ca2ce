"""The disks of an EC2 instance, where the instance's own figures are published."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from plimsoll.catalog.limits import Limits, Rate
from plimsoll.catalog.volume_type import Provisioned, VolumeType

BYTES_PER_IO = 8192
"""Throughput of instance stores is not published; assumed 8 KiB for each 4 KiB read per second."""


class InstanceStore(VolumeType):
    """One disk of an instance: it has the instance's size, and is paid with it."""

    is_local = True
    latency_of_disks: ClassVar[Mapping[str, str]] = {"hdd": "local-hdd", "ssd": "ssd"}

    def formula(self, asked: Provisioned) -> Limits:
        """Of the instance's disks, all of them together, one's share."""
        self.refuse_choice(asked, ("iops", "throughput"), "its disks come with the instance")
        instance = asked.instance
        if instance is None or not instance.store_disks:
            which = f"{instance.name} has none" if instance else "give the instance too, such as instance=m5d.large"
            rule = "disks are part of the instance type"
            self.refuse(asked, f"{self.name} comes with an instance: {which}", rule)
        if instance.store_read_iops is None:
            return Limits(None, None)
        iops = instance.store_read_iops // instance.store_disks
        return Limits(Rate(iops), Rate(iops * BYTES_PER_IO))


TYPES = (
    InstanceStore(
        name="instance-store",
        title="EC2 instance store",
        since="2006-08",
        unit_kib=1024,
        latency="nvme",
        source="ug23",
    ),
)
