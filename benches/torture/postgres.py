"""A PostgreSQL server that holds the store of a round, and can be killed and started again."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from tests.integration.store.postgres import STARTUP_S, _free_port, _other_user, find_programs


@dataclass
class Postgres:
    """One server; what it acknowledged survives its death."""

    folder: Path
    programs: Path
    become: list[str]
    port: int
    process: subprocess.Popen[bytes] | None = None

    @classmethod
    @contextmanager
    def running(cls, folder: Path, later: Callable[[Callable[[], None]], None]) -> Iterator[Postgres]:
        """A fresh server; `later` takes what ends and removes it."""
        programs = find_programs()
        assert programs is not None, "PostgreSQL is not installed"
        folder.mkdir()
        server = cls(folder, programs, _other_user(folder), _free_port())
        later(server.away)
        initdb = [str(programs / "initdb"), "--pgdata", str(folder / "data"), "--username=plimsoll", "--auth=trust"]
        words = [*server.become, *initdb, "--no-sync", "--encoding=UTF8", "--locale=C"]
        subprocess.run(words, check=True, capture_output=True, cwd=folder)
        server.start()
        yield server

    def start(self) -> None:
        """Start it on the data that are there, and wait until it answers."""
        options = {"listen_addresses": "127.0.0.1", "port": self.port, "unix_socket_directories": ""}
        words = [word for name, value in options.items() for word in ("-c", f"{name}={value}")]
        command = [*self.become, str(self.programs / "postgres"), "-D", str(self.folder / "data"), *words]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder)
        deadline = time.monotonic() + STARTUP_S
        while True:
            try:
                self._connect().close()
                return
            except psycopg.OperationalError:
                ended = self.process.poll() is not None or time.monotonic() > deadline
                assert not ended, (self.folder / "log").read_text()
                time.sleep(0.05)

    def kill(self) -> None:
        """As a crash of the server: every process of it at once."""
        assert self.process is not None
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        for number in (self.process.pid, *map(int, children)):
            try:
                os.kill(number, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self.process.wait()
        (self.folder / "data/postmaster.pid").unlink(missing_ok=True)

    def _connect(self) -> psycopg.Connection:
        words = f"host=127.0.0.1 port={self.port} user=plimsoll dbname=postgres"
        return psycopg.connect(words, autocommit=True)

    def new_database(self) -> str:
        """URL of an empty database."""
        name = f"store_{secrets.token_hex(6)}"
        with self._connect() as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
        return f"postgresql://plimsoll@127.0.0.1:{self.port}/{name}"

    def away(self) -> None:
        """End it, and remove its data."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait(timeout=STARTUP_S)
        shutil.rmtree(self.folder, ignore_errors=True)
