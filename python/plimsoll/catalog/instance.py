"""An instance type: what it gives to its volumes, and its own disks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from plimsoll.catalog.limits import Limits, Rate
from plimsoll.units import GIB


@dataclass(frozen=True)
class Instance:
    """One instance type. Throughputs in 10^6 bytes/s, network in 10^9 bit/s, disks in GB; None where not published."""

    name: str
    current: bool
    hypervisor: str
    """Empty for bare metal types that have none."""
    vcpu: int
    memory_mib: int
    network_base_gbps: float | None
    network_max_gbps: float | None
    volumes_base_mbs: float | None
    """Of the link to its volumes; None where volumes share the network card."""
    volumes_max_mbs: float | None
    volumes_base_iops: int | None
    volumes_max_iops: int | None
    store_disks: int = 0
    store_disk_gb: int = 0
    store_kind: str = ""
    store_read_iops: int | None = None
    """All disks of the instance together, 4 KiB."""
    store_write_iops: int | None = None
    architectures: tuple[str, ...] = ()
    """Such as x86_64; empty where no source says it."""
    provider: str = "aws"
    """Whose it is: the name of a folder of `providers/`."""
    limits_by_type: Mapping[str, Limits] = field(default_factory=dict, hash=False)
    """What all volumes of a type get together, where that depends on the type; others are not known."""

    @property
    def store_disk_gib(self) -> float:
        """Size of one of its own disks."""
        return self.store_disk_gb * 10**9 / GIB

    @property
    def volume_limits(self) -> Limits:
        """What all its volumes get together; where they share the network card, that card's base rate."""
        if self.volumes_base_mbs is None:
            gbps = self.network_base_gbps
            return Limits(None, Rate(round(gbps * 1e9 / 8)) if gbps else None)
        iops_max, mbs_max = self.volumes_max_iops or 0, self.volumes_max_mbs or 0.0
        return Limits(
            Rate.half_hour(self.volumes_base_iops, iops_max) if self.volumes_base_iops else None,
            Rate.half_hour(round(self.volumes_base_mbs * 1e6), round(mbs_max * 1e6)),
        )

    def limits_for(self, volume_type: str) -> Limits | None:
        """What all volumes of a type get together; None where no source says it."""
        return self.limits_by_type.get(volume_type) if self.limits_by_type else self.volume_limits
