"""Client machines of rented databases, and what a rented database is as a wish and as a measured target."""

from __future__ import annotations

from pathlib import Path

import pytest

from plimsoll.clouds import databases
from plimsoll.clouds.clients import check, clients
from plimsoll.clouds.wanted import Machine
from plimsoll.errors import PlimsollError
from plimsoll.targets.parse import parse_target
from plimsoll.targets.rented_database import PASSWORD_ENV, planned_address
from plimsoll.units import GIB, MIB

DB = parse_target("db=aws-rds:mysql,class=db.m6g.large,storage=io1,size=200GiB,iops=1000,clients=8")


def test_client_machines_are_numbered() -> None:
    assert clients("aws:m7i.large,count=2") == (
        "aws",
        (Machine(name="client1", type="m7i.large"), Machine(name="client2", type="m7i.large")),
    )
    assert [each.name for each in clients("aws:m7i.large")[1]] == ["client1"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("m7i.large", "write PROVIDER:INSTANCE,count=N"),
        ("aws:count=2", "write PROVIDER:INSTANCE,count=N"),
        ("aws:m7i.large,count=0", "count=0 must be 1 to 64"),
        ("aws:m7i.large,count=many", "count=many must be 1 to 64"),
        ("aws:m7i.large,size=2", "'size=2' is not an option"),
        ("aws:m7i.larg", "did you mean"),
        ("azur:m7i.large", "no provider of databases named 'azur'"),
    ],
)
def test_what_names_no_machines_is_refused(text: str, said: str) -> None:
    with pytest.raises(PlimsollError) as caught:
        clients(text)
    assert said in str(caught.value)
    assert "--clients-on" in str(caught.value)


def test_databases_and_clients_need_each_other() -> None:
    check((DB,), "aws:m7i.large,count=4")
    check((parse_target("/mnt"),), None)
    with pytest.raises(PlimsollError, match="add --clients-on"):
        check((DB,), None)
    with pytest.raises(PlimsollError, match="no target is a rented database"):
        check((parse_target("/mnt"),), "aws:m7i.large")


def test_a_database_is_wanted_as_it_is_written_and_priced_as_it_is_wanted() -> None:
    [wanted] = databases.wanted([DB, parse_target("/mnt")])
    assert (wanted.target, wanted.engine, wanted.type, wanted.storage) == ("db", "mysql", "db.m6g.large", "io1")
    assert (wanted.size_bytes, wanted.iops, wanted.throughput) == (200 * GIB, 1000, None)
    fast = parse_target("pg=aws-rds:postgres,class=db.t3.large,storage=gp3,size=400GiB,iops=14000,throughput=750MiB")
    [wanted] = databases.wanted([fast])
    assert wanted.throughput == 750 * MIB
    assert databases.shape_of("aws", wanted).summary == "PostgreSQL on db.t3.large, gp3 400 GiB, 14,000 IOPS, 750 MiB/s"


def test_its_plan_knows_what_its_driver_is_told() -> None:
    assert DB.options == {"password_env": PASSWORD_ENV, "clients": "8"}
    postgres = parse_target("pg=aws-rds:postgres,class=db.t3.large,storage=gp3,size=20GiB")
    assert postgres.options == {"password_env": PASSWORD_ENV, "tls": "require"}
    assert planned_address(postgres) == "postgresql://plimsoll@rented.invalid:5432/plimsoll"


def test_a_password_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    first = databases.password(tmp_path)
    assert databases.password(tmp_path) == first
    assert (tmp_path / databases.PASSWORD_FILE).stat().st_mode & 0o777 == 0o600
    assert 8 <= len(first) <= 41
    assert not set(first) & set("/\"@ '")
