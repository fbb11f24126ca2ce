"""EC2 instance types: what they give to EBS volumes, and their own disks. From `data/instances*.csv`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from plimsoll.catalog import eras
from plimsoll.catalog.tables import Row, number, rows, whole
from plimsoll.errors import UnknownName

OLD_UNTIL = "2014-06"
"""Up to this month the list of 2013-12 is looked at first."""


@dataclass(frozen=True)
class Instance:
    """One instance type. Throughputs in 10^6 bytes/s, network in 10^9 bit/s, disks in GB; None where not published."""

    name: str
    current: bool
    hypervisor: str
    vcpu: int
    memory_mib: int
    network_base_gbps: float | None
    network_max_gbps: float | None
    ebs_base_mbs: float | None
    ebs_max_mbs: float | None
    ebs_base_iops: int | None
    ebs_max_iops: int | None
    store_disks: int
    store_disk_gb: int
    store_kind: str
    store_read_iops: int | None
    """All disks of the instance together, 4 KiB."""
    store_write_iops: int | None

    @property
    def nitro(self) -> bool:
        """Whether it is built on Nitro, which the fastest volumes need."""
        return self.hypervisor in ("nitro", "metal")


def _instance(row: Row, store: Mapping[str, Row]) -> Instance:
    name = row["instance"]
    own = store.get(name)
    return Instance(
        name=name,
        current=row["current"] == "1",
        # Bare metal types have no hypervisor; all but the oldest are Nitro.
        hypervisor=row["hypervisor"],
        vcpu=int(row["vcpu"]),
        memory_mib=int(row["memory_mib"]),
        network_base_gbps=number(row["network_base_gbps"]),
        network_max_gbps=number(row["network_max_gbps"]),
        ebs_base_mbs=number(row["ebs_base_mbs"]),
        ebs_max_mbs=number(row["ebs_max_mbs"]),
        ebs_base_iops=whole(row["ebs_base_iops"]),
        ebs_max_iops=whole(row["ebs_max_iops"]),
        store_disks=int(row["store_disks"]),
        store_disk_gb=int(row["store_disk_gb"]),
        store_kind=row["store_kind"],
        store_read_iops=whole(own["read_iops"]) if own else None,
        store_write_iops=whole(own["write_iops"]) if own else None,
    )


@cache
def instances(era: str | None = None) -> Mapping[str, Instance]:
    """The instance types by name; with an era up to mid 2014, those of 2013-12 as they were then come first."""
    store = {row["instance"]: row for row in rows(__package__, "instance_store_iops")}
    found = {row["instance"]: _instance(row, store) for row in rows(__package__, "instances")}
    if eras.month(era) <= OLD_UNTIL:
        found |= {row["instance"]: _instance(row, {}) for row in rows(__package__, "instances_2013")}
    return found


def instance(name: str, era: str | None = None, where: str = "") -> Instance:
    """One instance type; raises UnknownName with the nearest name."""
    known = instances(era)
    if name not in known:
        raise UnknownName("instance type", name, known, where)
    return known[name]
