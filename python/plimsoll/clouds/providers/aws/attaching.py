"""A volume taken off its instance and put back, where disks show no serials: older types than Nitro.

For these seconds it would outlive its instance: if all is killed just then, its tags tell `plimsoll cloud sweep` of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from plimsoll.clouds.provider import Host
from plimsoll.clouds.providers.aws.client import call
from plimsoll.clouds.providers.aws.machines import device
from plimsoll.clouds.providers.aws.waiting import APPEARS_S, until


def detach(region: str, host: Host, volume: str) -> None:
    """Returns when AWS says that it is off."""
    call(region, "ec2", "detach_volume", VolumeId=volume, InstanceId=host.id)
    _wait(region, host, volume, "available", "still attached to")


def attach(region: str, host: Host, volume: str) -> None:
    """Under the name that it had, to be deleted with the instance as before."""
    name = device(list(host.volumes).index(volume))
    call(region, "ec2", "attach_volume", VolumeId=volume, InstanceId=host.id, Device=name)
    _wait(region, host, volume, "in-use", "not attached to")
    ends = [{"DeviceName": name, "Ebs": {"DeleteOnTermination": True}}]
    call(region, "ec2", "modify_instance_attribute", InstanceId=host.id, BlockDeviceMappings=ends)


def _wait(region: str, host: Host, volume: str, state: str, otherwise: str) -> None:
    def look() -> Mapping[str, Any] | None:
        found: Mapping[str, Any] = call(region, "ec2", "describe_volumes", VolumeIds=[volume])["Volumes"][0]
        attached = all(each["State"] == "attached" for each in found.get("Attachments", ()))
        return found if found["State"] == state and attached else None

    until(look, lambda: f"volume {volume} is {otherwise} machine {host.machine} ({host.id})", APPEARS_S)
