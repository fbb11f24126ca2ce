"""What goes wrong at AWS ends in a sentence that says what to do, and in an empty account."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.clouds import faults
from tests.clouds.fixtures import account, everything, rental
from tests.clouds.proxy import Proxy

from plimsoll.clouds import finding, ledger, rent, sweep
from plimsoll.clouds.provider import Host
from plimsoll.clouds.providers.aws import waiting
from plimsoll.clouds.rent import renting
from plimsoll.clouds.wanted import Machine, Rental
from plimsoll.errors import CloudError, UsageError

AWS = finding.cloud("aws")


def measure(wanted: Rental | None = None) -> Sequence[Host]:
    with renting(AWS, wanted or rental()) as rented:
        return rented.hosts()


def fails(sentence: str, proxy: Proxy) -> None:
    """Renting ends with these words, and leaves nothing."""
    with pytest.raises(CloudError, match=sentence):
        measure()
    assert everything(proxy.moto) == []
    assert ledger.ids() == []


def test_a_call_that_is_throttled_is_made_again(proxy: Proxy) -> None:
    proxy.before.append(faults.refused("RunInstances", "RequestLimitExceeded", status=503, times=2))
    measure()
    assert everything(proxy.moto) == []


def test_throttling_without_an_end(proxy: Proxy) -> None:
    proxy.before.append(faults.refused("RunInstances", "RequestLimitExceeded", status=503))
    fails("AWS throttles ec2:RunInstances in us-east-1, however often it is asked; try again in some minutes", proxy)


def test_no_capacity(proxy: Proxy) -> None:
    proxy.before.append(
        faults.refused("RunInstances", "InsufficientInstanceCapacity", "none in us-east-1c", status=500)
    )
    fails(r"no capacity left .*us-east-1.*Name another zone with --zone or another type with --instance", proxy)


def test_a_limit_of_the_account(proxy: Proxy) -> None:
    proxy.before.append(faults.refused("RunInstances", "VcpuLimitExceeded", "You have requested more vCPU"))
    fails(r"a quota of the account is too small in us-east-1 \(VcpuLimitExceeded\).*Ask for more at https", proxy)


@pytest.mark.parametrize("action", ["ImportKeyPair", "CreateSecurityGroup", "RunInstances"])
def test_a_permission_that_is_missing_is_named_before_anything_is_rented(proxy: Proxy, action: str) -> None:
    proxy.before.append(faults.forbidden(action))
    with pytest.raises(UsageError, match=rf'may not ec2:{action} in us-east-1; the line {{"Sid":.*"ec2:{action}"'):
        AWS.check(rental())
    assert everything(proxy.moto) == []


def test_a_permission_that_is_missing_only_then(proxy: Proxy) -> None:
    proxy.before.append(faults.refused("AuthorizeSecurityGroupIngress", "UnauthorizedOperation", status=403))
    fails(r"may not ec2:AuthorizeSecurityGroupIngress .*EndWhatIsOurs", proxy)


@pytest.mark.parametrize(
    "action", ["ImportKeyPair", "CreateSecurityGroup", "AuthorizeSecurityGroupIngress", "RunInstances"]
)
def test_an_answer_that_is_lost_after_the_call_took_effect(proxy: Proxy, action: str) -> None:
    proxy.after.append(faults.lost(action))
    with renting(AWS, rental()) as rented:
        assert len(rented.hosts()) == 1
        reservations = account(proxy.moto).describe_instances()["Reservations"]
        assert len(reservations) == 1
    assert everything(proxy.moto) == []


@pytest.mark.parametrize("action", ["ImportKeyPair", "CreateSecurityGroup", "RunInstances"])
def test_answers_that_are_always_lost(proxy: Proxy, action: str) -> None:
    proxy.after.append(faults.lost(action, times=faults.FOREVER))
    fails(f"AWS did not answer ec2:{action} in us-east-1", proxy)


@pytest.mark.parametrize("action", ["TerminateInstances", "DeleteSecurityGroup", "DeleteKeyPair", "DescribeVolumes"])
def test_an_answer_that_is_lost_while_giving_back(proxy: Proxy, action: str) -> None:
    proxy.after.append(faults.lost(action, times=4))
    measure()
    assert everything(proxy.moto) == []


@pytest.mark.parametrize(
    ("create", "describe", "code"),
    [
        ("CreateSecurityGroup", "DescribeSecurityGroups", "InvalidGroup.NotFound"),
        ("CreateSecurityGroup", "AuthorizeSecurityGroupIngress", "InvalidGroup.NotFound"),
        ("RunInstances", "DescribeInstances", "InvalidInstanceID.NotFound"),
    ],
)
def test_what_was_made_is_not_found_for_seconds(proxy: Proxy, create: str, describe: str, code: str) -> None:
    before, after = faults.unseen(create, describe, code, 1.5)
    proxy.before.append(before)
    proxy.after.append(after)
    assert len(measure()) == 1
    assert everything(proxy.moto) == []


def test_what_is_not_listed_yet_is_waited_for_before_an_account_counts_as_empty(
    proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The session ends at once, while the machine that it has just been given is not listed."""
    monkeypatch.setattr(rent, "SETTLING_S", 3.0)
    before, after = faults.unseen("RunInstances", "DescribeInstances", "InvalidInstanceID.NotFound", 1.5)
    proxy.before.append(before)
    proxy.after.append(after)
    with renting(AWS, rental()):
        pass
    assert everything(proxy.moto) == []


def test_a_volume_that_stays_in_attaching(proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "BOOTS_S", 0.5)
    monkeypatch.setattr("plimsoll.clouds.providers.aws.machines.BOOTS_S", 0.5)
    proxy.after.append(faults.rewritten("DescribeInstances", r"<status>attached<", "<status>attaching<"))
    fails(r"m1 \(i-\w+\) has its volume /dev/sdf \(target gp3\) still attaching, 500 ms after", proxy)


def test_a_machine_that_never_boots(proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plimsoll.clouds.providers.aws.machines.BOOTS_S", 0.5)
    proxy.after.append(faults.rewritten("DescribeInstances", r"<name>running<", "<name>pending<"))
    fails(r"in us-east-1: m1 \(i-\w+\) is still pending, 500 ms after it was asked for", proxy)


def test_a_machine_that_ends_at_its_beginning(proxy: Proxy) -> None:
    reason = "<code>Client.VolumeLimitExceeded</code><message>Volume limit exceeded</message>"
    proxy.after.append(
        faults.rewritten("DescribeInstances", r"<stateReason>.*</stateReason>", f"<stateReason>{reason}</stateReason>")
    )
    proxy.after.append(faults.rewritten("DescribeInstances", r"<name>running<", "<name>terminated<"))
    with pytest.raises(CloudError, match=r"machine m1 \(i-\w+\) is terminated: Volume limit exceeded"):
        measure()


def test_a_spot_instance_that_is_taken_back(proxy: Proxy) -> None:
    wanted = rental(machines=(Machine(name="m1", type="m7i.large", spot=True),))
    with renting(AWS, wanted) as rented:
        rented.hosts()
        run = next(call for call in proxy.calls if call.action == "RunInstances")
        assert run.parameters["InstanceMarketOptions.MarketType"] == "spot"
        assert rented.interrupted("m1") is None
        account(proxy.moto).terminate_instances(InstanceIds=[rented.made[-1].id])
        reason = "<code>Server.SpotInstanceTermination</code><message>Spot capacity is gone</message>"
        old = r"<stateReason>.*</stateReason>"
        proxy.after.append(faults.rewritten("DescribeInstances", old, f"<stateReason>{reason}</stateReason>"))
        assert "was interrupted: AWS takes the spot instance back" in (rented.interrupted("m1") or "")
    assert everything(proxy.moto) == []


@pytest.mark.parametrize("after", ["CreateSecurityGroup", "RunInstances", "TerminateInstances"])
def test_credentials_that_expire_in_the_middle(proxy: Proxy, after: str, caplog: pytest.LogCaptureFixture) -> None:
    proxy.before.append(faults.expired(after))
    with caplog.at_level(logging.WARNING), pytest.raises(CloudError, match=r"credentials for AWS have expired.*log in"):
        measure()
    assert ledger.ids() == ["0123abcd"]
    proxy.before.clear()
    assert [text.partition(":")[0] for text in sweep.abandoned()] == [
        "rental 0123abcd in us-east-1, left by an earlier command"
    ]
    assert everything(proxy.moto) == []
    assert ledger.ids() == []


def test_a_clock_that_is_wrong(proxy: Proxy) -> None:
    proxy.before.append(faults.skewed(1620))
    with pytest.raises(CloudError, match=r"this machine's clock is (26|27) min.* behind AWS's; set the clock"):
        AWS.check(rental())


def test_no_credentials(proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    with pytest.raises(CloudError, match=r"no credentials for AWS.*AWS_PROFILE"):
        AWS.check(rental())
    assert proxy.calls == []


def test_a_group_that_is_in_use_a_little_longer(proxy: Proxy) -> None:
    proxy.before.append(faults.refused("DeleteSecurityGroup", "DependencyViolation", times=5))
    measure()
    assert everything(proxy.moto) == []


def test_what_must_not_be_ended_is_told_and_ended_later(proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rent, "GIVING_BACK_S", 1.0)
    proxy.before.append(faults.forbidden("TerminateInstances"))
    with pytest.raises(CloudError, match=r"rental 0123abcd in us-east-1 still has machine i-\w+.*may not ec2:Termin"):
        measure()
    assert ledger.ids() == ["0123abcd"]
    proxy.before.clear()
    sweep.abandoned()
    assert everything(proxy.moto) == []


def test_a_lease_that_is_over_rents_nothing(proxy: Proxy) -> None:
    with pytest.raises(CloudError, match=r"the lease of rental 0123abcd ends at .*Give a longer one with --lease"):
        measure(rental(lease_end_ns=time.time_ns() - 1))
    assert proxy.calls == []


def test_a_record_that_cannot_be_written_before_renting(proxy: Proxy, tmp_path: Path) -> None:
    (tmp_path / "clouds").write_text("")
    with pytest.raises(CloudError, match="nothing is rented without a record"):
        measure()
    assert [call for call in proxy.calls if call.action == "RunInstances"] == []
