"""PostgreSQL. Durability full: fsync and synchronous_commit on; relaxed: synchronous_commit off; none: fsync off."""

from __future__ import annotations

import signal
from pathlib import Path

from plimsoll.run.servers._ground import USER_NAME, Ground, password

PROGRAM = "postgres"
PLACES = "/usr/lib/postgresql/*/bin"
PACKAGE = "postgresql"
USER = "postgres"
READY = "database system is ready to accept connections"
STOP = signal.SIGINT
BY_NAME = False
DRIVER = "postgresql"
BASE_BYTES = 64 * 2**20
"""Empty cluster and the first files of its log."""
LOG_BYTES = 2**30
"""The log that it may keep (max_wal_size)."""

_DURABILITY = {
    "full": {"fsync": "on", "synchronous_commit": "on"},
    "relaxed": {"fsync": "on", "synchronous_commit": "off"},
    "none": {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"},
}


def prepare(ground: Ground) -> list[str]:
    """Make the cluster; returns the server's command."""
    data = ground.folder / "data"
    secret = ground.secret_file("password", password())
    initdb = str(Path(ground.program).parent / "initdb")
    options = [f"--username={USER_NAME}", f"--pwfile={secret}", "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C"]
    ground.run(initdb, f"--pgdata={data}", *options)
    secret.unlink()
    settings = {
        "listen_addresses": "127.0.0.1",
        "port": str(ground.port),
        "unix_socket_directories": "",
        "max_connections": "1200",
        **_DURABILITY[ground.durability],
        **ground.settings,
    }
    return [ground.program, "-D", str(data), *(word for item in settings.items() for word in ("-c", "=".join(item)))]


def url(ground: Ground) -> str:
    """Address of the database."""
    return f"postgresql://{USER_NAME}@127.0.0.1:{ground.port}/postgres"
