"""Google Cloud machine types: what they give to disks of each type. From `data/machines.csv` and `machine_caps.csv`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from plimsoll.catalog.instance import Instance
from plimsoll.catalog.limits import Limits, Rate
from plimsoll.catalog.tables import Row, rows
from plimsoll.units import MIB

SHOWN = "pd-balanced"
"""The type whose limits stand for a machine in lists: the default disk."""


@cache
def instances(month: str) -> Mapping[str, Instance]:
    """The machine types by name; only today's are known."""
    del month
    caps = tuple(rows(__package__, "machine_caps"))
    return {row["instance"]: _instance(row, caps) for row in rows(__package__, "machines")}


def _instance(row: Row, caps: tuple[Row, ...]) -> Instance:
    name, vcpu = row["instance"], int(row["vcpu"])
    series = name.partition("-")[0]
    found = {each["type"]: each for each in caps if each["series"] == series and _holds(each, vcpu)}
    by_type = {kind: Limits(Rate(_lower(cap, "iops")), Rate(_lower(cap, "mib") * MIB)) for kind, cap in found.items()}
    iops, mib = _lower(found[SHOWN], "iops"), _lower(found[SHOWN], "mib")
    return Instance(
        name=name,
        current=True,
        hypervisor="kvm",
        vcpu=vcpu,
        memory_mib=int(row["memory_mib"]),
        network_base_gbps=None,
        network_max_gbps=None,
        volumes_base_mbs=mib * MIB / 1e6,
        volumes_max_mbs=mib * MIB / 1e6,
        volumes_base_iops=iops,
        volumes_max_iops=iops,
        provider="gcp",
        limits_by_type=by_type,
    )


def _holds(cap: Row, vcpu: int) -> bool:
    return int(cap["vcpu_from"]) <= vcpu and (not cap["vcpu_to"] or vcpu <= int(cap["vcpu_to"]))


def _lower(cap: Row, what: str) -> int:
    """The model has one limit for reads and writes together."""
    return min(int(cap[f"read_{what}"]), int(cap[f"write_{what}"]))
