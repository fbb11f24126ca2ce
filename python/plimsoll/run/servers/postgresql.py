"""PostgreSQL. Durability full: fsync and synchronous_commit on; relaxed: synchronous_commit off; none: fsync off."""

from __future__ import annotations

import signal
from pathlib import Path

from plimsoll.run.servers._config import USER_NAME, ServerConfig, password

OTHER_NAMES = ("postgres", "pg")
PROGRAM = "postgres"
PLACES = "/usr/lib/postgresql/*/bin"
PACKAGE = "postgresql"
USER = "postgres"
READY = "database system is ready to accept connections"
LOG_PREFIX = r"[\d-]+ [\d:.]+ [A-Z]+ \[\d+\] "
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


def prepare(config: ServerConfig) -> list[str]:
    """Make the cluster; returns the server's command."""
    data = config.folder / "data"
    secret = config.secret_file("password", password())
    initdb = str(Path(config.program).parent / "initdb")
    options = [f"--username={USER_NAME}", f"--pwfile={secret}", "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C"]
    config.run(initdb, f"--pgdata={data}", *options)
    secret.unlink()
    settings = {
        "listen_addresses": "127.0.0.1",
        "port": str(config.port),
        "unix_socket_directories": "",
        "max_connections": "1200",
        **_DURABILITY[config.durability],
        **config.settings,
    }
    return [config.program, "-D", str(data), *(word for item in settings.items() for word in ("-c", "=".join(item)))]


def url(config: ServerConfig) -> str:
    """Address of the database."""
    return f"postgresql://{USER_NAME}@127.0.0.1:{config.port}/postgres"
