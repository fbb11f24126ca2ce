"""Instances with their volumes, made in one call, so that a volume ends with its instance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from plimsoll.catalog.instances import instances
from plimsoll.clouds import lease
from plimsoll.clouds.provider import Host, Resource, Step
from plimsoll.clouds.providers.aws import booting, images, network
from plimsoll.clouds.providers.aws.client import call, pages
from plimsoll.clouds.providers.aws.prices import ROOT_GIB, root_gib
from plimsoll.clouds.providers.aws.tags import NAME, filters, resource, specifications
from plimsoll.clouds.providers.aws.waiting import BOOTS_S, until
from plimsoll.clouds.providers.aws.zones import Zone, zone_id
from plimsoll.clouds.wanted import Disk, Machine, Rental
from plimsoll.errors import CloudError, UsageError
from plimsoll.units import GIB, MIB

MACHINE, VOLUME, LOCAL = "machine", "volume", "instance-store"
TAGGED = ("instance", "volume", "network-interface")
"""What RunInstances makes."""
LETTERS = "fghijklmnop"
ALIVE = ("pending", "running", "stopping", "stopped")


def details(rental: Rental, machine: Machine, zone: Zone) -> Mapping[str, Any]:
    """What a machine is made from, as it is found before. Raises UsageError for an image beyond what is counted."""
    image = images.find(rental.region, machine.image)
    if image.gib > (counted := root_gib(machine)):
        raise UsageError(
            f"image {image.id} in {rental.region} needs a root volume of {image.gib} GiB, and the budget counts "
            f"{counted} GiB; choose a smaller one with --image"
        )
    return {
        "zone": zone.name,
        "subnet": zone.subnet,
        "image": image.id,
        "root": image.root,
        "root_gib": max(ROOT_GIB, image.gib),
    }


def make(rental: Rental, step: Step, folder: Path) -> Resource:
    """One instance with its volumes."""
    machine = of(rental, step.name)
    asked = arguments(machine, step.details)
    asked |= {
        "ClientToken": step.token,
        "KeyName": network.name(rental.id),
        "NetworkInterfaces": [asked["NetworkInterfaces"][0] | {"Groups": [network.group_id(rental)]}],
        "UserData": booting.user_data(rental, machine.name, folder),
        "TagSpecifications": specifications(rental, step.name, TAGGED),
    }
    made = call(rental.region, "ec2", "run_instances", **asked)["Instances"][0]
    return resource(MACHINE, made["InstanceId"], rental.region, made, made["State"]["Name"])


def arguments(machine: Machine, told: Mapping[str, Any]) -> dict[str, Any]:
    """What RunInstances is asked, without what the rental has to have before."""
    card = {"DeviceIndex": 0, "SubnetId": told["subnet"], "AssociatePublicIpAddress": True, "DeleteOnTermination": True}
    root = {"VolumeType": "gp3", "VolumeSize": told["root_gib"], "DeleteOnTermination": True}
    asked: dict[str, Any] = {
        "ImageId": told["image"],
        "InstanceType": machine.type,
        "MinCount": 1,
        "MaxCount": 1,
        "InstanceInitiatedShutdownBehavior": "terminate",
        "BlockDeviceMappings": [{"DeviceName": told["root"], "Ebs": root}, *_mappings(machine)],
        "NetworkInterfaces": [card],
        "MetadataOptions": {"HttpTokens": "required"},
    }
    known = instances().get(machine.type)
    if known and known.volumes_base_mbs:
        asked["EbsOptimized"] = True
    if machine.spot:
        spot = {"SpotInstanceType": "one-time", "InstanceInterruptionBehavior": "terminate"}
        asked["InstanceMarketOptions"] = {"MarketType": "spot", "SpotOptions": spot}
    return asked


def hosts(rental: Rental, made: Sequence[Resource], folder: Path) -> list[Host]:
    """The machines, once they run, have addresses and their volumes."""
    names = {each.id: each.name for each in made if each.kind == MACHINE}
    last: dict[str, str] = {}

    def look() -> list[Mapping[str, Any]] | None:
        found = _described(rental.region, InstanceIds=list(names))
        for each in found:
            last[each["InstanceId"]] = _wanting(of(rental, names[each["InstanceId"]]), each)
        return found if len(found) == len(names) and not any(last.values()) else None

    def missing() -> str:
        reasons = [f"{names[each]} ({each}) {why}" for each, why in last.items() if why]
        return f"in {rental.region}: {'; '.join(reasons) or 'the machines cannot be described'}"

    ready = until(look, missing, min(BOOTS_S, max(0.0, lease.left_s(rental)))) if names else []
    return [_host(rental, of(rental, names[each["InstanceId"]]), each, folder) for each in ready]


def resources(region: str, rental: str | None) -> Iterator[Resource]:
    """Instances that are not ending, then volumes."""
    alive = {"Name": "instance-state-name", "Values": list(ALIVE)}
    for each in _described(region, Filters=[*filters(rental), alive]):
        yield resource(MACHINE, each["InstanceId"], region, each, each["State"]["Name"])
    for each in pages(region, "ec2", "describe_volumes", "Volumes", Filters=filters(rental)):
        if each["State"] != "deleting":
            yield resource(VOLUME, each["VolumeId"], region, each, each["State"])


def delete(each: Resource) -> None:
    """The call that ends it."""
    if each.kind == MACHINE:
        call(each.region, "ec2", "terminate_instances", InstanceIds=[each.id])
    else:
        call(each.region, "ec2", "delete_volume", VolumeId=each.id)


def interrupted(rental: Rental, name: str) -> str | None:
    """Why AWS takes an instance away; it is listed for an hour after its end."""
    found = _described(rental.region, Filters=[*filters(rental.id), {"Name": f"tag:{NAME}", "Values": [name]}])
    if any(each["State"]["Name"] in ("pending", "running") for each in found):
        return None
    return f"machine {name} {_reason(found[0])}" if found else f"machine {name} is gone"


def of(rental: Rental, name: str) -> Machine:
    """The machine of a name."""
    return next(machine for machine in rental.machines if machine.name == name)


def device(number: int) -> str:
    """The name under which the n-th volume is attached: sdf to sdp, then xvdba, …"""
    if number < len(LETTERS):
        return f"/dev/sd{LETTERS[number]}"
    more = number - len(LETTERS)
    return f"/dev/xvd{'bc'[more // 26]}{chr(ord('a') + more % 26)}"


def _mappings(machine: Machine) -> list[dict[str, Any]]:
    mappings: list[dict[str, Any]] = []
    local = 0
    for number, disk in enumerate(machine.disks):
        if disk.type == LOCAL:
            # NVMe disks are there without being asked for, and these words do not matter to them.
            mappings.append({"DeviceName": device(number), "VirtualName": f"ephemeral{local}"})
            local += 1
        else:
            mappings.append({"DeviceName": device(number), "Ebs": _ebs(disk)})
    return mappings


def _ebs(disk: Disk) -> dict[str, Any]:
    asked: dict[str, Any] = {
        "VolumeType": disk.type,
        "VolumeSize": -(-disk.size_bytes // GIB),
        "DeleteOnTermination": True,
    }
    if disk.iops is not None:
        asked["Iops"] = disk.iops
    if disk.throughput is not None:
        asked["Throughput"] = disk.throughput // MIB
    if disk.encrypted:
        asked["Encrypted"] = True
    if disk.snapshot:
        asked["SnapshotId"] = disk.snapshot
    return asked


def _described(region: str, **wanted: Any) -> list[Mapping[str, Any]]:
    found = pages(region, "ec2", "describe_instances", "Reservations", **wanted)
    return [each for reservation in found for each in reservation["Instances"]]


def _wanting(machine: Machine, described: Mapping[str, Any]) -> str:
    """What a machine does not have yet; nothing where it is ready. Raises CloudError where it will never be."""
    state = described["State"]["Name"]
    if state not in ("pending", "running"):
        raise CloudError(f"machine {machine.name} ({described['InstanceId']}) {_reason(described)}")
    if state != "running":
        return f"is still {state}"
    if not described.get("PublicIpAddress"):
        return "has no public address yet"
    there = {each["DeviceName"]: each["Ebs"] for each in described.get("BlockDeviceMappings", ())}
    for number, disk in enumerate(machine.disks):
        if disk.type != LOCAL and (status := there.get(device(number), {}).get("Status", "missing")) != "attached":
            return f"has its volume {device(number)} (target {disk.target}) still {status}"
    return ""


def _reason(described: Mapping[str, Any]) -> str:
    reason = described.get("StateReason") or {}
    code, message = reason.get("Code", ""), reason.get("Message", "")
    if code in ("Server.SpotInstanceTermination", "Server.SpotInstanceShutdown"):
        return f"was interrupted: AWS takes the spot instance back ({message or code})"
    return (
        f"is {described['State']['Name']}: {message or described.get('StateTransitionReason') or 'no reason was given'}"
    )


def _host(rental: Rental, machine: Machine, described: Mapping[str, Any], folder: Path) -> Host:
    image = images.find(rental.region, described["ImageId"])
    zone = described["Placement"]["AvailabilityZone"]
    return Host(
        machine=machine.name,
        id=described["InstanceId"],
        address=described["PublicIpAddress"],
        user=image.user,
        key_file=folder / network.KEY,
        host_keys=(booting.host_key(folder, machine.name),),
        zone=zone,
        volumes=_volumes(machine, described),
        facts={
            "instance_id": described["InstanceId"],
            "instance_type": described["InstanceType"],
            "image": image.id,
            "image_name": image.name,
            "zone": zone,
            "zone_id": zone_id(rental.region, described["SubnetId"]),
            "spot": machine.spot,
            "ebs_optimized": bool(described.get("EbsOptimized")),
            **_link(machine),
        },
    )


def _volumes(machine: Machine, described: Mapping[str, Any]) -> dict[str, tuple[str, int]]:
    """By id; the machine's own disks, which have none, in their order as ephemeral0, …"""
    there = {each["DeviceName"]: each["Ebs"]["VolumeId"] for each in described.get("BlockDeviceMappings", ())}
    local = (f"ephemeral{number}" for number in range(len(machine.disks)))
    return {
        next(local) if disk.type == LOCAL else there[device(number)]: (disk.target, disk.member)
        for number, disk in enumerate(machine.disks)
    }


def _link(machine: Machine) -> dict[str, Any]:
    """What the instance type gives to its volumes, as the catalog has it."""
    names = ("volumes_base_mbs", "volumes_max_mbs", "volumes_base_iops", "volumes_max_iops")
    known = instances().get(machine.type)
    return {name: getattr(known, name) for name in names} if known else {}
