"""AWS on loopback: moto's server, in a process of its own, with what AWS does and moto leaves out.

`python -m tests.clouds.moto PORT` starts it; `serving()` does that for tests. Added: client tokens, rates of volumes
that are made with an instance, instance store, tags of network cards, groups that cannot be deleted while they are in
use, cards that are gone with their instance, key pairs deleted by id, quotas, and the public parameters of images.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
UBUNTU, DEBIAN = "ami-0aaaaaaaaaaaaaaaa", "ami-0dddddddddddddddd"
PARAMETERS = {
    "/aws/service/canonical/ubuntu/server/24.04/stable/current/amd64/hvm/ebs-gp3/ami-id": UBUNTU,
    "/aws/service/debian/release/12/latest/amd64": DEBIAN,
}
QUOTAS = {"ec2": 64.0, "ebs": 50.0, "rds": 40.0}
"""Of every code: virtual processors, TiB, databases; of those in LARGER a thousand times as much: IOPS, GiB."""
LARGER = ("L-B3A130E6", "L-8D977E7E", "L-7ADDB58A")


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The address of a server with an empty account."""
    images = folder / "images.json"
    images.write_text(json.dumps([_image(UBUNTU, "ubuntu-noble-24.04"), _image(DEBIAN, "debian-12")]))
    port = free_port()
    environment = {**os.environ, "MOTO_AMIS_PATH": str(images), "PYTHONWARNINGS": "ignore"}
    environment |= {"MOTO_EC2_ENABLE_INSTANCE_TYPE_VALIDATION": "true", "MOTO_ENABLE_AMI_VALIDATION": "true"}
    environment |= {"MOTO_ENABLE_KEYPAIR_VALIDATION": "true"}
    command = [sys.executable, "-m", "tests.clouds.moto", str(port)]
    with (folder / "moto.log").open("wb") as log:
        # Ctrl-C is not for it: what is rented is given back there.
        process = subprocess.Popen(command, stdout=log, stderr=log, env=environment, cwd=ROOT, start_new_session=True)
        try:
            _wait(port, process, folder / "moto.log")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(10)


def reset(address: str) -> None:
    """An empty account again."""
    urllib.request.urlopen(urllib.request.Request(f"{address}/moto-api/reset", method="POST"), timeout=30).read()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _image(ami_id: str, name: str) -> dict[str, Any]:
    facts = {"ami_id": ami_id, "name": name, "description": name, "owner_id": "099720109477", "public": True}
    return facts | {
        "architecture": "x86_64",
        "creation_date": "2026-06-01T00:00:00.000Z",
        "hypervisor": "xen",
        "image_location": f"amazon/{name}",
        "image_type": "machine",
        "platform": None,
        "root_device_name": "/dev/sda1",
        "root_device_type": "ebs",
        "sriov": "simple",
        "state": "available",
        "virtualization_type": "hvm",
    }


def _wait(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError(f"moto did not start: {log.read_text()[-2000:]}")


def _complete_mappings() -> None:
    from moto.ec2.responses.instances import InstanceResponse

    parse, validate = InstanceResponse._parse_block_device_mapping, InstanceResponse._validate_block_device_mapping

    def parsed(self: Any) -> list[dict[str, Any]]:
        mappings = parse(self)
        for mapping, asked in zip(mappings, self._get_param("BlockDeviceMappings", []), strict=True):
            ebs = asked.get("Ebs", {})
            # The one value that moto hands on untouched.
            mapping["Ebs"]["KmsKeyId"] = (ebs.get("Iops"), ebs.get("Throughput"))
            if asked.get("VirtualName"):
                mapping["NoDevice"] = ""
        return mappings

    def validated(mapping: dict[str, Any]) -> None:
        if not mapping.get("VirtualName"):
            validate(mapping)

    InstanceResponse._parse_block_device_mapping = parsed
    InstanceResponse._validate_block_device_mapping = staticmethod(validated)


def _complete_runs() -> None:
    from moto.ec2.models.instances import Instance, InstanceBackend

    run = InstanceBackend.run_instances

    def added(
        self: Any, size: int, path: str, snapshot: str, encrypted: bool, ends: bool, chosen: Any, volume_type: str
    ) -> None:
        iops, throughput = chosen
        rates = {"iops": iops, "throughput": throughput, "volume_type": volume_type}
        about = {"size": size, "zone_name": self.placement.zone, "snapshot_id": snapshot, "encrypted": encrypted}
        volume = self.ec2_backend.create_volume(**about, **rates)
        self.ec2_backend.attach_volume(volume.id, self.id, path, ends)

    def run_once(self: Any, image: str, count: int, data: Any, groups: list[str], **asked: Any) -> Any:
        for known in self.reservations.values():
            if known.instances[0].client_token == asked["client_token"]:
                return known
        tags = asked.get("tags", {}).get("network-interface", {})
        made = run(self, image, count, data, groups, **asked)
        for card in made.instances[0].nics.values():
            card.delete_on_termination = True
            card.add_tags(tags)
        return made

    Instance.add_block_device = added
    InstanceBackend.run_instances = run_once


def _complete_network() -> None:
    from moto.core.responses import ActionResult
    from moto.ec2.exceptions import EC2ClientError
    from moto.ec2.models.instances import Instance
    from moto.ec2.models.security_groups import SecurityGroupBackend
    from moto.ec2.responses.key_pairs import KeyPairs

    delete, terminate = SecurityGroupBackend.delete_security_group, Instance.terminate

    def refused(self: Any, name: str | None = None, group_id: str | None = None) -> Any:
        for card in list(self.enis.values()):
            if group_id in [group.id for group in card.group_set]:
                raise EC2ClientError("DependencyViolation", f"resource {group_id} has a dependent object")
        return delete(self, name, group_id)

    def terminated(self: Any, *arguments: Any) -> Any:
        cards = [card for card in self.nics.values() if card.delete_on_termination]
        answer = terminate(self, *arguments)
        for card in cards:
            self.ec2_backend.enis.pop(card.id, None)
        return answer

    def key_deleted(self: Any) -> ActionResult:
        self.error_on_dryrun()
        named, identity = self._get_param("KeyName"), self._get_param("KeyPairId")
        pairs = list(self.ec2_backend.key_pairs.values())
        found = next((each.key_name for each in pairs if identity in (None, each.id)), None)
        pair = self.ec2_backend.delete_key_pair(named or found)
        return ActionResult({"Return": True, "KeyPairId": pair.id if pair else ""})

    KeyPairs.delete_key_pair = key_deleted
    SecurityGroupBackend.delete_security_group = refused
    Instance.terminate = terminated


def _complete_others() -> None:
    from moto.servicequotas.models import ServiceQuotasBackend
    from moto.ssm.models import Parameter, SimpleSystemManagerBackend

    get = SimpleSystemManagerBackend.get_parameter

    def parameter(self: Any, name: str) -> Any:
        if name not in PARAMETERS:
            return get(self, name)
        about = {"allowed_pattern": None, "keyid": None, "last_modified_date": time.time(), "version": 1}
        about |= {"description": None, "data_type": "text", "parameter_type": "String"}
        return Parameter(account_id=self.account_id, name=name, value=PARAMETERS[name], **about)

    def quota(_self: Any, service_code: str, quota_code: str) -> dict[str, Any]:
        value = QUOTAS[service_code] * (1000 if quota_code in LARGER else 1)
        return {"ServiceCode": service_code, "QuotaCode": quota_code, "QuotaName": quota_code, "Value": value}

    SimpleSystemManagerBackend.get_parameter = parameter
    ServiceQuotasBackend.get_service_quota = quota


def main() -> None:
    _complete_mappings()
    _complete_runs()
    _complete_network()
    _complete_others()
    from moto.server import main as serve

    serve(["-H", "127.0.0.1", "-p", sys.argv[1]])


if __name__ == "__main__":
    main()
