"""A private PostgreSQL server for tests: its own data, user, port and end."""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import psycopg

PASSWORD = "s3cr3t%/word"
STARTUP_S = 120


@dataclass(frozen=True)
class PostgresServer:
    """A server on loopback that asks for a password."""

    port: int
    command: tuple[str, ...]
    log: Path
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self) -> None:
        """Start it, again too: on the same port, with the same data."""
        with self.log.open("ab") as output:
            self.processes.append(subprocess.Popen(self.command, stdout=output, stderr=output, cwd=self.log.parent))
        _wait(self, self.processes[-1])

    def stop(self, number: signal.Signals = signal.SIGINT) -> None:
        """Stop it, if it runs; SIGINT is its fast shutdown, which ends all sessions."""
        for process in self.processes:
            process.send_signal(number)
            process.wait(timeout=STARTUP_S)
        self.processes.clear()

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """The server with all its processes, stopped in their tracks."""
        every = [each for one in self.processes for each in (psutil.Process(one.pid), *_children(one.pid))]
        for each in every:
            each.suspend()
        try:
            yield
        finally:
            for each in every:
                each.resume()

    def url(self, database: str, password: str = "s3cr3t%25%2Fword") -> str:
        return f"postgresql://plimsoll:{password}@127.0.0.1:{self.port}/{database}"

    def connect(self, database: str = "postgres") -> psycopg.Connection:
        return psycopg.connect(
            host="127.0.0.1", port=self.port, user="plimsoll", password=PASSWORD, dbname=database, autocommit=True
        )

    def new_database(self) -> str:
        """URL of an empty database."""
        name = f"store_{secrets.token_hex(6)}"
        with self.connect() as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
        return self.url(name)


def _children(pid: int) -> list[psutil.Process]:
    return list(psutil.Process(pid).children(recursive=True))


def find_programs() -> Path | None:
    """The folder of Debian's newest server programs."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[4]))
    return found[-1].parent if found else None


@contextmanager
def running(programs: Path) -> Iterator[PostgresServer]:
    """A fresh server; stopped and removed at the end. As root it runs as another user, as PostgreSQL demands."""
    folder = Path(tempfile.mkdtemp(prefix="plimsoll-postgres-"))
    try:
        become = _other_user(folder)
        data, secret, log = folder / "data", folder / "password", folder / "log"
        secret.write_text(PASSWORD)
        secret.chmod(0o644)
        initdb = [programs / "initdb", "--pgdata", data, "--username=plimsoll", f"--pwfile={secret}"]
        settings = ["--auth=scram-sha-256", "--no-sync", "--encoding=UTF8", "--locale=C"]
        subprocess.run([*become, *map(str, initdb), *settings], check=True, capture_output=True, cwd=folder)
        port = _free_port()
        options = {"listen_addresses": "127.0.0.1", "port": port, "unix_socket_directories": "", "fsync": "off"}
        words = [word for name, value in options.items() for word in ("-c", f"{name}={value}")]
        server = PostgresServer(port, (*become, str(programs / "postgres"), "-D", str(data), *words), log)
        server.start()
        try:
            yield server
        finally:
            # SIGQUIT is PostgreSQL's immediate shutdown: nothing of these data is needed again.
            server.stop(signal.SIGQUIT)
    finally:
        shutil.rmtree(folder)


def _other_user(folder: Path) -> list[str]:
    if os.geteuid() != 0:
        return []
    names = {entry.pw_name for entry in pwd.getpwall()}
    user = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
    os.chown(folder, user.pw_uid, user.pw_gid)
    return ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait(server: PostgresServer, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + STARTUP_S
    while time.monotonic() < deadline:
        assert process.poll() is None, f"PostgreSQL ended: {server.log.read_text()}"
        try:
            server.connect().close()
            return
        except psycopg.OperationalError:
            time.sleep(0.1)
    raise AssertionError(f"PostgreSQL does not answer: {server.log.read_text()}")
