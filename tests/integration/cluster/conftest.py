"""A scheduler here and three worker processes, each in its own network namespace."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import need, need_module

NAMES = ("w1", "w2", "w3")
NETWORK = f"10.{64 + os.getpid() % 64}.{os.getpid() // 64 % 250}"
LIMIT_S = 300.0
QUIET: Any = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
DASK = (sys.executable, "-W", "ignore", "-m")


def inside(space: str) -> tuple[str, str]:
    """Words before a command that runs in the network of a namespace.

    `ip netns exec` would give it mounts of its own as well, which hold what is mounted here by then until it ends.
    """
    return "nsenter", f"--net=/run/netns/{space}"


@dataclass
class Workers:
    """`address` of the scheduler; `processes` and `folders` by the name of the worker."""

    address: str
    home: Path
    """Holds the PLIMSOLL_HOME of every worker: they are machines of their own."""
    scheduler: subprocess.Popen[bytes]
    processes: dict[str, subprocess.Popen[bytes]]
    folders: dict[str, Path]

    def start(self, name: str) -> None:
        """Start a worker in its namespace."""
        command = [
            *(*inside(f"pl-{os.getpid()}-{name}"), *DASK, "distributed.cli.dask_worker", self.address),
            *("--name", name, "--nthreads", "2", "--no-nanny", "--no-dashboard"),
            *("--local-directory", str(self.home.parent / f"dask-{name}")),
        ]
        environment = {**os.environ, "PLIMSOLL_HOME": str(self.home / name)}
        self.processes[name] = subprocess.Popen(command, **QUIET, env=environment)

    def kill(self, name: str) -> None:
        self.processes[name].kill()
        self.processes[name].wait()

    def wait(self) -> None:
        """Until the scheduler knows all workers."""
        program = (
            "import sys, distributed\n"
            "with distributed.Client(sys.argv[1], set_as_default=False) as client:\n"
            "    client.wait_for_workers(int(sys.argv[2]), timeout=300)\n"
        )
        words = [sys.executable, "-W", "ignore", "-c", program, self.address, str(len(NAMES))]
        subprocess.run(words, check=True, timeout=360)

    def places(self, options: str = "", names: Sequence[str] = ()) -> list[str]:
        """`--on` words: these workers (all, if none is named) as targets of their own names."""
        words = (("--on", f"{name}=@{name}:{self.folders[name]}{options}") for name in names or self.folders)
        return [word for pair in words for word in pair]


def _ip(*words: str, check: bool = True) -> None:
    subprocess.run(["ip", *words], check=check, capture_output=True)


@pytest.fixture(scope="module")
def network() -> Iterator[str]:
    """A bridge with this machine at .1, and the namespaces of the workers at .11, .12, .13."""
    need(os.geteuid() == 0, "network namespaces need root")
    need(shutil.which("ip") is not None, "the program ip (Debian: iproute2)")
    bridge = f"plb{os.getpid()}"[:14]
    spaces = {name: f"pl-{os.getpid()}-{name}" for name in NAMES}
    try:
        _ip("link", "add", bridge, "type", "bridge")
        _ip("addr", "add", f"{NETWORK}.1/24", "dev", bridge)
        _ip("link", "set", bridge, "up")
        for place, (name, space) in enumerate(spaces.items(), 11):
            link = f"{name}-{os.getpid()}"
            _ip("netns", "add", space)
            _ip("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", space)
            _ip("link", "set", link, "master", bridge, "up")
            _ip("-n", space, "addr", "add", f"{NETWORK}.{place}/24", "dev", "eth0")
            _ip("-n", space, "link", "set", "eth0", "up")
            _ip("-n", space, "link", "set", "lo", "up")
        yield f"{NETWORK}.1"
    finally:
        for space in spaces.values():
            _ip("netns", "del", space, check=False)
        _ip("link", "del", bridge, check=False)


@pytest.fixture(scope="module")
def workers(network: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workers]:
    """A cluster that runs; everything is killed at the end."""
    need_module("distributed")
    tmp_path = tmp_path_factory.mktemp("cluster")
    home = tmp_path / "home"
    file = tmp_path / "scheduler.json"
    scheduler = subprocess.Popen(
        [*DASK, "distributed.cli.dask_scheduler", "--host", network, "--port", "0", "--no-dashboard",
         "--scheduler-file", str(file)], **QUIET, env={**os.environ},
    )  # fmt: skip
    processes: dict[str, subprocess.Popen[bytes]] = {}
    try:
        folders = {name: tmp_path / name for name in NAMES}
        cluster = Workers(address_in(file), home, scheduler, processes, folders)
        for name, folder in folders.items():
            folder.mkdir()
            cluster.start(name)
        cluster.wait()
        yield cluster
    finally:
        for process in (scheduler, *processes.values()):
            process.kill()
            process.wait()


def address_in(file: Path) -> str:
    """The scheduler that a file tells of, once it does."""
    deadline = time.monotonic() + LIMIT_S
    while time.monotonic() < deadline:
        if file.exists() and (text := file.read_text()):
            return str(json.loads(text)["address"])
        time.sleep(0.05)
    raise AssertionError("the scheduler did not start")
