"""The load line of a rented database with 1 to 4 client machines: the shape that an article of 2013 found on RDS."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.clouds.clients import network, workers
from tests.clouds.proxy import Proxy
from tests.clouds.rds import Created, emulated
from tests.clouds.rds_server import MariaDb
from tests.conftest import need_module, need_program, need_root
from tests.integration.clouds.rds.test_renting import left, with_databases
from tests.integration.run import starter

from plimsoll.clouds import finding
from plimsoll.clouds.rent import renting
from plimsoll.cluster import machines_of
from plimsoll.model import Run, RunStatus
from plimsoll.store.opening import open_store
from plimsoll.targets.rented_database import PASSWORD_ENV
from plimsoll.volumes import registry

MACHINES = (1, 2, 3, 4)
OFFERED = 70
"""Operations per second that each client machine asks for: three of them need about 1,000 IOPS."""
SET = ("records=10000", "request=uniform", "runtime=5s", "warmup=1s")


@pytest.mark.slow
def test_three_client_machines_saturate_a_thousand_iops(proxy: Proxy, tmp_path: Path) -> None:
    need_root()
    need_module("distributed")
    for program in ("ip", "mariadbd", "mkfs.ext4"):
        need_program(program)
    servers: list[MariaDb] = []

    def server(created: Created) -> MariaDb:
        servers.append(MariaDb(created, gateway, tmp_path / created.identifier).start())
        return servers[-1]

    with network(len(MACHINES)) as (gateway, spaces), emulated(proxy, server):
        with renting(finding.cloud("aws"), with_databases()) as rented:
            [endpoint] = rented.endpoints()
            secret = endpoint.password_file.read_text()
            place = f"@*:{endpoint.address},password_env={PASSWORD_ENV}"
            with workers(gateway, spaces, tmp_path) as address:
                with machines_of(address) as machines:
                    machines.keep_secret(PASSWORD_ENV, secret)
                told = [measured(place, address, tmp_path, ["load=,clients=4"], "runtime=1s")]
                servers[0].limit()
                own = [f"c{count}=,clients={count},rate={count * OFFERED}" for count in MACHINES]
                told.append(measured(place, address, tmp_path, own))
        runs = line()
    assert left(proxy.moto) == []
    assert registry.volumes() == []
    assert all(secret.encode() not in text for text in (*map(str.encode, told), *stored(tmp_path)))

    rate = {count: score(run, "operation_rate") for count, run in runs.items()}
    assert {count: len(run.facts.get("parts", "1")) for count, run in runs.items()} == {each: each for each in MACHINES}
    # Each machine more brings as much more, up to the third; the fourth brings next to nothing but latency.
    assert rate[2] / rate[1] == pytest.approx(2, rel=0.1)
    assert rate[3] / rate[1] == pytest.approx(3, rel=0.2)
    assert rate[4] / rate[3] < 1.2
    waited = {count: middle(run) for count, run in runs.items()}
    assert waited[4] > 10 * waited[2]


def measured(place: str, cluster: str, folder: Path, own: Sequence[str], *settings: str) -> str:
    """One session; what the command printed."""
    named = (each.partition("=,") for each in own)
    on = [f"--on={name}={place},{rest}" for name, _, rest in named]
    words = ["run", "ycsb-a", *on, *(f"--set={each}" for each in (*SET, *settings))]
    words += ["--cluster", cluster, "--blocks=1", "--noisy-host", "--interleave=blocks"]
    done = starter.run(words, folder, {**os.environ})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def line() -> dict[int, Run]:
    """The runs of the last session by the number of client machines."""
    with open_store() as store:
        last = store.last_session()
        found = store.runs([last.id]) if last else []
    assert [run.status for run in found] == [RunStatus.OK] * len(MACHINES), [run.reason for run in found]
    return {int(run.target.name[1:]): run for run in found}


def score(run: Run, metric: str) -> float:
    return next(each.value for each in run.scores if each.metric == metric)


def middle(run: Run) -> float:
    """The median over the seconds of the run of what half of the updates took at most."""
    each = sorted(one.operations["update"].p50_ns for one in run.intervals if "update" in one.operations)
    return each[len(each) // 2]


def stored(home: Path) -> list[bytes]:
    """All files that Plimsoll has written, but for what the emulated database keeps."""
    return [file.read_bytes() for file in home.rglob("*") if file.is_file() and "plimsoll-" not in str(file.parent)]
