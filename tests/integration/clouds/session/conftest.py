"""The command in the emulated cloud: moto behind the proxy, and machines that boot from what is rented there."""

from __future__ import annotations

import pytest
from tests.clouds.fixtures import _proxy, moto_server, proxy
from tests.integration.clouds.host.conftest import cloud, machines_of
from tests.integration.run.conftest import plimsoll

__all__ = ["_proxy", "cloud", "machines_of", "moto_server", "plimsoll", "proxy"]


@pytest.fixture(autouse=True)
def _known_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """No service on the internet tells it here."""
    monkeypatch.setenv("PLIMSOLL_FROM_ADDRESS", "203.0.113.7")
