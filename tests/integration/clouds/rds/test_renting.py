"""A rented database: for the rental's machines alone, ended with it, and by a schedule where its controller is gone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.clouds.fixtures import account, everything, rental
from tests.clouds.proxy import Proxy
from tests.clouds.rds import Rds, emulated, managed, name

from plimsoll.clouds import finding, ledger, rent, sweep
from plimsoll.clouds.rent import renting
from plimsoll.clouds.wanted import Database, Machine, Rental
from plimsoll.errors import CloudError, UsageError
from plimsoll.units import GIB, MIB

MYSQL = Database(target="db", engine="mysql", type="db.m6g.large", storage="io1", size_bytes=200 * GIB, iops=1000)
CLIENTS = (Machine(name="client1", type="m7i.large"), Machine(name="client2", type="m7i.large"))


def with_databases(*databases: Database, **changes: Any) -> Rental:
    return rental(**{"machines": CLIENTS, "databases": databases or (MYSQL,), **changes})


@pytest.fixture
def rds(proxy: Proxy) -> Iterator[Rds]:
    with emulated(proxy) as found:
        yield found


def left(moto: str) -> list[str]:
    """All that exists in the account, whoever's it is."""
    return [*everything(moto), *managed(moto)]


def test_a_database_is_rented_and_given_back(proxy: Proxy, rds: Rds, tmp_path: Path) -> None:
    wanted = with_databases()
    with renting(finding.cloud("aws"), wanted) as rented:
        [endpoint] = rented.endpoints()
        [made] = account(proxy.moto, "rds").describe_db_instances()["DBInstances"]
        groups = account(proxy.moto).describe_security_groups(GroupNames=[f"plimsoll-{wanted.id}"])["SecurityGroups"]
        secret = endpoint.password_file.read_text()
        assert os.stat(endpoint.password_file).st_mode & 0o777 == 0o600
        written = (endpoint.password_file.parent / ledger.FILE).read_text()
    assert left(proxy.moto) == []
    assert not list((tmp_path / "clouds").iterdir())

    host, port = made["Endpoint"]["Address"], made["Endpoint"]["Port"]
    assert endpoint.address == f"mysql://plimsoll@{host}:{port}/plimsoll"
    assert (endpoint.facts["storage"], endpoint.facts["iops"], endpoint.facts["backups"]) == ("io1", 1000, "off")
    names = ("AllocatedStorage", "BackupRetentionPeriod", "DBInstanceClass", "Engine", "MultiAZ", "PubliclyAccessible")
    assert [made[each] for each in names] == [200, 0, "db.m6g.large", "mysql", False, False]
    assert not made["DeletionProtection"]
    assert secret == rds.created[made["DBInstanceIdentifier"]].parameters["MasterUserPassword"]
    assert secret not in written

    [group] = groups
    assert made["VpcSecurityGroups"][0]["VpcSecurityGroupId"] == group["GroupId"]
    [rule] = [each for each in group["IpPermissions"] if each["FromPort"] == 3306]
    assert (rule["IpRanges"], [each["GroupId"] for each in rule["UserIdGroupPairs"]]) == ([], [group["GroupId"]])


def test_its_end_is_scheduled_before_it_is_made(proxy: Proxy, rds: Rds) -> None:  # noqa: ARG001
    with renting(finding.cloud("aws"), with_databases()):
        names = [call.action.partition("?")[0] for call in proxy.calls]
    order = [
        names.index(each) for each in ("CreateRole", "PutRolePolicy", "POST /schedules/end.db", "CreateDBInstance")
    ]
    assert order == sorted(order)
    # And it is taken away only once the database is about to end.
    names = [call.action.partition("?")[0] for call in proxy.calls]
    assert names.index("DeleteDBInstance") < names.index("DELETE /schedules/end.db")


def test_the_schedule_ends_what_a_killed_controller_left(
    proxy: Proxy, rds: Rds, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rent, "SETTLING_S", 0.5)
    wanted = with_databases()

    cloud = finding.cloud("aws")
    record = ledger.begin(wanted)
    for step in cloud.steps(wanted):
        record.intend(step)
        record.came(step, cloud.create(wanted, step, record.folder))
    record.close()
    assert rds.run_schedules(wanted.lease_end_ns - 10**9) == []
    assert rds.run_schedules(wanted.lease_end_ns) == [f"plimsoll-{wanted.id}-1"]
    assert account(proxy.moto, "rds").describe_db_instances()["DBInstances"] == []
    assert account(proxy.moto, "rds").describe_db_snapshots()["DBSnapshots"] == []
    sweep.abandoned()
    assert left(proxy.moto) == []


def test_without_permission_for_the_schedule_the_plan_says_what_outlives(proxy: Proxy, rds: Rds) -> None:
    cloud = finding.cloud("aws")
    assert cloud.unattended(with_databases()) is None
    rds.forbidden |= {"scheduler:CreateSchedule", "iam:CreateRole"}
    said = cloud.unattended(with_databases())
    assert said == (
        "database db outlives a killed controller until `plimsoll cloud sweep`, and what a day costs is not known: "
        "these credentials may not iam:CreateRole, scheduler:CreateSchedule, so nothing else ends it; to rent it "
        "nevertheless add --accept-unattended"
    )
    priced = Database(target="pg", engine="postgres", type="db.t3.large", storage="gp3", size_bytes=100 * GIB)
    said = cloud.unattended(with_databases(priced))
    assert said is not None
    assert "a day costs $3.86: these credentials may not" in said
    with renting(cloud, with_databases(unattended=True)) as rented:
        assert [each.kind for each in rented.made if "schedule" in each.kind or each.kind == "role"] == []
    assert left(proxy.moto) == []


def test_where_it_cannot_be_asked_the_plan_says_so(rds: Rds) -> None:
    rds.simulation_denied = True
    said = finding.cloud("aws").unattended(with_databases())
    assert said is not None
    assert "may not ask what they may do (iam:SimulatePrincipalPolicy)" in said


def test_a_schedule_that_is_refused_nevertheless_rents_no_database(proxy: Proxy, rds: Rds) -> None:
    rds.refused |= {"scheduler:CreateSchedule"}
    refusal = pytest.raises(CloudError, match="may not scheduler:CreateSchedule in us-east-1")
    with refusal, renting(finding.cloud("aws"), with_databases()):
        pytest.fail("it was rented")
    assert "CreateDBInstance" not in proxy.actions()
    assert left(proxy.moto) == []


def test_what_cannot_be_rented_is_refused_before(proxy: Proxy, rds: Rds) -> None:  # noqa: ARG001
    cloud = finding.cloud("aws")
    with pytest.raises(UsageError, match="add --clients-on aws:"):
        cloud.check(with_databases(machines=()))
    none = Database(target="db", engine="mysql", type="db.none.large", storage="io1", size_bytes=100 * GIB, iops=1000)
    with pytest.raises(UsageError, match="RDS in us-east-1 has no mysql on db"):
        cloud.check(with_databases(none))
    made = [call.action for call in proxy.calls if call.parameters.get("DryRun") != "true"]
    assert not [each for each in made if each.startswith("Create")]


@pytest.mark.parametrize(
    ("databases", "said"),
    [
        (
            [replace(MYSQL, size_bytes=41_000 * GIB)],
            "41,000 GiB of databases are needed in us-east-1, and the account may have 40,000",
        ),
        (
            [replace(MYSQL, target=f"db{number}") for number in range(41)],
            "41 databases are needed in us-east-1, and the account may have 40",
        ),
    ],
)
def test_quotas_of_databases_are_asked_before(proxy: Proxy, rds: Rds, databases: list[Database], said: str) -> None:
    with pytest.raises(UsageError) as refused:
        finding.cloud("aws").check(with_databases(*databases))
    assert said in str(refused.value)
    assert "servicequotas/home/services/rds/quotas/L-7" in str(refused.value)
    assert rds.created == {}
    assert left(proxy.moto) == []


def test_what_the_account_has_counts_for_the_quotas_of_databases(proxy: Proxy, rds: Rds) -> None:  # noqa: ARG001
    about = {
        "Engine": "mysql",
        "DBInstanceClass": "db.m6g.large",
        "MasterUsername": "x",
        "MasterUserPassword": "longer",
    }
    own = account(proxy.moto, "rds")
    own.create_db_instance(DBInstanceIdentifier="own", AllocatedStorage=39_900, **about)
    with pytest.raises(UsageError, match=r"may have 40,000, of which 39,900 are in use.*quotas/L-7ADDB58A"):
        finding.cloud("aws").check(with_databases())
    own.modify_db_instance(DBInstanceIdentifier="own", AllocatedStorage=39_800, ApplyImmediately=True)
    finding.cloud("aws").check(with_databases())


def test_a_class_that_caps_its_storage_is_warned_about(rds: Rds) -> None:  # noqa: ARG001
    fast = Database(
        target="db", engine="mysql", type="db.m6g.large", storage="gp3", size_bytes=400 * GIB, iops=14_000,
        throughput=750 * MIB,
    )  # fmt: skip
    [said] = finding.cloud("aws").check(with_databases(fast))
    assert said == "target db: db.m6g.large sustains 3,600 IOPS, fewer than the 14,000 of its storage"


def test_credentials_without_databases_rent_machines(proxy: Proxy, rds: Rds) -> None:
    rds.forbidden |= {"rds:DescribeDBInstances"}
    with renting(finding.cloud("aws"), rental()):
        assert everything(proxy.moto)
    assert left(proxy.moto) == []
    with pytest.raises(CloudError, match="may not rds:DescribeDBInstances"):
        finding.cloud("aws").check(with_databases())


def test_the_policy_grants_every_call(proxy: Proxy, rds: Rds) -> None:  # noqa: ARG001
    cloud = finding.cloud("aws")
    cloud.check(with_databases())
    with renting(cloud, with_databases()) as rented:
        rented.endpoints()
    granted = {action for each in cloud.policy()["Statement"] for action in each["Action"]}
    called = {f"{call.service}:{name(call)}" for call in proxy.calls if call.service in ("rds", "iam", "scheduler")}
    assert called - granted == set()
