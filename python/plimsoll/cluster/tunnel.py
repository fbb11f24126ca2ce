"""Workers on hosts where nothing but SSH is open: the scheduler is here, and both directions go through the connection.

scheduler  here                  ◄── a port of the host's loopback ◄── worker
worker     the host's loopback   ◄── a port of our loopback        ◄── scheduler, which knows it by that address
"""

from __future__ import annotations

import sys
from typing import Any

import asyncssh
import distributed
from distributed.deploy import ssh as deployer
from distributed.deploy.spec import SpecCluster

from plimsoll.cluster.address import ClusterAddress
from plimsoll.cluster.ssh import NO_PAGE, Reached, look, process, started

LOOPBACK = "127.0.0.1"


class Worker(deployer.Worker):  # type: ignore[misc]  # Dask has no types
    """A worker at the other end of a tunnel, which is there before it starts."""

    scheduler: str
    tunnel: asyncssh.SSHClientConnection | None = None

    async def start(self) -> None:
        """Tunnel, then worker."""
        self.tunnel = await asyncssh.connect(self.address, **self.connect_options)
        port = int(self.scheduler.rpartition(":")[2])
        outward = await self.tunnel.forward_remote_port(LOOPBACK, 0, LOOPBACK, port)
        inward = await self.tunnel.forward_local_port(LOOPBACK, 0, LOOPBACK, self.kwargs["port"])
        self.scheduler = f"tcp://{LOOPBACK}:{outward.get_port()}"
        self.kwargs["contact_address"] = f"tcp://{LOOPBACK}:{inward.get_port()}"
        await super().start()

    async def close(self) -> None:
        """Worker, then tunnel."""
        await super().close()
        if self.tunnel is not None:
            self.tunnel.close()


def start(cluster: ClusterAddress) -> SpecCluster:
    """Raises TargetError with the problems of all hosts."""
    hosts = look(cluster.hosts, sys.executable)
    scheduler = {"cls": distributed.Scheduler, "options": {"host": LOOPBACK, "port": 0, **NO_PAGE}}
    return started(cluster, {each.name: _worker(each) for each in hosts}, scheduler)


def _worker(host: Reached) -> dict[str, Any]:
    there = Reached(host.host, LOOPBACK, host.name, host.free_port)
    return process(there, sys.executable, Worker, nthreads=2, name=host.name, port=host.free_port)
