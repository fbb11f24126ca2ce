"""The device of every volume of a machine, asked there; where disks show no serial, each is taken off once."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from plimsoll.clouds.hosts import devices
from plimsoll.clouds.provider import Cloud, Host
from plimsoll.clouds.wanted import Rental
from plimsoll.cluster.connection import Cluster, Worker
from plimsoll.errors import TargetError

T = TypeVar("T")
SHOWN_S = 30.0
"""How long the kernel may take to show what the provider says is attached."""
AGAIN_S = 0.5


@dataclass(frozen=True)
class Attached:
    """A machine whose devices are looked for."""

    cluster: Cluster
    cloud: Cloud
    rental: Rental
    host: Host

    @property
    def worker(self) -> Worker:
        """On that machine."""
        return self.cluster.worker(self.host.machine)

    def devices(self) -> Mapping[str, str]:
        """By the provider's id of the volume. Raises TargetError where one cannot be told."""
        wanted = list(self.host.volumes)
        found: dict[str, str] = self._until(self._by_serial, lambda now: len(now) in (0, len(wanted)))
        if found and (missing := sorted(set(wanted) - set(found))):
            raise TargetError(
                f"machine {self.host.machine} ({self.host.id}): no disk has the serial of {', '.join(missing)}"
            )
        return found or self._one_at_a_time()

    def _by_serial(self) -> dict[str, str]:
        found: dict[str, str] = self.cluster.call(self.worker, devices.by_serial, list(self.host.volumes))
        return found

    def _one_at_a_time(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for volume in self.host.volumes:
            if volume.startswith(devices.STORE):
                continue
            before = self._disks()
            self.cloud.detach(self.rental, self.host, volume)
            without = self._until(self._disks, before.__ne__)
            self.cloud.attach(self.rental, self.host, volume)
            again = self._until(self._disks, without.__ne__)
            found[volume] = devices.went(volume, before, without, again)
        own = [each for each in self._disks() if each not in found.values()]
        stores = [each for each in self.host.volumes if each.startswith(devices.STORE)]
        return {**found, **dict(zip(stores, own, strict=False))}

    def _disks(self) -> list[str]:
        found: list[str] = self.cluster.call(self.worker, devices.disks)
        return found

    def _until(self, ask: Callable[[], T], enough: Callable[[T], bool]) -> T:
        """The last answer: one that is enough, or none came in time."""
        deadline = time.monotonic() + SHOWN_S
        while not enough(answer := ask()) and time.monotonic() < deadline:
            time.sleep(AGAIN_S)
        return answer
