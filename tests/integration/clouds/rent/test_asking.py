"""What can be asked is asked before anything is rented, and all reasons are told together."""

from __future__ import annotations

import fnmatch

import pytest
from tests.clouds import faults
from tests.clouds.fixtures import everything, rental
from tests.clouds.kills import SCENARIOS
from tests.clouds.moto import DEBIAN
from tests.clouds.proxy import Answer, Call, Proxy
from tests.clouds.rds import emulated

from plimsoll.clouds import finding
from plimsoll.clouds.rent import renting
from plimsoll.clouds.wanted import Disk, Machine
from plimsoll.errors import UsageError
from plimsoll.units import GIB

AWS = finding.cloud("aws")
DISK = Disk(target="gp3", type="gp3", size_bytes=100 * GIB)


def machine(**changes: object) -> tuple[Machine, ...]:
    return (Machine(**{"name": "m1", "type": "m7i.large", "disks": (DISK,), **changes}),)  # type: ignore[arg-type]


def refuses(sentence: str, proxy: Proxy, **changes: object) -> None:
    with pytest.raises(UsageError, match=sentence):
        AWS.check(rental(**changes))
    made = [call for call in proxy.calls if call.action in ("RunInstances", "ImportKeyPair", "CreateSecurityGroup")]
    assert all("DryRun" in call.parameters for call in made)
    assert everything(proxy.moto) == []


def test_what_can_be_rented_makes_nothing(proxy: Proxy) -> None:
    assert list(AWS.check(rental())) == []
    assert everything(proxy.moto) == []


def test_a_zone_that_the_region_does_not_have(proxy: Proxy) -> None:
    refuses(
        "--zone us-east-1z: us-east-1 has no such zone .*choose one of us-east-1a",
        proxy,
        machines=machine(zone="us-east-1z"),
    )


def test_machines_in_two_zones(proxy: Proxy) -> None:
    two = (*machine(zone="us-east-1a"), *machine(name="m2", zone="us-east-1b"))
    refuses("machines of one session are in one zone, not in us-east-1a and us-east-1b", proxy, machines=two)


def test_a_region_without_the_type(proxy: Proxy) -> None:
    refuses("us-east-1 does not offer m99.large; choose another --region or", proxy, machines=machine(type="m99.large"))


def test_an_image_that_is_not_there(proxy: Proxy) -> None:
    refuses(
        "there is no image ami-0123456789abcdef0 in us-east-1", proxy, machines=machine(image="ami-0123456789abcdef0")
    )
    refuses("no such public parameter in us-east-1", proxy, machines=machine(image="ubuntu"))


@pytest.mark.parametrize("image", [DEBIAN, "/aws/service/debian/release/12/latest/amd64"])
@pytest.mark.usefixtures("proxy")
def test_another_image_has_another_user(image: str) -> None:
    with renting(AWS, rental(machines=machine(image=image))) as rented:
        host = rented.hosts()[0]
        assert (host.user, host.facts["image"]) == ("admin", DEBIAN)


def test_an_image_for_another_architecture(proxy: Proxy) -> None:
    proxy.after.append(faults.rewritten("DescribeImages", "<architecture>x86_64<", "<architecture>arm64<"))
    refuses("is for arm64; machines are rented with x86_64 only", proxy)


@pytest.mark.parametrize(("image", "gib", "counted"), [(None, 17, 16), (DEBIAN, 65, 64)])
def test_an_image_that_needs_more_than_is_counted(proxy: Proxy, image: str | None, gib: int, counted: int) -> None:
    proxy.after.append(faults.rewritten("DescribeImages", r"<volumeSize>\d+<", f"<volumeSize>{counted}<"))
    AWS.check(rental(machines=machine(image=image)))
    proxy.after[-1] = faults.rewritten("DescribeImages", r"<volumeSize>\d+<", f"<volumeSize>{gib}<")
    refuses(
        f"needs a root volume of {gib} GiB, and the budget counts {counted} GiB; choose a smaller one with --image",
        proxy,
        machines=machine(image=image),
    )


def test_quotas_that_are_too_small(proxy: Proxy) -> None:
    refuses(
        "192 virtual processors are needed in us-east-1, and the account may have 64; ask for more at https://console",
        proxy,
        machines=machine(type="m7i.48xlarge"),
    )
    many = tuple(Disk(target="gp3", member=number, type="gp3", size_bytes=16384 * GIB) for number in range(4))
    refuses("64 TiB of gp3 are needed in us-east-1, and the account may have 50", proxy, machines=machine(disks=many))


@pytest.mark.usefixtures("proxy")
def test_what_is_in_use_counts() -> None:
    there = tuple(Machine(name=f"m{number}", type="m7i.8xlarge") for number in (1, 2))
    with renting(AWS, rental(machines=there)), pytest.raises(UsageError, match="may have 64, of which 64 are in use"):
        AWS.check(rental("0123abce"))


def test_quotas_that_may_not_be_read(proxy: Proxy) -> None:
    proxy.before.append(faults.forbidden("GetServiceQuota"))
    assert any("whether quotas are large enough is not known" in each for each in AWS.check(rental()))


def test_all_reasons_at_once(proxy: Proxy) -> None:
    proxy.before.append(faults.forbidden("ImportKeyPair"))
    wrong = machine(type="m7i.48xlarge", disks=(Disk(target="own", type="instance-store", size_bytes=GIB),))
    refuses("(?s)no disks of its own.*virtual processors.*ec2:ImportKeyPair", proxy, machines=wrong)


def test_an_account_without_a_default_network(proxy: Proxy) -> None:
    proxy.after.append(faults.rewritten("DescribeSubnets", "<subnetSet>.*</subnetSet>", "<subnetSet/>"))
    refuses("the account has no default network in us-east-1; make one with `aws ec2 create-default-vpc`", proxy)


def test_a_tag_that_aws_keeps_for_itself(proxy: Proxy) -> None:
    refuses("tag aws:mine: AWS keeps tags that begin with aws: for itself", proxy, tags={"aws:mine": "1"})


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_policy_has_every_call_that_is_made(proxy: Proxy, scenario: str) -> None:
    """A call that only the account's owner may make would be found at the user's."""
    made: set[str] = set()

    def note(call: Call, _answer: Answer) -> None:
        # One needs no permission; and the scheduler's do not send their names.
        if call.action != "GetCallerIdentity" and " " not in call.action:
            made.add(f"{call.service}:{call.action}")

    proxy.after.append(note)
    wanted = rental(**SCENARIOS[scenario]())
    with emulated(proxy), renting(AWS, wanted) as rented:
        AWS.check(wanted)
        rented.hosts()
        rented.interrupted(wanted.machines[0].name)
    granted = [action for statement in AWS.policy()["Statement"] for action in statement["Action"]]
    assert made
    assert not [call for call in made if not any(fnmatch.fnmatch(call, action) for action in granted)]


def test_an_account_that_is_asked_from_an_ipv6_address(proxy: Proxy) -> None:
    with renting(AWS, rental(from_address="2001:db8::7/128")):
        call = next(call for call in proxy.calls if call.action == "AuthorizeSecurityGroupIngress")
    assert call.parameters["IpPermissions.1.Ipv6Ranges.1.CidrIpv6"] == "2001:db8::7/128"
