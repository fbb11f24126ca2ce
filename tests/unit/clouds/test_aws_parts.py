"""The parts of the AWS provider that ask nobody: names, disks, quotas' units, errors, the policy."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from botocore.exceptions import ClientError
from tests.clouds.fixtures import rental

from plimsoll.catalog.volume_type import volume_types
from plimsoll.clouds import finding, lease
from plimsoll.clouds.providers.aws import disks, errors, machines, policy, quotas, tags
from plimsoll.clouds.wanted import Disk, Machine
from plimsoll.errors import CloudError, NotYet, Unanswered, UnknownName, UsageError
from plimsoll.units import GIB, MIB


def refusal(code: str, operation: str = "run_instances", message: str = "why") -> CloudError:
    response: Any = {"Error": {"Code": code, "Message": message}, "ResponseMetadata": {}}
    with pytest.raises(CloudError) as caught, errors.mapped("ec2", operation, "us-east-1"):
        raise ClientError(response, operation)
    return caught.value


def test_the_provider_is_found_by_its_name() -> None:
    assert finding.names() == ["aws"]
    assert finding.cloud("aws").name == "aws"
    with pytest.raises(UnknownName, match="no provider named 'gcp'"):
        finding.cloud("gcp")


def test_device_names() -> None:
    names = [machines.device(number) for number in range(40)]
    assert len(set(names)) == 40
    assert (names[0], names[10], names[11], names[37]) == ("/dev/sdf", "/dev/sdp", "/dev/xvdba", "/dev/xvdca")


def test_every_volume_type_that_is_sold_now_is_asked_for_as_the_api_names_it() -> None:
    sold = {each.name for each in volume_types() if each.provider.title == "AWS" and not each.until}
    assert set(quotas.STORAGE) | {machines.LOCAL} == sold


@pytest.mark.parametrize(
    ("disk", "expected"),
    [
        (
            Disk(target="a", type="gp3", size_bytes=100 * GIB, iops=6000, throughput=250 * MIB),
            {"VolumeType": "gp3", "VolumeSize": 100, "Iops": 6000, "Throughput": 250},
        ),
        (Disk(target="a", type="st1", size_bytes=500 * GIB), {"VolumeType": "st1", "VolumeSize": 500}),
        (
            Disk(target="a", type="io2", size_bytes=100 * GIB + 1, iops=100, encrypted=True, snapshot="snap-1"),
            {"VolumeType": "io2", "VolumeSize": 101, "Iops": 100, "Encrypted": True, "SnapshotId": "snap-1"},
        ),
    ],
)
def test_a_volume_as_it_is_asked_for(disk: Disk, expected: dict[str, Any]) -> None:
    machine = Machine(name="m1", type="m7i.large", disks=(disk,))
    asked = machines.arguments(machine, {"subnet": "subnet-1", "image": "ami-1", "root": "/dev/sda1", "root_gib": 16})
    assert asked["BlockDeviceMappings"][1]["Ebs"] == {**expected, "DeleteOnTermination": True}
    assert asked["InstanceInitiatedShutdownBehavior"] == "terminate"
    assert "InstanceMarketOptions" not in asked


def test_an_instance_store_disk_is_no_volume() -> None:
    disk = Disk(target="a", type="instance-store", size_bytes=75 * 10**9)
    machine = Machine(name="m1", type="m5d.large", disks=(disk,))
    asked = machines.arguments(machine, {"subnet": "subnet-1", "image": "ami-1", "root": "/dev/sda1", "root_gib": 16})
    assert asked["BlockDeviceMappings"][1] == {"DeviceName": "/dev/sdf", "VirtualName": "ephemeral0"}


@pytest.mark.parametrize(
    ("type_", "disk", "said"),
    [
        ("m7i.large", {"type": "instance-store"}, "m7i.large has no disks of its own, and 1 are wanted"),
        ("m7i.large", {"type": "gp3", "iops": 10**6}, "gp3 with 1,000,000 IOPS is impossible"),
        ("m7i.large", {"type": "gp5"}, "no volume type named 'gp5'"),
    ],
)
def test_disks_that_are_impossible(type_: str, disk: dict[str, Any], said: str) -> None:
    wanted = Disk(target="a", size_bytes=100 * GIB, **disk)
    with pytest.raises(UsageError, match=said):
        disks.check(rental(machines=(Machine(name="m1", type=type_, disks=(wanted,)),)))


@pytest.mark.parametrize(
    ("code", "kind", "said"),
    [
        ("InvalidInstanceID.NotFound", errors.Gone, "why"),
        ("InvalidGroup.Duplicate", errors.Already, "why"),
        ("DependencyViolation", NotYet, "why"),
        ("InternalError", Unanswered, "AWS failed at ec2:RunInstances"),
        ("AuthFailure", CloudError, "does not accept the credentials"),
        ("ExpiredToken", CloudError, "have expired .*plimsoll cloud sweep"),
        ("RequestLimitExceeded", CloudError, "throttles"),
        ("InsufficientInstanceCapacity", CloudError, "has no capacity left"),
        ("InstanceLimitExceeded", CloudError, "a quota of the account is too small"),
        ("InvalidParameterValue", CloudError, r"refuses ec2:RunInstances in us-east-1 \(InvalidParameterValue\): why"),
    ],
)
def test_an_error_of_aws(code: str, kind: type, said: str) -> None:
    error = refusal(code)
    assert type(error) is kind
    with pytest.raises(CloudError, match=said):
        raise error


def test_a_missing_permission_comes_with_the_line_that_grants_it() -> None:
    said = str(refusal("UnauthorizedOperation"))
    line = json.loads(said[said.index("{") : said.rindex("}") + 1])
    assert (line["Sid"], line["Action"]) == ("RentWithTags", ["ec2:RunInstances"])
    assert "`plimsoll cloud policy`" in str(refusal("AccessDenied", "describe_vpcs"))


def test_the_policy_is_small_enough_and_ends_nothing_of_others() -> None:
    whole = policy.policy()
    assert len(json.dumps(whole, separators=(",", ":"))) < 6144
    for statement in whole["Statement"]:
        if any(action.split(":")[1].startswith(("Delete", "Terminate")) for action in statement["Action"]):
            named = "plimsoll" in json.dumps(statement["Resource"])
            assert named or "aws:ResourceTag/plimsoll-rental" in json.dumps(statement["Condition"])


def test_tags_come_back_as_they_were_written() -> None:
    wanted = rental(tags={"team": "storage", "plimsoll-rental": "mine"})
    read = tags.resource("machine", "i-1", "us-east-1", {"Tags": tags.tags(wanted, "m1")})
    assert (read.rental, read.name, read.lease_end_ns) == (wanted.id, "m1", wanted.lease_end_ns)
    assert {"Key": "team", "Value": "storage"} in tags.tags(wanted, "m1")
    assert tags.resource("machine", "i-1", "us-east-1", {}).rental == ""


def test_a_tag_has_only_what_all_services_allow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("getpass.getuser", lambda: "jürgen's*")
    monkeypatch.setattr("platform.node", lambda: "host?" + "x" * 300)
    owner = next(each["Value"] for each in tags.tags(rental(), "m1") if each["Key"] == tags.OWNER)
    assert owner.startswith("j-rgen-s-@host-xxx")
    assert len(owner) == 255


def test_the_bounds_of_a_lease() -> None:
    end_ns = lease.end_ns(3600)
    assert 3598e9 < end_ns - time.time_ns() <= 3600e9
    assert lease.from_tag(lease.tag(end_ns)) == end_ns
    assert lease.from_tag("tomorrow") is None
    assert not lease.is_over(end_ns)
    assert not lease.is_over(None)
    assert lease.is_over(time.time_ns() - 1)
    for wrong_s in (60, 30 * 24 * 3600):
        with pytest.raises(UsageError, match="it may be 15 min to 168 h long"):
            lease.end_ns(wrong_s)


def test_a_lease_that_ends_too_early_for_what_comes_next() -> None:
    wanted = rental()
    lease.check(wanted, 600)
    with pytest.raises(CloudError, match=r"the lease of rental 0123abcd ends at 2\d{3}-.* UTC, too early"):
        lease.check(wanted, 7200)
