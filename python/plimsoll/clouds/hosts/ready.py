"""Rented machines, made ready for a session: reached, installed on, disks found and laid out, workers connected."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncssh

from plimsoll.clouds.hosts import layouts
from plimsoll.clouds.hosts.attached import Attached
from plimsoll.clouds.hosts.install import check_glibc, install
from plimsoll.clouds.hosts.known import known_hosts, options
from plimsoll.clouds.hosts.progress import Progress
from plimsoll.clouds.hosts.reach import Platform, platform_of, reached
from plimsoll.clouds.hosts.wheel import own_wheel
from plimsoll.clouds.hosts.wheelhouse import wheelhouse
from plimsoll.clouds.provider import Cloud, Host
from plimsoll.clouds.wanted import Layout, Rental
from plimsoll.cluster.address import ClusterAddress, OwnWay, SshHost, split_place
from plimsoll.cluster.connection import Cluster, connect
from plimsoll.cluster.machines import ClusterMachines
from plimsoll.drafts import scratch_folder
from plimsoll.errors import CloudError

ASK_S = 5.0
"""How often the provider is asked whether it takes a machine away; it says so two minutes before."""


@dataclass(frozen=True)
class Ready:
    """What a session needs."""

    machines: ClusterMachines
    places: Mapping[str, str]
    """By target, as `@m1:/dev/nvme1n1`."""


@contextmanager
def ready(
    cloud: Cloud,
    rental: Rental,
    hosts: Sequence[Host],
    folder: Path,
    tell: Callable[[str], None],
    known: Mapping[str, str] | None = None,
) -> Iterator[Ready]:
    """Workers on all hosts, until the block ends. `folder` is the rental's own.

    `known` are the places of a session that goes on: they are as it left them, and nothing is laid out again.
    Raises CloudError, TargetError, WorkerLost. What was made on the machines ends with them.
    """

    def gone(machine: str) -> str | None:
        return cloud.interrupted(rental, machine)

    progress = Progress(tell, len(hosts))
    progress.all(f"waiting for {len(hosts)} machine{'s' * (len(hosts) != 1)} to let us in")
    with scratch_folder() as scratch:
        pythons = asyncio.run(_installed(hosts, folder, own_wheel(scratch), gone, progress))
    progress.all("starting the workers there")
    ways = tuple(_ssh_host(host, folder, pythons[host.machine]) for host in hosts)
    with connect(ClusterAddress("tunnel", f"{rental.provider} rental {rental.id}", hosts=ways)) as cluster:
        places: dict[str, str] = {}
        own: list[str] = []
        for host in hosts:
            if host.volumes and not known:
                progress.one("finding the disks of {machine}, and making its file systems", host.machine)
            attached = Attached(cluster, cloud, rental, host)
            there = _still_there(attached, known) if known else _places(attached)
            own += cluster.call(cluster.worker(host.machine), layouts.identities, list(there.values()))
            places |= {target: f"@{host.machine}:{place}" for target, place in there.items()}
        about = {host.machine: {"rented": _facts(rental, host)} for host in hosts}
        with _watched(cluster, hosts, gone):
            yield Ready(ClusterMachines(cluster, about, own), places)


async def _installed(
    hosts: Sequence[Host], folder: Path, wheel: Path, gone: Callable[[str], str | None], progress: Progress
) -> dict[str, str]:
    """The Python that has Plimsoll, by machine; all at once, packages for each kind of machine once."""

    async def entered(stack: AsyncExitStack, host: Host) -> asyncssh.SSHClientConnection:
        connection = await stack.enter_async_context(reached(host, folder, gone))
        progress.one("{machine} lets us in", host.machine)
        return connection

    async with AsyncExitStack() as stack:
        connections = await asyncio.gather(*(entered(stack, host) for host in hosts))
        platforms = await asyncio.gather(*map(platform_of, connections, hosts))
        for platform, host in zip(platforms, hosts, strict=True):
            check_glibc(platform, host)
        wheels: dict[tuple[Any, ...], Path] = {}
        for platform in platforms:
            if _alike(platform) not in wheels:
                wheels[_alike(platform)] = await asyncio.to_thread(wheelhouse, wheel, platform, progress.all)
        made = await asyncio.gather(
            *(
                install(connection, host, platform, (wheel, *sorted(wheels[_alike(platform)].iterdir())), progress)
                for connection, host, platform in zip(connections, hosts, platforms, strict=True)
            )
        )
    return dict(zip([host.machine for host in hosts], made, strict=True))


def _alike(platform: Platform) -> tuple[Any, ...]:
    return platform.version, platform.architecture, platform.glibc


def _ssh_host(host: Host, folder: Path, python: str) -> SshHost:
    way = OwnWay(options(host, known_hosts(host, folder)), python, root=host.user != "root")
    return SshHost(host.machine, host.address, host.user, host.port, way)


def _places(there: Attached) -> dict[str, str]:
    """The devices and directories where the targets of a machine are measured."""
    found = there.devices()
    members: dict[str, dict[int, str]] = {}
    for volume, (target, member) in there.host.volumes.items():
        members.setdefault(target, {})[member] = found[volume]
    wanted = {layout.target: layout for layout in there.rental.layouts}
    places = {}
    for target, by_number in members.items():
        disks = [by_number[number] for number in sorted(by_number)]
        layout = wanted.get(target, Layout(target=target))
        places[target] = there.cluster.call(there.worker, layouts.lay_out, layout, disks)
    return places


def _still_there(there: Attached, known: Mapping[str, str]) -> dict[str, str]:
    """The places of a machine, by target, as they were."""
    split = {target: split_place(place) for target, place in known.items()}
    found = {target: place for target, (machine, place) in split.items() if machine == there.host.machine}
    there.cluster.call(there.worker, layouts.check_there, list(found.values()))
    return found


def _facts(rental: Rental, host: Host) -> dict[str, Any]:
    """For the record of the session; nothing that lets anybody in."""
    volumes = {volume: target for volume, (target, _) in host.volumes.items()}
    about = {"provider": rental.provider, "rental": rental.id, "region": rental.region, "zone": host.zone}
    return {**about, "machine": host.id, "volumes": volumes, **host.facts}


@contextmanager
def _watched(cluster: Cluster, hosts: Sequence[Host], gone: Callable[[str], str | None]) -> Iterator[None]:
    """While the block runs, a machine that its provider takes away is given up as soon as that is known."""
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(ASK_S):
            for host in hosts:
                try:
                    why = gone(host.machine)
                except CloudError:
                    # Asked again soon; a machine that is really gone is noticed by its silence, too.
                    continue
                if why is not None:
                    cluster.give_up(host.machine, f"is taken away: {why}")

    thread = threading.Thread(target=watch, daemon=True, name="plimsoll interruptions")
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
