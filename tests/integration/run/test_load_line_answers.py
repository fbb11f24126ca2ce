"""The load line of places whose capacity is known: a real PostgreSQL with a lock that it waits for, a capped volume."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from tests.conftest import need_module
from tests.integration.run.conftest import Command
from tests.integration.run.test_databases import need_server
from tests.integration.run.test_databases import place as place  # the fixture
from tests.integration.volumes.conftest import Machine
from tests.integration.volumes.conftest import machine as machine  # the fixture

from plimsoll.run.private_server import PrivateServer, running
from plimsoll.stats.load_line.answer import LoadLine, load_line
from plimsoll.stats.load_line.points import point_of
from plimsoll.store.opening import open_store
from plimsoll.targets.held import held

# Each update sleeps 15 ms beside the others and 5 ms alone: 4 clients keep the lock busy, and more of them wait for it.
SLEEP = """
CREATE FUNCTION work() RETURNS trigger AS $$
BEGIN
    PERFORM pg_sleep(0.015);
    PERFORM pg_advisory_xact_lock(1);
    PERFORM pg_sleep(0.005);
    RETURN NEW;
END $$ LANGUAGE plpgsql;
CREATE TRIGGER work BEFORE UPDATE ON usertable FOR EACH ROW EXECUTE FUNCTION work();
"""


def answers(high: float, *, open_loop: bool = False) -> dict[str, LoadLine]:
    """The load line of each target of the last session."""
    with open_store() as store:
        runs = store.runs([store.sessions()[0].id])
    names = dict.fromkeys(run.target.name for run in runs)
    points = {name: [point_of(run, None) for run in runs if run.target.name == name] for name in names}
    return {name: load_line([p for p in found if p], None, high, open_loop=open_loop) for name, found in points.items()}


def make_it_sleep(server: PrivateServer) -> None:
    import psycopg

    with psycopg.connect(server.url, password=os.environ[server.password_env or ""], autocommit=True) as connection:
        connection.execute(SLEEP)


def test_a_postgresql_has_the_same_knee_again(plimsoll: Command, place: Path) -> None:
    need_server("postgresql")
    need_module("psycopg")
    with held(place) as folder, running("postgresql", folder, "server", "none", {}) as server:
        secret = f"password_env={server.password_env}"
        plimsoll("ycsb", "load", server.url, "-P", "workloada", "-p", f"plimsoll.{secret}")
        make_it_sleep(server)
        updates = ("read=0%", "update=100%", "request=uniform", "data=keep", "records=1000", secret)
        settings = [word for each in (*updates, "runtime=120ms", "warmup=20ms") for word in ("--set", each)]
        targets = ("--on", f"one={server.url},seed=1", "--on", f"two={server.url},seed=2")
        # What is waited for is a lock: nothing of it is stored.
        common = ("--stored", "0s", "--noisy-host", "--seed", "1")
        plimsoll("knee", "ycsb-a", *targets, "--clients", "2..6", *settings, *common)
    found = answers(6)
    one, two = found["one"].bend, found["two"].bend
    assert one is not None
    assert two is not None
    assert one.low <= two.high
    assert two.low <= one.high
    assert all(2 < each.knee < 5 for each in (one, two))
    shutil.rmtree(place / "server")


def test_a_capped_volume_carries_its_cap(plimsoll: Command, machine: Machine) -> None:
    volume = "vol:type=io1,size=100GiB,iops=1000,backing=memory,time_scale=100"
    settings = [word for each in ("size=8MiB", "runtime=400ms", "warmup=50ms") for word in ("--set", each)]
    plimsoll(
        "knee", "randread", "--on", f"here={volume}", "--rate", "500..2000", *settings, "--noisy-host", "--seed", "1"
    )
    line = answers(2000, open_loop=True)["here"]
    assert line.stored_ns == 10_000_000  # a second, a hundred times shorter
    assert line.peak is not None
    assert 0.8 * 1000 < line.peak.throughput.value < 1.1 * 1000
    assert all(level.throughput.value <= line.peak.throughput.value for level in line.levels)
    assert line.bend is not None
    assert line.doubt is None
    assert line.bend.low <= 1000 <= line.bend.high
    assert line.bend.knee <= max(level.load for level in line.levels if not level.overloaded)
    assert line.bracket is not None
    assert line.bracket.low <= 1000 <= line.bracket.high
    assert machine.left() == []
    beyond = [level for level in line.levels if level.load > 1250]
    assert all(level.overloaded for level in beyond)
