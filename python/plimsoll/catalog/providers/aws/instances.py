"""EC2 instance types: what they give to EBS volumes, and their own disks. From `data/instances*.csv`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from plimsoll.catalog.instance import Instance
from plimsoll.catalog.tables import Row, number, rows, whole

OLD_UNTIL = "2014-06"
"""Up to this month the list of 2013-12 is looked at first."""


def instances(month: str) -> Mapping[str, Instance]:
    """The instance types by name; up to mid 2014, those of 2013-12 as they were then come first."""
    return _now() | _old() if month <= OLD_UNTIL else _now()


@cache
def _now() -> dict[str, Instance]:
    store = {row["instance"]: row for row in rows(__package__, "instance_store_iops")}
    return {row["instance"]: _instance(row, store.get(row["instance"])) for row in rows(__package__, "instances")}


@cache
def _old() -> dict[str, Instance]:
    return {row["instance"]: _instance(row, None) for row in rows(__package__, "instances_2013")}


def _instance(row: Row, store: Row | None) -> Instance:
    return Instance(
        name=row["instance"],
        current=row["current"] == "1",
        hypervisor=row["hypervisor"],
        vcpu=int(row["vcpu"]),
        memory_mib=int(row["memory_mib"]),
        network_base_gbps=number(row["network_base_gbps"]),
        network_max_gbps=number(row["network_max_gbps"]),
        volumes_base_mbs=number(row["ebs_base_mbs"]),
        volumes_max_mbs=number(row["ebs_max_mbs"]),
        volumes_base_iops=whole(row["ebs_base_iops"]),
        volumes_max_iops=whole(row["ebs_max_iops"]),
        store_disks=int(row["store_disks"]),
        store_disk_gb=int(row["store_disk_gb"]),
        store_kind=row["store_kind"],
        architectures=tuple(row["arch"].split("+")),
        store_read_iops=whole(store["read_iops"]) if store else None,
        store_write_iops=whole(store["write_iops"]) if store else None,
    )
