"""Machines of an emulated cloud, without its API: a Host made by hand."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import pytest
from tests.clouds.booting import booting
from tests.clouds.fixtures import _proxy, moto_server, proxy
from tests.clouds.machines import USER, Boot, Machine, Machines, machines
from tests.clouds.proxy import Proxy
from tests.conftest import need, need_module, need_program

from plimsoll.clouds.provider import Host
from plimsoll.clouds.wanted import Layout, Rental

__all__ = ["_proxy", "moto_server", "proxy"]
ROOT = Path(__file__).parents[4]


@dataclass
class Provider:
    """The two things of a provider that hosts ask for."""

    name: str = "aws"
    taken: dict[str, str] = field(default_factory=dict)
    """Why a machine is taken away, by its name."""
    found: dict[str, Machine] = field(default_factory=dict)

    def interrupted(self, rental: Rental, machine: str) -> str | None:
        del rental
        return self.taken.get(machine)

    def detach(self, rental: Rental, host: Host, volume: str) -> None:
        del rental
        self.found[host.machine].detach(volume)

    def attach(self, rental: Rental, host: Host, volume: str) -> None:
        del rental
        self.found[host.machine].attach(volume)


@dataclass
class Rented:
    """Machines that were rented: what hosts are made ready from."""

    machines: Machines
    provider: Provider
    folder: Path
    hosts: list[Host] = field(default_factory=list)

    def boot(self, name: str, volumes: dict[str, tuple[str, int]], **boot: object) -> Machine:
        """One more. Volumes are gp3 of 10 GiB, unless `disks` says otherwise."""
        disks = {volume: {"type": "gp3", "size": "10GiB"} for volume in volumes if volume.startswith("vol-")}
        public = (self.folder / "key.pub").read_text().strip()
        about: dict[str, object] = {"id": f"i-{name}", "public_key": public, "disks": disks, **boot}
        machine = self.machines.boot(Boot(**about))  # type: ignore[arg-type]
        self.provider.found[name] = machine
        facts = {"instance_type": "m7i.large", "image": "ami-0aaaaaaaaaaaaaaaa"}
        self.hosts.append(
            Host(machine=name, id=machine.boot.id, address=machine.address, user=USER, key_file=self.folder / "key",
                 host_keys=(machine.host_key,), zone="us-east-1a", volumes=volumes, facts=facts)
        )  # fmt: skip
        return machine

    def rental(self, *layouts: Layout) -> Rental:
        return Rental(
            id="0123abcd", provider="aws", region="us-east-1", lease_end_ns=0, from_address="203.0.113.7/32",
            layouts=layouts,
        )  # fmt: skip


def _share_wheelhouses() -> None:
    """What machines need is fetched once for all tests: a home of its own would fetch it again."""
    kept = ROOT / "target" / "wheelhouses"
    kept.mkdir(parents=True, exist_ok=True)
    (Path(os.environ["PLIMSOLL_HOME"]) / "wheelhouses").symlink_to(kept)


def needed() -> None:
    """What machines need here."""
    need(os.geteuid() == 0, "root")
    need(Path("/dev/fuse").exists(), "/dev/fuse")
    need_module("asyncssh")
    for program in ("ip", "sshd", "ssh-keygen", "cc", "unshare"):
        need_program(program)


@pytest.fixture
def rented(tmp_path: Path) -> Iterator[Rented]:
    needed()
    _share_wheelhouses()
    folder = tmp_path / "rental"
    folder.mkdir()
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / "key")], check=True)
    with machines(tmp_path) as found:
        yield Rented(found, Provider(), folder)


class MachinesOf(Protocol):
    """The emulated cloud: what the account in moto rents, boots."""

    def __call__(self, *, nitro: bool = True) -> AbstractContextManager[Machines]: ...


@pytest.fixture
def machines_of(proxy: Proxy, tmp_path: Path) -> MachinesOf:
    needed()
    _share_wheelhouses()

    @contextmanager
    def made(*, nitro: bool = True) -> Iterator[Machines]:
        with machines(tmp_path) as found, booting(proxy, found, nitro=nitro):
            yield found

    return made


@pytest.fixture
def cloud(machines_of: MachinesOf) -> Iterator[Machines]:
    with machines_of() as found:
        yield found
