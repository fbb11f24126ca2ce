"""What cannot be an address of a database is refused before anything is written: no server is needed to know it."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from plimsoll.errors import TargetError
from plimsoll.model import Plan, Target
from plimsoll.parameters import defaults
from plimsoll.run.workloads import db

WRONG = {
    "sqlite:relative.db": "sqlite: and the absolute path of a file",
    "sqlite:/no/such/folder/x.db": "there is no folder for the SQLite database /no/such/folder/x.db",
    "postgresql://me@127.0.0.1:99999/x": "the port in the URL is not a number from 1 to 65535",
    "postgresql://me@127.0.0.1/x?sslmode=require": 'unknown parameter "sslmode"',
    "mysql://me@127.0.0.1": "the URL names no database",
    "redis://127.0.0.1/shop": "the path of a Redis URL is the number of a database",
}


def plan(workload: str = "ycsb", **parameters: Any) -> Plan:
    values = {**defaults(workload), "server": "none", **parameters}
    return Plan(test="t", case="t", workload=workload, parameters=values, metrics=("operation_rate",))


@pytest.mark.parametrize("address", WRONG)
def test_a_wrong_address_is_refused_before_anything_runs(address: str) -> None:
    with pytest.raises(TargetError) as refused:
        db.check_place(plan(), Target(name="a", kind="database", where=address), ())
    assert WRONG[address] in str(refused.value)
    assert str(refused.value).startswith("target a, test t: ")


def test_a_password_that_is_not_set_and_encryption_that_the_address_rules_out_are_refused() -> None:
    there = Target(name="a", kind="database", where="postgresql://me@127.0.0.1/x")
    with pytest.raises(TargetError, match="environment variable NOT_SET_HERE, which should hold the password, is not"):
        db.check_place(plan(password_env="NOT_SET_HERE"), there, ())
    page = Target(name="a", kind="database", where="https://127.0.0.1/")
    with pytest.raises(TargetError, match="https:// needs the TLS mode require or verify"):
        db.check_place(plan("web"), page, ())


def test_a_server_that_is_away_may_come_back_before_the_runs() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    for address in (f"postgresql://me@127.0.0.1:{port}/x", f"redis://127.0.0.1:{port}/0"):
        db.check_place(plan(), Target(name="a", kind="database", where=address), ())
    db.check_place(plan("web"), Target(name="a", kind="database", where="http://no.such.host.invalid/"), ())
