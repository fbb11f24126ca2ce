"""The whole way of a rented database: the command, client machines over SSH, what they measure, an empty account."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.clouds.machines import Machines
from tests.clouds.proxy import Proxy
from tests.clouds.rds import Created, emulated
from tests.clouds.rds_server import MariaDb
from tests.conftest import need_program
from tests.integration.clouds.rds.test_renting import left
from tests.integration.clouds.session.test_session import files
from tests.integration.run.conftest import Command

from plimsoll.targets.rented_database import PASSWORD_ENV

DB = "db=aws-rds:mysql,class=db.m5.large,storage=io1,size=200GiB,iops=1000"


@pytest.mark.slow
def test_a_rented_database_is_measured_by_its_clients_and_given_back(
    plimsoll: Command, cloud: Machines, proxy: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need_program("mariadbd")
    monkeypatch.setenv("PLIMSOLL_FROM_ADDRESS", "203.0.113.7")
    secrets = []

    def server(created: Created) -> MariaDb:
        secrets.append(created.parameters["MasterUserPassword"])
        return MariaDb(created, cloud.gateway, tmp_path / created.identifier).start()

    with emulated(proxy, server):
        answer = plimsoll(
            "run", "ycsb-a", f"--on={DB}", "--clients-on=aws:m7i.large,count=2", "--quick-sizes", "--blocks=1",
            "--set=clients=4", "--budget=5USD", "--noisy-host",
        )  # fmt: skip
    assert left(proxy.moto) == []
    assert cloud.running == []
    assert "1 of 1 run valid" in answer.out
    assert "MySQL on db.m5.large, io1 200 GiB" in answer.out
    shown = plimsoll("show", "--json").out
    assert "client2" in shown
    assert PASSWORD_ENV in shown
    for text in (answer.out, answer.err, shown, *(each.read_text(errors="replace") for each in files(tmp_path))):
        assert secrets[0] not in text
