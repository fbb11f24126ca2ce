"""Azure VM sizes: what they give to their disks. From `data/instances.csv`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from plimsoll.catalog.instance import Instance
from plimsoll.catalog.limits import Limits, Rate
from plimsoll.catalog.tables import Row, rows

OF_SECOND_KIND = ("premium-ssd-v2", "ultra")
"""Types with limits of their own; on series whose page gives none, what they get is not known."""


@cache
def instances(month: str) -> Mapping[str, Instance]:
    """The VM sizes by name; only today's are known."""
    del month
    return {row["instance"]: _instance(row) for row in rows(__package__, "instances")}


def _instance(row: Row) -> Instance:
    first, second = _limits(row, ""), _limits(row, "v2_")
    by_type = {"premium-ssd": first} | {name: second for name in OF_SECOND_KIND if second.iops}
    return Instance(
        name=row["instance"],
        current=True,
        hypervisor="hyper-v",
        vcpu=int(row["vcpu"]),
        memory_mib=int(row["memory_mib"]),
        network_base_gbps=None,
        network_max_gbps=None,
        volumes_base_mbs=float(row["base_mbs"]),
        volumes_max_mbs=float(row["max_mbs"]),
        volumes_base_iops=int(row["base_iops"]),
        volumes_max_iops=int(row["max_iops"]),
        provider="azure",
        limits_by_type=by_type,
    )


def _limits(row: Row, kind: str) -> Limits:
    iops, mbs = row[f"{kind}base_iops"], row[f"{kind}base_mbs"]
    if not iops:
        return Limits(None, None)
    return Limits(
        Rate.half_hour(int(iops), int(row[f"{kind}max_iops"])),
        Rate.half_hour(int(mbs) * 10**6, int(row[f"{kind}max_mbs"]) * 10**6),
    )
