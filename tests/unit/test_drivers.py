"""What the core declares of its drivers reaches everything in Python that has to know them."""

from __future__ import annotations

import pytest

from plimsoll.drivers import drivers, server_called, server_driver, servers, servers_for, works_in_client
from plimsoll.parameters import parameter
from plimsoll.targets.database import is_address, is_embedded


def test_every_server_has_a_driver_and_is_a_choice_of_the_parameter() -> None:
    assert parameter("ycsb", "server").choices == ("none", *servers())
    assert {server_driver(server).name for server in servers()} == set(drivers())
    assert [server for server in servers() if server_driver(server).server] == list(servers()[: -len(_embedded())])


def _embedded() -> list[str]:
    return [name for name, driver in drivers().items() if not driver.server]


@pytest.mark.parametrize(
    ("workload", "some", "none"),
    [("ycsb", "redis", "nginx"), ("tpcb", "sqlite", "redis"), ("web", "nginx", "postgresql")],
)
def test_a_server_runs_what_its_driver_runs(workload: str, some: str, none: str) -> None:
    assert some in servers_for(workload)
    assert none not in servers_for(workload)


def test_embedded_databases_say_their_place_and_durability() -> None:
    assert drivers()["sqlite"].below("/tmp/x") == "sqlite:/tmp/x/database.db"
    assert drivers()["memory"].below("/tmp/x") == ""
    assert drivers()["rocksdb"].durability["none"] == {"sync": "false", "disableWAL": "true"}
    assert not drivers()["postgresql"].durability


@pytest.mark.parametrize(
    ("said", "server"),
    [("pg", "postgresql"), ("sqlite3", "sqlite"), ("Redis", "redis"), ("oracle", "oracle"), ("http", "http")],
)
def test_a_server_goes_by_its_names_and_an_unknown_one_stays_as_it_is(said: str, server: str) -> None:
    assert server_called(said) == server


@pytest.mark.parametrize(
    ("where", "address", "embedded"),
    [
        ("redis://h/0", True, False),
        ("sqlite:/x.db", True, True),
        ("sqlite3:/x.db", True, True),
        ("memory://", True, False),
        ("memory:x", False, False),
        ("vol:type=gp3", False, False),
        ("vol://x", False, False),
        ("/mnt/x", False, False),
        ("./redis:1", False, False),
    ],
)
def test_addresses_are_told_from_paths(where: str, address: bool, embedded: bool) -> None:
    assert (is_address(where), is_embedded(where)) == (address, embedded)


@pytest.mark.parametrize(
    ("server", "where", "inside"),
    [
        ("sqlite", "/mnt", True),
        ("redis", "/mnt", False),
        ("none", "rocksdb:/x", True),
        ("none", "redis://h", False),
        ("none", "/mnt", False),
    ],
)
def test_what_works_in_the_client(server: str, where: str, inside: bool) -> None:
    assert works_in_client(server, where) is inside
