"""Redis. Durability full: append-only file synced at each write; relaxed: each second; none: nothing is stored."""

from __future__ import annotations

import signal

from plimsoll.run.servers._config import ServerConfig, password

OTHER_NAMES: tuple[str, ...] = ()
PROGRAM = "redis-server"
PLACES = "/usr/bin"
PACKAGE = "redis-server"
USER = "redis"
READY = "Ready to accept connections"
LOG_PREFIX = r"\d+:[A-Za-z-]+ (?:\(\d+\) |\d+ \w{3} \d{4} [\d:.]+ [*#.-] )"
STOP = signal.SIGTERM
BY_NAME = False
DRIVER = "redis"
BASE_BYTES = 16 * 2**20
LOG_BYTES = 0
"""The append-only file holds what was written, and is written anew when it has grown."""

_DURABILITY = {
    "full": {"appendonly": "yes", "appendfsync": "always"},
    "relaxed": {"appendonly": "yes", "appendfsync": "everysec"},
    "none": {"appendonly": "no"},
}


def prepare(config: ServerConfig) -> list[str]:
    """Write the settings; returns the server's command."""
    settings = {
        "bind": "127.0.0.1",
        "port": str(config.port),
        "dir": str(config.folder),
        "save": '""',
        "requirepass": password(),
        "maxclients": "12000",
        **_DURABILITY[config.durability],
        **config.settings,
    }
    lines = "".join(f"{name} {value}\n" for name, value in settings.items())
    return [config.program, str(config.secret_file("redis.conf", lines))]


def url(config: ServerConfig) -> str:
    """Address of the database."""
    return f"redis://127.0.0.1:{config.port}/0"
