"""A command that rents a database is killed with -9: its session goes on with that database and its clients."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.clouds.machines import Machines
from tests.clouds.proxy import Proxy
from tests.integration.clouds.rds.test_renting import left
from tests.integration.clouds.rds.test_session import BRIEF, ON
from tests.integration.clouds.session.test_resuming import killed
from tests.integration.clouds.session.test_session import files
from tests.integration.run.conftest import Command

from plimsoll.model import RENTED
from plimsoll.store.opening import open_store


@pytest.mark.slow
def test_a_killed_session_goes_on_with_its_database(
    plimsoll: Command, database: list[str], cloud: Machines, proxy: Proxy, tmp_path: Path
) -> None:
    killed(tmp_path, "block 1", "run", "ycsb-a", *ON, *BRIEF, "--repeats=3", "--set=clients=4")
    listed = plimsoll("list", "sessions", "--json")
    (session,) = [row["session"] for row in listed.json]
    assert f"is kept for session {session}" in listed.err
    assert len(cloud.running) == 2, "the clients"

    answer = plimsoll("run", "--resume")
    assert "going on with rental " in answer.err
    assert left(proxy.moto) == []
    assert cloud.running == []
    assert proxy.actions().count("CreateDBInstance") == 1, "nothing is rented again"
    assert len(database) == 1
    assert [each["state"] for each in plimsoll("list", "sessions", "--json").json] == ["done"]
    with open_store() as store:
        runs = store.runs([store.find_session(session).id])
    assert {run.block for run in runs} == {0, 1, 2}
    assert {run.status.value for run in runs} == {"ok"}, [run.reason for run in runs]
    assert len({run.target.facts[RENTED]["database"] for run in runs}) == 1, "the same database"
    for text in (answer.out, answer.err, *(each.read_text(errors="replace") for each in files(tmp_path))):
        assert database[0] not in text
