"""The life of a rental: made with everything that ends it, given back, and seen to be gone."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from pathlib import Path

from tests.clouds import faults
from tests.clouds.fixtures import account, everything, rental
from tests.clouds.moto import DEBIAN
from tests.clouds.proxy import Proxy, Started

from plimsoll.clouds import finding, ledger
from plimsoll.clouds.rent import renting


def test_a_machine_with_a_volume_is_rented_and_given_back(proxy: Proxy, tmp_path: Path) -> None:
    started: list[Started] = []
    proxy.started.append(started.append)
    wanted = rental()
    with renting(finding.cloud("aws"), wanted) as rented:
        host = rented.hosts()[0]
        ec2 = account(proxy.moto)
        instance = ec2.describe_instances(InstanceIds=[host.id])["Reservations"][0]["Instances"][0]
        volumes = ec2.describe_volumes(VolumeIds=list(host.volumes))["Volumes"]
        rules = ec2.describe_security_groups(Filters=[{"Name": "tag:plimsoll-rental", "Values": [wanted.id]}])
        assert ledger.ids() == [wanted.id]
        assert (host.machine, host.user, host.address) == ("m1", "ubuntu", instance["PublicIpAddress"])
        assert list(host.volumes.values()) == [("gp3", 0)]
        assert os.stat(host.key_file).st_mode & 0o777 == 0o600
    assert everything(proxy.moto) == []
    assert not list((tmp_path / "clouds").iterdir())
    assert [each["Ebs"]["DeleteOnTermination"] for each in instance["BlockDeviceMappings"]] == [True, True]
    assert [(each["VolumeType"], each["Size"], each["Iops"], each["Throughput"]) for each in volumes] == [
        ("gp3", 100, 6000, 250)
    ]
    tags = {each["Key"]: each["Value"] for each in instance["Tags"]}
    assert (tags["plimsoll-rental"], tags["plimsoll-name"]) == (wanted.id, "m1")
    permission = rules["SecurityGroups"][0]["IpPermissions"]
    assert [(each["FromPort"], each["ToPort"]) for each in permission] == [(22, 22)]
    assert permission[0]["IpRanges"][0]["CidrIp"] == wanted.from_address
    assert started[0].instance == host.id
    assert started[0].tags == tags
    told = json.loads(started[0].user_data.removeprefix("#cloud-config\n"))
    assert str(wanted.lease_end_ns // 10**9) in told["bootcmd"][0][2]
    assert told["ssh_keys"]["ed25519_public"] == host.host_keys[0]
    run = next(call for call in proxy.calls if call.action == "RunInstances")
    assert run.parameters["InstanceInitiatedShutdownBehavior"] == "terminate"


def test_a_group_is_described_in_characters_that_aws_takes(proxy: Proxy) -> None:
    """moto takes any."""
    with renting(finding.cloud("aws"), rental()):
        call = next(call for call in proxy.calls if call.action == "CreateSecurityGroup")
    told = call.parameters["GroupName"] + call.parameters["GroupDescription"]
    assert re.fullmatch(r"[a-zA-Z0-9 ._:/()#,@\[\]+=&;{}!$*-]{1,255}", told)


def test_a_large_image_gets_a_root_that_holds_it(proxy: Proxy) -> None:
    proxy.after.append(faults.rewritten("DescribeImages", r"<volumeSize>\d+<", "<volumeSize>40<"))
    own = replace(rental().machines[0], image=DEBIAN)
    with renting(finding.cloud("aws"), rental(machines=(own,))):
        call = next(call for call in proxy.calls if call.action == "RunInstances")
    assert call.parameters["BlockDeviceMapping.1.Ebs.VolumeSize"] == "40"


def test_the_proxy_tells_another_address(proxy: Proxy) -> None:
    proxy.started.append(lambda started: proxy.addresses.update({started.instance: "127.0.0.9"}))
    with renting(finding.cloud("aws"), rental()) as rented:
        assert rented.hosts()[0].address == "127.0.0.9"
