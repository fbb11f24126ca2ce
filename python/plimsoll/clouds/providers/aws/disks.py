"""Whether a machine type has the disks that are wanted of it, and enough bandwidth for its volumes."""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll.catalog.instance import Instance
from plimsoll.catalog.instances import instances
from plimsoll.catalog.limits import Limits, Rate
from plimsoll.catalog.volume_type import Provisioned, volume_type
from plimsoll.clouds.providers.aws.machines import LOCAL
from plimsoll.clouds.wanted import Disk, Machine, Rental
from plimsoll.errors import UsageError
from plimsoll.units import GIB, MIB


def check(rental: Rental) -> list[str]:
    """Warnings about machines that give less to their volumes than these could do. Raises UsageError."""
    known = {machine.name: instances().get(machine.type) for machine in rental.machines}
    if lacking := [reason for machine in rental.machines for reason in _lacking(machine, known[machine.name])]:
        raise UsageError("; ".join(lacking))
    return [text for machine in rental.machines for text in _capped(machine, known[machine.name])]


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


def _capped(machine: Machine, kind: Instance | None) -> Iterator[str]:
    """What the link of a machine type to its volumes makes impossible."""
    volumes = [disk for disk in machine.disks if disk.type != LOCAL]
    if not volumes:
        return
    if kind is None:
        yield f"{machine.type} is not in the catalog: whether it has enough bandwidth for its volumes is not known"
        return
    link = kind.volume_limits
    for disk in volumes:
        asked = _limits(disk, kind)
        yield from _slower(f"{disk.target} ({disk.type})", machine, link.iops, asked.iops, "IOPS", 1)
        yield from _slower(f"{disk.target} ({disk.type})", machine, link.throughput, asked.throughput, "MiB/s", MIB)


def _slower(what: str, machine: Machine, link: Rate | None, asked: Rate | None, unit: str, per: int) -> Iterator[str]:
    if link is None or asked is None or asked.rate <= link.sustained:
        return
    for_long = f"{link.sustained / per:,.0f} {unit}"
    if asked.rate > link.rate:
        cap = f"gives at most {link.rate / per:,.0f} {unit}"
        cap += f", and {for_long} for long" if link.rate > link.sustained else ""
    else:
        cap = f"gives {for_long} for long, and more for 30 minutes a day"
    yield f"{what} could do {asked.rate / per:,.0f} {unit}, but {machine.type} {cap} to all its volumes together"


def _limits(disk: Disk, kind: Instance | None) -> Limits:
    """What a volume does by itself."""
    throughput = disk.throughput / MIB if disk.throughput is not None else None
    return volume_type(disk.type).limits(Provisioned(disk.size_bytes / GIB, disk.iops, throughput, kind, disk.target))
