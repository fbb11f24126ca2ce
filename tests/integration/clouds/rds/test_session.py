"""The whole way of a rented database: the command, client machines over SSH, what they measure, an empty account."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.clouds.proxy import Proxy
from tests.integration.clouds.rds.test_renting import left
from tests.integration.clouds.session.test_session import files
from tests.integration.run.conftest import Command

from plimsoll.model import RENTED
from plimsoll.store.opening import open_store
from plimsoll.targets.rented_database import PASSWORD_ENV

DB = "--on=db=aws-rds:mysql,class=db.m5.large,storage=io1,size=200GiB,iops=1000"
ON = (DB, "--clients-on=aws:m7i.large,count=2", "--budget=5USD")
BRIEF = ("--quick-sizes", "--noisy-host")


@pytest.mark.slow
def test_a_rented_database_is_measured_by_its_clients_and_given_back(
    plimsoll: Command, database: list[str], proxy: Proxy, tmp_path: Path
) -> None:
    answer = plimsoll("run", "ycsb-a", *ON, *BRIEF, "--blocks=1", "--set=clients=4")
    assert left(proxy.moto) == []
    assert "1 of 1 run valid" in answer.out
    assert "MySQL on db.m5.large, io1 200 GiB" in answer.out
    shown = plimsoll("show", "--json").out
    assert "client2" in shown
    assert PASSWORD_ENV in shown
    for text in (answer.out, answer.err, shown, *(each.read_text(errors="replace") for each in files(tmp_path))):
        assert database[0] not in text


@pytest.mark.slow
def test_the_load_line_of_a_rented_database_is_searched(
    plimsoll: Command, database: list[str], proxy: Proxy, tmp_path: Path
) -> None:
    answer = plimsoll("knee", "ycsb-a", *ON, *BRIEF, "--clients=1..4", "--slo=p99<1s", "--stored=0s")
    assert left(proxy.moto) == []
    assert len(database) == 1
    assert "Rented for" in answer.out
    assert "MySQL on db.m5.large, io1 200 GiB" in answer.out
    with open_store() as store:
        (session,) = store.sessions()
        runs = store.runs([session.id])
    assert {run.status.value for run in runs} == {"ok"}, [run.reason for run in runs]
    assert len({run.facts["load_line"]["load"] for run in runs}) >= 3
    for text in (answer.out, answer.err, *(each.read_text(errors="replace") for each in files(tmp_path))):
        assert database[0] not in text


@pytest.mark.slow
def test_a_database_is_rented_afresh_for_each_allocation(plimsoll: Command, database: list[str], proxy: Proxy) -> None:
    answer = plimsoll("run", "ycsb-a", *ON, *BRIEF, "--allocations=2", "--repeats=1", "--set=clients=4")
    assert left(proxy.moto) == []
    assert len(set(database)) == 2, "each has a password of its own"
    assert "allocation 2 of at most 2" in answer.err
    assert "2 rentals, one after the other" in answer.out
    with open_store() as store:
        runs = store.runs([each.id for each in store.sessions()])
    assert [run.status.value for run in runs] == ["ok", "ok"]
    assert len({run.target.facts[RENTED]["database"] for run in runs}) == 2
