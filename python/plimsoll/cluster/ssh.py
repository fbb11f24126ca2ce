"""Workers on hosts that are reached over SSH: looked at first, then started for one session by Dask's own deployer."""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import shlex
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import asyncssh
from distributed.deploy import ssh as deployer
from distributed.deploy.spec import SpecCluster

import plimsoll
from plimsoll.cluster import probe
from plimsoll.cluster.address import PAGE, ClusterAddress, SshHost
from plimsoll.errors import TargetError

REACH_S = 10.0
NO_PAGE = {"dashboard": False, "dashboard_address": PAGE}
SSH_LIFETIME = "plimsoll.cluster.ssh_lifetime"
"""Loaded by what is started on a host, so that it ends when the connection does."""
_PROGRAM = f"""{inspect.getsource(probe)}
import json
print(json.dumps({{**about(), "distributed": version_of("distributed"),
                  "address": reached_at(), "free_port": free_port()}}))
"""


@dataclass(frozen=True)
class Reached:
    """A host that can work: its own address on the way that we came, and the name of its worker."""

    host: SshHost
    address: str
    name: str
    free_port: int


def start(cluster: ClusterAddress) -> SpecCluster:
    """A scheduler on the first host and a worker on each. Raises TargetError with the problems of all hosts."""
    python = cluster.python or sys.executable
    hosts = look(cluster.hosts, python)
    workers = {each.name: process(each, python, deployer.Worker, nthreads=2, name=each.name) for each in hosts}
    return started(cluster, workers, process(hosts[0], python, deployer.Scheduler, port=0))


def look(hosts: Sequence[SshHost], python: str) -> list[Reached]:
    """Raises TargetError with the problems of all hosts."""
    logging.getLogger("asyncssh").setLevel(logging.CRITICAL)
    return asyncio.run(_look(hosts, python))


def started(cluster: ClusterAddress, workers: dict[str, Any], scheduler: dict[str, Any]) -> SpecCluster:
    """Raises TargetError with the last words of what did not start."""
    with _last_words() as words:
        try:
            return SpecCluster(workers, scheduler, name="plimsoll")
        except RuntimeError as error:
            last = words[-1] if words else error
            raise TargetError(f"{cluster.text}: Dask did not start there: {last}") from None


def process(host: Reached, python: str, kind: type, **options: object) -> dict[str, Any]:
    """What Dask's deployer takes: the connection, and the options of the scheduler or worker."""
    about: dict[str, Any] = {
        "address": host.host.name,
        "connect_options": connect_options(host.host),
        "remote_python": _command(host.host, python),
        "kwargs": {**options, "host": host.address, **NO_PAGE, "preload": [SSH_LIFETIME]},
    }
    if issubclass(kind, deployer.Worker):
        # A nanny would start a worker again that has forgotten what was open on it.
        about["worker_class"] = "distributed.Worker"
    return {"cls": kind, "options": about}


def _command(host: SshHost, python: str) -> str:
    """What runs Python there."""
    if host.way is None:
        return shlex.quote(python)
    return ("sudo -n " if host.way.root else "") + shlex.quote(host.way.python)


def connect_options(host: SshHost) -> dict[str, Any]:
    """What is written with the host; everything else comes from ~/.ssh/config, unless it has a way of its own."""
    if host.way is not None:
        return {"login_timeout": REACH_S, **host.way.options}
    given = {"username": host.user, "port": host.port}
    return {"login_timeout": REACH_S, **{name: value for name, value in given.items() if value is not None}}


async def _look(hosts: Sequence[SshHost], python: str) -> list[Reached]:
    found = await asyncio.gather(*(_look_at(host, python) for host in hosts))
    if problems := [each for each in found if isinstance(each, str)]:
        raise TargetError("; ".join(problems))
    addresses = [each for each in found if isinstance(each, dict)]
    return [
        Reached(host, about["address"], name, about["free_port"])
        for host, about, name in zip(hosts, addresses, _names(hosts), strict=True)
    ]


async def _look_at(host: SshHost, python: str) -> dict[str, Any] | str:
    """What the host says of itself, or why it cannot work."""
    here = f"host {host.text}"
    try:
        async with (
            asyncio.timeout(REACH_S),
            asyncssh.connect(host.name, **connect_options(host)) as connection,
        ):
            answer = await connection.run(f"{_command(host, python)} -", input=_PROGRAM)
    except TimeoutError:
        return f"{here} does not answer within {REACH_S:g} s"
    except asyncssh.PermissionDenied:
        return f"{here} refuses the login; `ssh {host.text}` must work without a question (keys, ~/.ssh/config)"
    except asyncssh.HostKeyNotVerifiable:
        return f"{here} has a key that is not known here; look at it with `ssh {host.text}` once"
    except socket.gaierror as error:
        return f"{here} is not found: {error.strerror}"
    except (OSError, asyncssh.Error, asyncssh.KeyImportError) as error:
        return f"{here} cannot be reached: {_reason(error)}"
    return _fitting(here, python, answer)


def _reason(error: Exception) -> str:
    """Without Python's number and address of the attempt."""
    if isinstance(error, ConnectionRefusedError):
        return "connection refused; does an SSH server run there?"
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.strerror}: {error.filename}, which ~/.ssh/config names"
    return str(getattr(error, "strerror", None) or error)


def _fitting(here: str, python: str, answer: asyncssh.SSHCompletedProcess) -> dict[str, Any] | str:
    """The answer if Plimsoll and Dask are there as here, else what is missing."""
    needed = f"plimsoll[cluster]=={plimsoll.__version__}"
    elsewhere = "or name the Python that has it: --cluster 'ssh:HOST,…?python=/path/of/python'"
    try:
        about: dict[str, Any] = json.loads(str(answer.stdout or ""))
    except ValueError:
        said = (str(answer.stderr or "").strip().splitlines() or ["it says nothing"])[-1]
        return f"{here} cannot run {python} ({said}); install {needed} there, {elsewhere}"
    if not about["plimsoll"] or not about["distributed"]:
        missing = "Plimsoll" if not about["plimsoll"] else "Dask"
        return f"{here} has no {missing} for {python}; install {needed} there, {elsewhere}"
    if about["plimsoll"] != plimsoll.__version__:
        return f"{here} has Plimsoll {about['plimsoll']}, this is {plimsoll.__version__}; install {needed} there"
    return about


def _names(hosts: Sequence[SshHost]) -> list[str]:
    """Workers are called as their hosts; the second one on a host has a number. Rented ones have their own."""
    names: list[str] = []
    for host in hosts:
        if host.way is not None:
            names.append(host.text)
            continue
        again = sum(1 for other in hosts[: len(names)] if other.name == host.name)
        plain = host.name.replace(":", "_")
        names.append(f"{plain}-{again + 1}" if again else plain)
    return names


@contextmanager
def _last_words() -> Iterator[list[str]]:
    """What processes say that start on a host; Dask's own error leaves that out."""
    words: list[str] = []
    logger, handler = logging.getLogger(deployer.__name__), _Keeper(words)
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    try:
        yield words
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
        logger.propagate = True


class _Keeper(logging.Handler):
    """A logging handler that adds every message to a list."""

    def __init__(self, kept: list[str]) -> None:
        super().__init__()
        self._kept = kept

    def emit(self, record: logging.LogRecord) -> None:
        """Keep one that says something."""
        if text := record.getMessage().strip():
            self._kept.append(text)
