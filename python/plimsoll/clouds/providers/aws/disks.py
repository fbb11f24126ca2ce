"""Whether a machine type has the disks that are wanted of it, and volumes are sold as they are wanted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plimsoll.catalog.instance import Instance
from plimsoll.catalog.instances import instances
from plimsoll.catalog.limits import Limits
from plimsoll.catalog.volume_type import Provisioned, volume_type
from plimsoll.clouds.providers.aws.machines import LOCAL
from plimsoll.clouds.wanted import Disk, Machine, Rental
from plimsoll.errors import UsageError
from plimsoll.units import GIB, MIB


def check(rental: Rental) -> Sequence[str]:
    """No warnings: what a machine type caps is known without asking. Raises UsageError."""
    known = {machine.name: instances().get(machine.type) for machine in rental.machines}
    if lacking := [reason for machine in rental.machines for reason in _lacking(machine, known[machine.name])]:
        raise UsageError("; ".join(lacking))
    return ()


def _lacking(machine: Machine, kind: Instance | None) -> Iterator[str]:
    local = [disk for disk in machine.disks if disk.type == LOCAL]
    if kind is not None and len(local) > kind.store_disks:
        has = f"{kind.store_disks} of its own" if kind.store_disks else "no disks of its own"
        yield f"{machine.type} has {has}, and {len(local)} are wanted ({local[-1].target}); choose another --instance"
    for disk in machine.disks:
        if disk.type != LOCAL:
            try:
                _limits(disk, kind)
            except UsageError as error:
                yield str(error)


def _limits(disk: Disk, kind: Instance | None) -> Limits:
    """What a volume does by itself."""
    throughput = disk.throughput / MIB if disk.throughput is not None else None
    return volume_type(disk.type).limits(Provisioned(disk.size_bytes / GIB, disk.iops, throughput, kind, disk.target))
