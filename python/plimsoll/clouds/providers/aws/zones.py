"""Where machines can be: the zones that offer all their types, in the default network of the account."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from plimsoll.clouds.providers.aws.client import pages
from plimsoll.clouds.wanted import Rental
from plimsoll.errors import UsageError


@dataclass(frozen=True)
class Zone:
    """One zone, and the part of the account's default network in it."""

    name: str
    subnet: str
    network: str


def choose(rental: Rental) -> Zone:
    """The zone of all machines of a rental: the named one, else one that offers all types, another for each rental.

    Raises UsageError where there is none.
    """
    region = rental.region
    types = sorted({machine.type for machine in rental.machines})
    zones = {zone.name: zone for zone in _default(region)}
    offered = {kind: _offering(region, kind) for kind in types}
    if missing := [kind for kind, where in offered.items() if not where]:
        raise UsageError(f"{region} does not offer {', '.join(missing)}; choose another --region or --instance")
    possible = sorted(name for name in zones if all(name in where for where in offered.values()))
    named = {machine.zone for machine in rental.machines if machine.zone} | {
        database.zone for database in rental.databases if database.zone
    }
    if len(named) > 1:
        raise UsageError(f"machines of one session are in one zone, not in {' and '.join(sorted(named))}")
    if not named and possible:
        return zones[possible[int(rental.id, 16) % len(possible)]]
    if (zone := next(iter(named), "")) in possible:
        return zones[zone]
    raise UsageError(_reason(region, zone, types, zones, possible))


def zone_id(region: str, subnet: str) -> str:
    """The id of the zone that a subnet is in; names of zones differ between accounts."""
    found = pages(region, "ec2", "describe_subnets", "Subnets", SubnetIds=[subnet])
    return next((str(each.get("AvailabilityZoneId", "")) for each in found), "")


def _reason(region: str, zone: str, types: list[str], zones: Iterable[str], possible: list[str]) -> str:
    there = f"choose one of {', '.join(possible)}" if possible else "choose another --region or --instance"
    if not zone:
        return f"no zone of {region} with a default subnet offers {' and '.join(types)}; {there}"
    if zone not in zones:
        return f"--zone {zone}: {region} has no such zone with a default subnet; {there}"
    return f"--zone {zone} does not offer {' and '.join(types)}; {there}"


def _default(region: str) -> list[Zone]:
    """The zones with a default subnet, whose machines get public addresses."""
    wanted = [{"Name": "default-for-az", "Values": ["true"]}]
    found = [
        Zone(each["AvailabilityZone"], each["SubnetId"], each["VpcId"])
        for each in pages(region, "ec2", "describe_subnets", "Subnets", Filters=wanted)
    ]
    if not found:
        raise UsageError(
            f"the account has no default network in {region}; make one with `aws ec2 create-default-vpc`, "
            "or choose another --region"
        )
    return found


def _offering(region: str, kind: str) -> set[str]:
    arguments = {"LocationType": "availability-zone", "Filters": [{"Name": "instance-type", "Values": [kind]}]}
    operation = "describe_instance_type_offerings"
    return {str(each["Location"]) for each in pages(region, "ec2", operation, "InstanceTypeOfferings", **arguments)}
