"""`aws:gp3,size=500GiB,iops=6000` as something to rent: which machines, with which volumes, in which zone.

Volumes that name the same instance type share one machine, and are attached together; others get one each, in the
same zone. Everything that the catalog knows to be wrong is refused here, without asking the provider.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from plimsoll.catalog.databases import database_provider
from plimsoll.catalog.limits import Rate
from plimsoll.catalog.options import read_options
from plimsoll.catalog.provider import Provider, providers
from plimsoll.catalog.shape import VolumeShape, volume_shape
from plimsoll.catalog.targets import rented_by
from plimsoll.clouds import clients, databases
from plimsoll.clouds.wanted import Disk, Layout, Machine, Rental
from plimsoll.errors import UsageError
from plimsoll.model import Target
from plimsoll.run.renting import Renting
from plimsoll.run.study import Study
from plimsoll.targets.rented import NO_FILE_SYSTEM, RENTED_OPTIONS, is_rented, rented_options, rented_target
from plimsoll.units import GIB, format_number, format_size

ARCHITECTURE = "x86_64"
"""Of the machines that our wheel was tried on."""


@dataclass(frozen=True)
class RentedVolume:
    """One target, read: its volume, and what a provider wants beside."""

    target: Target
    provider: Provider
    shape: VolumeShape
    beside: Mapping[str, Any]
    """`RENTED_OPTIONS` in base units."""

    @property
    def where(self) -> str:
        """What errors call it."""
        return f"target {self.target.name}"

    @property
    def instance(self) -> str:
        """The type of its machine; `rented_volumes` refuses a target without one."""
        assert self.shape.instance is not None
        return self.shape.instance.name

    @cached_property
    def disks(self) -> tuple[Disk, ...]:
        """One volume, or the members of an array."""
        shape, rate = self.shape, self.shape.limits.throughput
        chosen = "throughput" in shape.type.chosen and rate is not None
        first = Disk(
            target=self.target.name,
            type=shape.type.name,
            # Sold by the GiB: what is rented is what is paid.
            size_bytes=math.ceil(shape.size_gib) * GIB if not shape.type.is_local else round(shape.size_gib * GIB),
            iops=shape.provisioned_iops,
            throughput=rate.rate if chosen and rate is not None else None,
            encrypted=self.beside["encrypted"],
            snapshot=self.beside["snapshot"],
        )
        return tuple(replace(first, member=number) for number in range(shape.members))

    @property
    def layout(self) -> Layout | None:
        """What is made of its disks; None for one bare disk."""
        system = self.beside["fs"]
        if self.shape.raid is None and system == NO_FILE_SYSTEM:
            return None
        return Layout(
            target=self.target.name,
            raid=self.shape.raid,
            chunk_bytes=self.shape.spec["array"]["chunk"] if self.shape.raid is not None else Layout.chunk_bytes,
            file_system=None if system == NO_FILE_SYSTEM else system,
            mount_options=self.beside["mount"].replace("+", ","),
        )


def complete(study: Study) -> Study:
    """The study whose rented targets say all of it themselves, so that the session's record does."""
    return replace(study, targets=tuple(_complete(target, study.rent) for target in study.targets))


def _complete(target: Target, rent: Renting) -> Target:
    provider = rented_by(target.where)
    if not is_rented(target) or provider is None:
        return target
    shape, beside = rented_options(target)
    given = {"instance": rent.instance, "zone": rent.zone, "image": rent.image, "spot": "yes" if rent.spot else None}
    own = {**{name: value for name, value in given.items() if value is not None}, **shape, **beside}
    words = ",".join(f"{name}={value}" for name, value in own.items())
    options = {"region": rent.region, **target.options} if rent.region else target.options
    return rented_target(target.name, f"{provider}:{words}", options)


def rented_volumes(study: Study) -> tuple[RentedVolume, ...]:
    """The rented targets of a complete study, read. Raises UsageError, UnknownName."""
    return tuple(_rented_volume(target) for target in study.rented if is_rented(target))


def _rented_volume(target: Target) -> RentedVolume:
    name, where = rented_by(target.where), f"target {target.name}"
    own, others = rented_options(target)
    given = read_options(RENTED_OPTIONS, others, where)
    shape = volume_shape(own, where)
    sold_by = next(each for each in providers() if each.name == name)
    if shape.type.provider.name != name:
        raise UsageError(f"{where}: {shape.type.name} is sold by {shape.type.provider.title}, not by {sold_by.title}")
    if shape.instance is None:
        raise UsageError(f"{where}: name the machine to attach it to: instance=m7i.large, or --instance for all")
    if shape.instance.architectures and ARCHITECTURE not in shape.instance.architectures:
        raise UsageError(
            f"{where}: {shape.instance.name} is {'/'.join(shape.instance.architectures)}; Plimsoll was tried on "
            f"{ARCHITECTURE} only, such as m7i.large"
        )
    return RentedVolume(target, sold_by, shape, {name: each.default for name, each in RENTED_OPTIONS.items()} | given)


def rental_of(
    study: Study, found: Sequence[RentedVolume], *, rental_id: str, lease_end_ns: int, from_address: str
) -> Rental:
    """What one allocation of a study rents. Raises UsageError for what does not go together."""
    wanted = databases.wanted(study.targets)
    clients.check(study.targets, study.rent.clients_on)
    if wanted and found:
        raise UsageError("a session rents databases or volumes, not both: their machines would share the work")
    own = clients.machines(study.rent.clients_on, study.rent.zone) if study.rent.clients_on else ()
    provider = _one_provider(found) if found else database_provider(study.rented[0].where)
    assert provider is not None  # something is rented
    region = study.rent.region or provider.home_region
    zone = _one_zone(found, region)
    groups: dict[str, list[RentedVolume]] = {}
    for volume in found:
        groups.setdefault(volume.instance, []).append(volume)
    machines = tuple(_machine(f"m{number}", each, zone) for number, each in enumerate(groups.values(), 1))
    return Rental(
        id=rental_id,
        provider=provider.name,
        region=region,
        machines=machines + own,
        databases=wanted,
        layouts=tuple(layout for volume in found if (layout := volume.layout)),
        lease_end_ns=lease_end_ns,
        from_address=from_address,
        unattended=study.rent.accept_unattended,
    )


def _machine(name: str, group: Sequence[RentedVolume], zone: str | None) -> Machine:
    first = group[0]
    for volume in group[1:]:
        for option in ("image", "spot"):
            if volume.beside[option] != first.beside[option]:
                raise UsageError(
                    f"targets {first.target.name} and {volume.target.name} share one {first.instance}, so they cannot "
                    f"differ in {option}; give it once, with --{option}"
                )
    _check_store(group)
    return Machine(
        name=name,
        type=first.instance,
        disks=tuple(disk for volume in group for disk in volume.disks),
        image=first.beside["image"],
        zone=zone,
        spot=first.beside["spot"],
    )


def _check_store(group: Sequence[RentedVolume]) -> None:
    """The disks that a machine brings are as many as they are."""
    local = [volume for volume in group if volume.shape.type.is_local]
    machine = group[0].shape.instance
    assert machine is not None  # rented_volumes
    if (needed := sum(volume.shape.members for volume in local)) > machine.store_disks:
        names = ", ".join(volume.target.name for volume in local)
        raise UsageError(f"targets {names} need {needed} disks of {machine.name}, which has {machine.store_disks}")


def _one_provider(found: Sequence[RentedVolume]) -> Provider:
    several = {volume.provider.name: volume for volume in found}
    if len(several) > 1:
        names = ", ".join(volume.target.name for volume in several.values())
        raise UsageError(f"targets {names} are of several providers; a session rents from one")
    return found[0].provider


def _one_zone(found: Sequence[RentedVolume], region: str) -> str | None:
    """The zone of all; None where the provider is to choose."""
    zones = {zone: volume for volume in found if (zone := volume.beside["zone"])}
    if len(zones) > 1:
        said = " and ".join(f"{volume.target.name} in {zone}" for zone, volume in zones.items())
        raise UsageError(f"{said}: what is compared is rented in one zone; give one with --zone")
    zone = next(iter(zones), None)
    if zone is not None and not zone.startswith(region):
        raise UsageError(f"zone {zone} is not in region {region}; name its region with --region")
    return zone


def capped(found: Sequence[RentedVolume]) -> Iterator[str]:
    """A sentence for each volume that gets less from its machine than it is sold with, and what that means together."""
    alike: dict[tuple[str, str], list[str]] = {}
    for volume in found:
        own, shared = volume.shape.limits, volume.shape.instance_limits
        pairs = (("IOPS", own.iops, shared.iops), ("throughput", own.throughput, shared.throughput))
        held = {what: _held_back(volume, what, sold, link) for what, sold, link in pairs if sold and link}
        if told := " and ".join(filter(None, held.values())):
            yield f"{volume.target.name}: {volume.instance} sustains only {told}"
        for what in (what for what, each in held.items() if each):
            alike.setdefault((volume.instance, what), []).append(volume.target.name)
    for (instance, what), names in alike.items():
        if len(names) > 1:
            listed, all_of = f"{', '.join(names[:-1])} and {names[-1]}", "both" if len(names) == 2 else "all"
            yield (
                f"In {what}, {listed} would {all_of} be measured at the limit of {instance} instead of their own, and "
                "look the same where that is what counts; choose a larger instance"
            )


def _held_back(volume: RentedVolume, what: str, sold: Rate, link: Rate) -> str:
    """`3,600 IOPS of the 16,000 IOPS of gp3 (40,000 IOPS for 30 minutes a day)`; nothing where all is given."""
    whole = sold.sustained * volume.shape.members
    if whole <= link.sustained:
        return ""
    wanted, given, most = (_amount(what, each) for each in (whole, link.sustained, link.rate))
    burst = f" ({most} for 30 minutes a day)" if link.rate > link.sustained else ""
    return f"{given} of the {wanted} of {volume.shape.type.name}{burst}"


def _amount(what: str, value: float) -> str:
    return f"{format_number(value)} IOPS" if what == "IOPS" else f"{format_size(value)}/s"
