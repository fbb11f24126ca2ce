"""Rented databases: servers of this machine in the place of the account's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.clouds.fixtures import _proxy, moto_server, proxy
from tests.clouds.machines import Machines
from tests.clouds.proxy import Proxy
from tests.clouds.rds import Created, emulated
from tests.clouds.rds_server import MariaDb
from tests.conftest import need_program
from tests.integration.clouds.host.conftest import cloud, machines_of
from tests.integration.clouds.rds.test_renting import left
from tests.integration.run.conftest import plimsoll

__all__ = ["_proxy", "cloud", "machines_of", "moto_server", "plimsoll", "proxy"]


@pytest.fixture
def database(cloud: Machines, proxy: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Databases of the account are servers here; the passwords of all that were made."""
    need_program("mariadbd")
    monkeypatch.setenv("PLIMSOLL_FROM_ADDRESS", "203.0.113.7")
    secrets: list[str] = []

    def server(created: Created) -> MariaDb:
        secrets.append(created.parameters["MasterUserPassword"])
        return MariaDb(created, cloud.gateway, tmp_path / created.identifier).start()

    with emulated(proxy, server):
        yield secrets
    assert left(proxy.moto) == []
    assert cloud.running == []
