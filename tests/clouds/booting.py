"""The account in moto and the machines: what RunInstances makes there boots here, and ends with it.

proxy ─ ImportKeyPair ──────► who may log in          proxy ─ TerminateInstances ──► the machine ends, its disks too
proxy ─ RunInstances ───────► a machine boots         machine ends by itself ──────► the account terminates it
proxy ─ Detach/AttachVolume ► its disk goes, comes
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from tests.clouds.fixtures import account
from tests.clouds.machines import STORE, Boot, Machines
from tests.clouds.proxy import Answer, Call, Proxy, Started

from plimsoll.catalog.instances import instance

LIMITS = {"iops": "Iops", "throughput": "Throughput"}
"""What a volume has beside type and size: our word, and AWS's."""
Reshape = Callable[[dict[str, str]], dict[str, str]]
"""From the volume that was rented to the one that is got."""


class Booting:
    """Listens to a proxy."""

    def __init__(self, proxy: Proxy, machines: Machines, *, nitro: bool = True, reshape: Reshape = dict) -> None:
        self._proxy, self._machines, self._nitro, self._reshape = proxy, machines, nitro, reshape
        self._keys: dict[str, str] = {}
        self.errors: list[BaseException] = []
        """Why an instance has no machine: its caller only sees that nobody answers there."""

    def imported(self, call: Call) -> Answer | None:
        if call.action == "ImportKeyPair":
            key = base64.b64decode(call.parameters["PublicKeyMaterial"]).decode()
            self._keys[call.parameters["KeyName"]] = key.strip()
        return None

    def started(self, started: Started) -> None:
        try:
            self._boot(started)
        except BaseException as error:
            self.errors.append(error)
            raise

    def _boot(self, started: Started) -> None:
        ec2 = account(self._proxy.moto)
        about = ec2.describe_instances(InstanceIds=[started.instance])["Reservations"][0]["Instances"][0]
        kind = about["InstanceType"]
        disks = [id_ for name, id_ in started.volumes.items() if name != about["RootDeviceName"]]
        found = ec2.describe_volumes(VolumeIds=disks)["Volumes"] if disks else []
        machine = self._machines.boot(
            Boot(
                id=started.instance,
                public_key=self._keys[about["KeyName"]],
                user_data=started.user_data,
                disks={each["VolumeId"]: self._reshape(_shape(each)) for each in found} | _own(started.instance, kind),
                nitro=self._nitro,
                instance=kind,
            ),
            self._ended,
        )
        self._proxy.addresses[started.instance] = machine.address

    def called(self, call: Call, answer: Answer) -> None:
        if answer.status != 200:
            return
        if call.action == "TerminateInstances":
            for name, instance in call.parameters.items():
                if name.startswith("InstanceId."):
                    with suppress(KeyError):
                        self._machines[instance].end()
        if call.action in ("DetachVolume", "AttachVolume"):
            volume = call.parameters["VolumeId"]
            machine = self._machines.with_volume(volume)
            (machine.detach if call.action == "DetachVolume" else machine.attach)(volume)

    def _ended(self, instance: str) -> None:
        """Its InstanceInitiatedShutdownBehavior is terminate."""
        with suppress(Exception):
            # The account may be empty by now.
            account(self._proxy.moto).terminate_instances(InstanceIds=[instance])


def _shape(volume: Mapping[str, Any]) -> dict[str, str]:
    kind = volume["VolumeType"]
    chosen = {
        ours: str(volume[theirs]) for ours, theirs in LIMITS.items() if volume.get(theirs) and kind in _HAVE[ours]
    }
    touched = {"first_touch": "yes"} if volume.get("SnapshotId") else {}
    return {"type": kind, "size": f"{volume['Size']}GiB", **chosen, **touched}


def _own(name: str, kind: str) -> dict[str, dict[str, str]]:
    """The disks that a machine of this type brings."""
    return {f"{STORE}{number}-{name}": {"type": "instance-store"} for number in range(instance(kind).store_disks)}


_HAVE = {"iops": ("gp3", "io1", "io2"), "throughput": ("gp3",)}


@contextmanager
def booting(proxy: Proxy, machines: Machines, *, nitro: bool = True, reshape: Reshape = dict) -> Iterator[Booting]:
    """Until the block ends, instances of the account are machines, whose disks `reshape` may change."""
    listener = Booting(proxy, machines, nitro=nitro, reshape=reshape)
    proxy.before.append(listener.imported)
    proxy.started.append(listener.started)
    proxy.after.append(listener.called)
    try:
        yield listener
    finally:
        proxy.before.remove(listener.imported)
        proxy.started.remove(listener.started)
        proxy.after.remove(listener.called)
        assert not listener.errors, listener.errors
