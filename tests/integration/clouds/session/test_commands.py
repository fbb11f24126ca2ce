"""`plimsoll plan` of rented targets and `plimsoll cloud`, as a user types them: nothing is rented by any."""

from __future__ import annotations

from typing import Any

import pytest
from tests.clouds.fixtures import account, everything, rental
from tests.clouds.proxy import Call, Proxy, refusal
from tests.integration.run.conftest import Command

from plimsoll.clouds import finding, rent

ON = ("--on", "gp3=aws:gp3,size=500GiB,iops=6000,throughput=250", "--on", "gp2=aws:gp2,size=100GiB")
PLAN = ("plan", "randread", *ON, "--instance", "m7i.large")


def test_a_plan_shows_what_would_be_rented_and_rents_nothing(plimsoll: Command, proxy: Proxy) -> None:
    told = plimsoll(*PLAN, "--allocations", "5", "--budget", "5USD").out
    assert "m1: m7i.large" in told
    assert "rented in aws, us-east-1, one zone that the provider chooses, rented afresh up to 5 times" in told
    assert "at most, within the budget of $5.00 (prices as of " in told
    assert "gp3: m7i.large sustains only 3,600 IOPS of the 6,000 IOPS of gp3" in told
    assert "quotas and permissions: asked" in told
    assert told.rstrip().endswith("nothing was rented")
    assert everything(proxy.moto) == []
    assert not [call for call in proxy.calls if call.action in ("RunInstances", "ImportKeyPair") and not _dry(call)]


def _dry(call: Call) -> bool:
    return call.parameters.get("DryRun") == "true"


def test_a_plan_for_programs(plimsoll: Command, proxy: Proxy) -> None:
    del proxy
    found: dict[str, Any] = plimsoll(*PLAN, "--lease", "2h", "--json").json["rent"]
    assert found["lease_ns"] == 2 * 3600 * 10**9
    assert found["most_usd"] == pytest.approx(2 * found["usd_per_hour"])
    assert [each["type"] for each in found["machines"][0]["volumes"]] == ["gp3", "gp2"]
    assert all(each["as_of"] for each in found["prices"])
    assert found["refusal"] is None


def test_without_an_account_a_plan_still_has_the_prices(plimsoll: Command, proxy: Proxy) -> None:
    del proxy
    told = plimsoll(*PLAN, AWS_ENDPOINT_URL="http://127.0.0.1:9").out
    assert "an hour, so $" in told
    assert "quotas and permissions: not asked (" in told


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--on", "a=aws:gp4,size=1GiB", "--instance", "m7i.large"), "no volume type named 'gp4'"),
        (("--on", "a=aws:gp3,size=1GiB,iops=90000", "--instance", "m7i.large"), "3,000 to 80,000 IOPS"),
        (("--on", "a=aws:gp3,size=8GiB"), "--instance for all"),
        (("--on", "a=aws:gp3,size=8GiB", "--instance", "m7i.large", "--zone", "eu-west-1a"), "not in region us-east-1"),
        (("--on", "a=aws:gp3,size=8GiB", "--instance", "m7i.large", "--zone", "us-east-1z"), "no such zone"),
        (("--on", "a=aws:gp3,size=1GiB", "--instance", "m7i.large"), "the test needs 1 GiB"),
        (("--on", "a=aws:gp3,size=8GiB", "--instance", "m7i.large", "--probe"), "`plimsoll plan` rents nothing"),
        (("--on", "a=/tmp", "--budget", "5USD"), "none of these targets is rented"),
        (("--on", "a=gcp:pd-ssd,size=20GiB", "--instance", "n2-standard-2"), "no provider named 'gcp'"),
    ],
)
def test_bad_input_is_refused_by_the_plan(plimsoll: Command, proxy: Proxy, words: tuple[str, ...], told: str) -> None:
    assert told in plimsoll("plan", "randread", *words, check=2).err
    assert everything(proxy.moto) == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--instance", "m7i.24xlarge", "--lease", "2h"), "say how much it may: --budget"),
        (("--instance", "m7i.24xlarge", "--budget", "0.10USD"), "the budget of $0.10 is too small"),
        (("--instance", "m7i.24xlarge", "--lease", "10h", "--budget", "5USD"), "or a shorter --lease"),
        (("--instance", "m7i.large", "--region", "sa-east-1", "--budget", "5USD"), "no budget can be kept"),
        (("--instance", "m7i.large", "--lease", "10m"), "a lease of 10 min is too short"),
        (("--instance", "m7i.large", "--cluster", "local:1"), "leave the cluster out"),
    ],
)
def test_terms_that_cannot_be_kept_rent_nothing(
    plimsoll: Command, proxy: Proxy, words: tuple[str, ...], told: str
) -> None:
    assert told in plimsoll("run", "randread", *ON, *words, check=2).err
    assert everything(proxy.moto) == []
    assert plimsoll("list", "sessions", "--json").json == []


def test_a_missing_permission_is_named_before_anything_is_rented(plimsoll: Command, proxy: Proxy) -> None:
    proxy.before.append(lambda call: refusal("UnauthorizedOperation", "no") if call.action == "RunInstances" else None)
    answer = plimsoll("run", "randread", *ON, "--instance", "m7i.large", check=2)
    assert "RunInstances" in answer.err
    assert everything(proxy.moto) == []


def test_what_is_rented_is_listed_with_its_price_and_swept(plimsoll: Command, proxy: Proxy) -> None:
    wanted = rental()
    with rent.renting(finding.cloud("aws"), wanted):
        told = plimsoll("cloud", "list")
        assert wanted.id in told.out
        assert "this machine" in told.out
        assert f"rental {wanted.id} costs $0.15 an hour" in told.err
        rows = plimsoll("cloud", "list", "--json").json
        assert {row["rental"] for row in rows} == {wanted.id}
        assert {row["lease_end_ns"] for row in rows} == {wanted.lease_end_ns}
        kept = plimsoll("cloud", "sweep")
        assert "nothing was left over" in kept.err, "a session that goes on is left alone"
        ended = plimsoll("cloud", "sweep", "--all").out
        assert "ended machine i-" in ended
        assert everything(proxy.moto) == []
    assert plimsoll("cloud", "list", "--json").json == []


def test_what_outlived_its_lease_on_another_machine_is_swept(plimsoll: Command, proxy: Proxy) -> None:
    ec2 = account(proxy.moto)
    tags = [
        {"Key": "plimsoll-rental", "Value": "89abcdef"},
        {"Key": "plimsoll-lease-end", "Value": "2026-01-01T00:00:00Z"},
    ]
    ec2.create_key_pair(KeyName="plimsoll-89abcdef", TagSpecifications=[{"ResourceType": "key-pair", "Tags": tags}])
    ec2.create_key_pair(KeyName="stranger")
    assert "ended key-pair" in plimsoll("cloud", "sweep", "--json").out
    assert [each["KeyName"] for each in ec2.describe_key_pairs()["KeyPairs"]] == ["stranger"]


def test_the_policy_is_one_of_iam(plimsoll: Command) -> None:
    found = plimsoll("cloud", "policy").json
    assert found["Version"] == "2012-10-17"
    actions = [action for each in found["Statement"] for action in each["Action"]]
    assert {"ec2:RunInstances", "ec2:TerminateInstances"} <= set(actions)


@pytest.mark.parametrize("words", [("list",), ("sweep",), ("policy",)])
def test_an_unknown_provider_is_named(plimsoll: Command, words: tuple[str, ...]) -> None:
    assert "no provider named 'gcp'" in plimsoll("cloud", *words, "--provider", "gcp", check=2).err
