"""Databases that are spoken to in TLS: encrypted, verified, and refused for a certificate that nobody vouches for."""

from __future__ import annotations

import shutil
import socket
from pathlib import Path

import pytest
from tests.certificates import certificate
from tests.integration.run.test_databases import need_server
from tests.integration.run.test_databases import place as place  # the fixture

from plimsoll.errors import NothingMeasured
from plimsoll.frontends.ycsb.app import run
from plimsoll.run.private_server import running
from plimsoll.store.opening import open_store
from plimsoll.targets.held import held


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.parametrize("name", ["mariadb", "redis"])
def test_connections_are_encrypted_and_verified(place: Path, tmp_path: Path, name: str) -> None:
    need_server(name)
    made, key = certificate(tmp_path / "tls")
    port = str(free_port())
    settings = {
        "mariadb": {"ssl-cert": str(made), "ssl-key": str(key), "require-secure-transport": "ON"},
        "redis": {
            "tls-port": port,
            "tls-cert-file": str(made),
            "tls-key-file": str(key),
            "tls-ca-cert-file": str(made),
            "tls-auth-clients": "no",
        },
    }[name]
    with held(place) as folder, running(name, folder, "server", "none", settings) as server:
        address = server.url if name == "mariadb" else f"redis://127.0.0.1:{port}/0"

        def measure(tls: str, *more: str) -> int:
            small = ("-P", "workloada", "-p", "recordcount=50", "-p", "operationcount=50", "--reuse", *more)
            own = {"password_env": server.password_env, "tls": tls, "give_up": "2s"}
            settings = [word for item in own.items() for word in ("-p", "plimsoll.{}={}".format(*item))]
            return run(("run", address, *small, *settings), open_store, lambda _sentence: None)

        assert measure("require") == 0
        assert measure("verify", "-p", f"plimsoll.ca_file={made}") == 0
        with pytest.raises(NothingMeasured, match=r"certificate|TLS"):
            measure("verify")
        with pytest.raises(NothingMeasured):
            measure("off")
    shutil.rmtree(place / "server")
