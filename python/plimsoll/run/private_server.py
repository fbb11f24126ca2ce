"""Starts a private server in a folder, waits until it answers, and ends it whatever happens.

The kernel tells the server to end when this process dies (`PR_SET_PDEATHSIG`), so that not even `kill -9` leaves it
behind; its folder is then removed by the next command, like everything a session leaves.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import stat
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType

from plimsoll.drivers import PRIVATE_SERVERS, drivers
from plimsoll.errors import NotStarted, TargetError
from plimsoll.run.servers._config import PASSWORD_ENV, ServerConfig
from plimsoll.run.servers._log_line import useful_line
from plimsoll.targets.held import HeldFolder, make_file, make_folder, readable

STARTUP_S = 60
ENDING_S = 30


@dataclass(frozen=True)
class PrivateServer:
    """A server that answers."""

    driver: str
    url: str
    password_env: str | None
    ended: Callable[[], str | None] = lambda: None
    """How a private server has ended by itself, as what follows its name; None while it runs."""
    log_bytes: Callable[[], int] = lambda: 0
    """Length of a private server's log."""
    said: Callable[[int], str] = lambda _since: ""
    """The useful line of the log from a byte on; empty where there is none."""


def kind(name: str) -> ModuleType:
    """The module of a server."""
    return import_module(f"{PRIVATE_SERVERS}.{name}")


def find_program(name: str) -> str:
    """Path of a server's program, the newest where there are several. Raises TargetError with what to install."""
    server = kind(name)
    places = sorted(Path("/").glob(server.PLACES.lstrip("/")), key=lambda path: [len(str(path)), str(path)])
    found = [str(place / server.PROGRAM) for place in places if os.access(place / server.PROGRAM, os.X_OK)]
    program = found[-1] if found else shutil.which(server.PROGRAM)
    if program is None:
        raise TargetError(
            f"server={name} needs {server.PROGRAM}, which is not installed here (Debian: {server.PACKAGE}); install "
            "it, or give the address of a running server as the target"
        )
    return program


@contextmanager
def running(
    name: str, place: HeldFolder, key: str, durability: str, settings: Mapping[str, str], page_bytes: int = 0
) -> Iterator[PrivateServer]:
    """A fresh server with its data in the new folder `key` of `place`; raises NotStarted if it does not start.

    The server gets its folder as an open descriptor: whoever renames a folder above leads it nowhere else.
    """
    server = kind(name)
    program = find_program(name)
    with ExitStack() as stack:
        folder = make_folder(place, key)
        stack.callback(os.close, folder.descriptor)
        become = _become(server, place, folder)
        config = ServerConfig(program, folder, _free_port(), durability, settings, become, page_bytes)
        command = server.prepare(config)
        log = make_file(folder, "log")
        stack.callback(os.close, log)
        process = subprocess.Popen(
            [*become, *command],
            stdout=log,
            stderr=log,
            cwd=config.folder,
            env=config.environment,
            pass_fds=[folder.descriptor],
            start_new_session=True,
        )
        stack.callback(_end, process, server.STOP)
        _wait(process, config.port, server, log, name)
        password_env = PASSWORD_ENV if drivers()[server.DRIVER].passwords else None
        yield PrivateServer(
            server.DRIVER,
            server.url(config),
            password_env,
            lambda: None if process.poll() is None else _how_it_ended(process.returncode),
            lambda: os.fstat(log).st_size,
            lambda since: useful_line(_text(log, since), server.LOG_PREFIX),
        )


def _become(server: ModuleType, place: HeldFolder, folder: HeldFolder) -> list[str]:
    """Run as the server's own user where we are root, and never outlive this process."""
    words = ["setpriv", "--pdeathsig", "KILL"]
    if os.geteuid() != 0:
        return words
    names = {entry.pw_name for entry in pwd.getpwall()}
    entry = pwd.getpwnam(server.USER if server.USER in names else "nobody")
    os.fchown(folder.descriptor, entry.pw_uid, entry.pw_gid)
    # The session's own folder may be passed through; anybody else's is not touched.
    os.chmod(place, stat.S_IMODE(os.fstat(place.descriptor).st_mode) | 0o011)
    for parent in place.path.parents if server.BY_NAME else ():
        if not parent.stat().st_mode & 0o001:
            raise TargetError(
                f"{folder}: the server runs as user {entry.pw_name}, who may not pass through {parent}; choose a "
                f"target below folders that others may enter (chmod o+x {parent})"
            )
    return [*words, f"--reuid={entry.pw_uid}", f"--regid={entry.pw_gid}", "--clear-groups"]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait(process: subprocess.Popen[bytes], port: int, server: ModuleType, log: int, name: str) -> None:
    deadline = time.monotonic() + STARTUP_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise NotStarted(f"{name} ended while starting: {_last_words(log, server.LOG_PREFIX)}")
        if server.READY in _text(log) and _listens(port):
            return
        time.sleep(0.05)
    raise NotStarted(f"{name} does not answer after {STARTUP_S} s: {_last_words(log, server.LOG_PREFIX)}")


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _text(log: int, since: int = 0) -> str:
    text = os.pread(log, max(0, os.fstat(log).st_size - since), since).decode(errors="replace")
    return readable(text)


def _last_words(log: int, prefix: str) -> str:
    text = _text(log)
    return useful_line(text, prefix) or " ".join(text.strip().splitlines()[-3:]) or "it said nothing"


def _how_it_ended(status: int) -> str:
    if status >= 0:
        return f"ended by itself with status {status}"
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = f"signal {-status}"
    return f"was ended by {name}"


def _end(process: subprocess.Popen[bytes], stop: int) -> None:
    if process.poll() is not None:
        return
    process.send_signal(stop)
    try:
        process.wait(ENDING_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
