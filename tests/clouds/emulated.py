"""The emulated cloud without pytest: an account, machines that boot from it, and the command in a home of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from tests.clouds import moto
from tests.clouds.booting import Reshape, booting
from tests.clouds.fixtures import environment, everything
from tests.clouds.machines import Machines, machines
from tests.clouds.proxy import Proxy, proxying

from plimsoll.volumes import registry

PLIMSOLL = Path(sys.executable).parent / "plimsoll"


@dataclass(frozen=True)
class Emulated:
    """What a command finds there."""

    proxy: Proxy
    machines: Machines
    environment: Mapping[str, str]
    wheelhouses: Path

    def at_home(self, home: Path) -> Emulated:
        """The same cloud for commands with a home of their own."""
        home.mkdir()
        (home / "wheelhouses").symlink_to(self.wheelhouses)
        return replace(self, environment={**self.environment, **environment(self.proxy.url, home)})

    def start(self, *words: str, **pipes: int) -> subprocess.Popen[str]:
        """`plimsoll WORDS`, as a user types it."""
        return subprocess.Popen(
            [str(PLIMSOLL), *words], stdin=subprocess.DEVNULL, text=True, env={**os.environ, **self.environment},
            **pipes,
        )  # fmt: skip

    def plimsoll(self, *words: str) -> str:
        """What it prints. Raises AssertionError with what went wrong."""
        process = self.start(*words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        out, err = process.communicate()
        assert process.returncode == 0, f"plimsoll {' '.join(words)}: exit {process.returncode}\n{err}"
        return out

    def left(self) -> list[str]:
        """What the account, the machines and the volumes here still have."""
        return [*everything(self.proxy.moto), *self.machines.running, *(each.name for each in registry.volumes())]


@contextmanager
def emulated(folder: Path, wheelhouses: Path, reshape: Reshape = dict) -> Iterator[Emulated]:
    """An empty account until the block ends. `reshape` says what a rented volume really is."""
    home = folder / "home"
    home.mkdir()
    wheelhouses.mkdir(parents=True, exist_ok=True)
    (home / "wheelhouses").symlink_to(wheelhouses)
    own = os.environ.get("PLIMSOLL_HOME")
    # Volumes are served by this process.
    os.environ["PLIMSOLL_HOME"] = str(home)
    try:
        with moto.serving(folder) as address, proxying(address) as proxy, machines(folder) as found:
            known = {**environment(proxy.url, home), "PLIMSOLL_FROM_ADDRESS": "203.0.113.7"}
            with booting(proxy, found, reshape=reshape):
                yield Emulated(proxy, found, known, wheelhouses)
    finally:
        os.environ.pop("PLIMSOLL_HOME")
        if own is not None:
            os.environ["PLIMSOLL_HOME"] = own
