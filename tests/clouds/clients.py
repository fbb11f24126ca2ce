"""Client machines of an emulated cloud: network namespaces on a bridge, each with a worker of a Dask cluster.

with client_machines(4, folder, {"SECRET": "…"}) as cloud:
    cloud.gateway      this machine, as they reach it      cloud.address      of their scheduler, for --cluster
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tests.integration.cluster.conftest import address_in, inside

QUIET: Any = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
DASK = (sys.executable, "-W", "ignore", "-m")


@contextmanager
def network(count: int) -> Iterator[tuple[str, list[str]]]:
    """A bridge with this machine at .1, and so many namespaces: the address and their names."""
    own = os.getpid()
    start = f"10.{128 + own % 64}.{own // 64 % 250}"
    bridge, spaces = f"plr{own}"[:14], [f"plr-{own}-{number}" for number in range(1, count + 1)]
    try:
        _ip("link", "add", bridge, "type", "bridge")
        _ip("addr", "add", f"{start}.1/24", "dev", bridge)
        _ip("link", "set", bridge, "up")
        for place, space in enumerate(spaces, 11):
            link = f"r{place}-{own}"
            _ip("netns", "add", space)
            _ip("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", space)
            _ip("link", "set", link, "master", bridge, "up")
            _ip("-n", space, "addr", "add", f"{start}.{place}/24", "dev", "eth0")
            _ip("-n", space, "link", "set", "eth0", "up")
            _ip("-n", space, "link", "set", "lo", "up")
        yield f"{start}.1", spaces
    finally:
        for space in spaces:
            _ip("netns", "del", space, check=False)
        _ip("link", "del", bridge, check=False)


@contextmanager
def workers(gateway: str, spaces: list[str], folder: Path) -> Iterator[str]:
    """A scheduler here and a worker in each namespace, client1, client2, …; the address of the scheduler."""
    with ExitStack() as stack:

        def start(*words: str, **more: str) -> None:
            process = subprocess.Popen(words, **QUIET, env={**os.environ, **more})
            stack.callback(process.wait)
            stack.callback(process.kill)

        file = folder / "scheduler.json"
        start(
            *DASK, "distributed.cli.dask_scheduler", "--host", gateway, "--port", "0", "--no-dashboard",
            "--scheduler-file", str(file),
        )  # fmt: skip
        address = address_in(file)
        for number, space in enumerate(spaces, 1):
            name = f"client{number}"
            start(
                *(*inside(space), *DASK, "distributed.cli.dask_worker", address, "--name", name),
                *("--nthreads", "2", "--no-nanny", "--no-dashboard", "--local-directory", str(folder / f"dask-{name}")),
                PLIMSOLL_HOME=str(folder / name),
            )
        _wait(address, len(spaces))
        yield address


def _wait(address: str, count: int) -> None:
    program = (
        "import sys, distributed\n"
        "with distributed.Client(sys.argv[1], set_as_default=False) as client:\n"
        "    client.wait_for_workers(int(sys.argv[2]), timeout=120)\n"
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", program, address, str(count)], check=True, timeout=180)


def _ip(*words: str, check: bool = True) -> None:
    subprocess.run(["ip", *words], check=check, capture_output=True)
