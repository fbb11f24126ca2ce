"""MariaDB with InnoDB. Durability full: innodb_flush_log_at_trx_commit 1; relaxed: 2; none: 0 without doublewrite."""

from __future__ import annotations

import signal

from plimsoll.run.servers._config import USER_NAME, ServerConfig, password

OTHER_NAMES = ("mysql",)
PROGRAM = "mariadbd"
PLACES = "/usr/sbin"
PACKAGE = "mariadb-server"
USER = "mysql"
READY = "ready for connections"
LOG_PREFIX = r"[\d-]+ +[\d:]+ (?:\d+ )?(?=\[)"
STOP = signal.SIGTERM
BY_NAME = True
"""It asks for the name of its folder, and goes to some of its files by that."""
DRIVER = "mysql"
BASE_BYTES = 160 * 2**20
"""System tables, undo, and the redo log, which is made as a whole."""
LOG_BYTES = 0

_DATABASE = "plimsoll"
_DURABILITY = {
    "full": {"innodb_flush_log_at_trx_commit": "1"},
    "relaxed": {"innodb_flush_log_at_trx_commit": "2"},
    "none": {"innodb_flush_log_at_trx_commit": "0", "innodb_doublewrite": "0"},
}


def prepare(config: ServerConfig) -> list[str]:
    """Make the system tables; returns the server's command."""
    data = config.folder / "data"
    options = ["--no-defaults", f"--datadir={data}", "--auth-root-authentication-method=normal", "--skip-test-db"]
    config.run("mariadb-install-db", *options)
    start = config.secret_file(
        "start.sql",
        f"CREATE DATABASE IF NOT EXISTS {_DATABASE};\n"
        f"CREATE USER IF NOT EXISTS {USER_NAME}@'127.0.0.1' IDENTIFIED BY '{password()}';\n"
        f"GRANT ALL ON *.* TO {USER_NAME}@'127.0.0.1';\n"
        "DROP USER IF EXISTS root@localhost;\n",
    )
    settings = {
        "datadir": str(data),
        "bind-address": "127.0.0.1",
        "port": str(config.port),
        "socket": str(config.folder / "s"),
        "pid-file": str(config.folder / "pid"),
        "init-file": str(start),
        "skip-name-resolve": "1",
        "max_connections": "1200",
        # Written by name at its end, and of no use to a server that never starts again.
        "innodb_buffer_pool_dump_at_shutdown": "0",
        "innodb_buffer_pool_load_at_startup": "0",
        **_DURABILITY[config.durability],
        **config.settings,
    }
    return [config.program, "--no-defaults", *(f"--{name}={value}" for name, value in settings.items())]


def url(config: ServerConfig) -> str:
    """Address of the database."""
    return f"mysql://{USER_NAME}@127.0.0.1:{config.port}/{_DATABASE}"
