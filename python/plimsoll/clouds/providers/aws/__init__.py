"""Amazon Web Services: instances, their volumes, and managed databases.

client.py   every call        errors.py   what its errors mean       policy.py   the permissions that are needed
zones.py, images.py, booting.py   where, from what and how machines boot      tags.py   whose everything is
network.py, machines.py           what is made, listed and deleted            waiting.py   what takes its time
databases.py, schedules.py        databases, and what ends them
asking.py                         what can be asked before anything is rented            prices.py   what it costs
attaching.py                      disks that show no serials, told apart
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from plimsoll.clouds.provider import Endpoint, Host, PriceLine, Resource, Step
from plimsoll.clouds.providers.aws import (
    asking,
    attaching,
    databases,
    machines,
    network,
    policy,
    prices,
    zones,
)
from plimsoll.clouds.providers.aws.errors import Gone
from plimsoll.clouds.wanted import Rental
from plimsoll.errors import CloudError


class Aws:
    """The contract of `clouds/provider.py`, kind by kind."""

    name = "aws"

    def check(self, rental: Rental) -> Sequence[str]:
        """Types, zones, quotas, permissions."""
        return asking.check(rental)

    def unattended(self, rental: Rental) -> str | None:
        """Databases whose end cannot be scheduled."""
        return databases.outliving(rental)

    def prices(self, rental: Rental) -> Sequence[PriceLine]:
        """What an hour of each part costs."""
        return [*prices.price_lines(rental), *databases.prices(rental)]

    def steps(self, rental: Rental) -> Sequence[Step]:
        """Key pair and group, then the machines."""
        zone = zones.choose(rental)
        group = {"network": zone.network, "from": rental.from_address}
        return [
            _step(rental, network.KEY_PAIR, "key", {}),
            _step(rental, network.GROUP, "group", group),
            *(
                _step(rental, kind, name, details)
                for kind, name, details in databases.steps(rental, zone.network, zone.name)
            ),
            *(
                _step(rental, machines.MACHINE, machine.name, machines.details(rental, machine, zone))
                for machine in rental.machines
            ),
        ]

    def create(self, rental: Rental, step: Step, folder: Path) -> Resource:
        """The call of one step."""
        match step.kind:
            case network.KEY_PAIR:
                return network.make_key_pair(rental, step, folder)
            case network.GROUP:
                return network.make_group(rental, step)
            case machines.MACHINE:
                return machines.make(rental, step, folder)
        if step.kind in databases.MAKE:
            return databases.MAKE[step.kind](rental, step, folder)
        raise CloudError(f"this version of Plimsoll cannot make a {step.kind}; use the one that began the rental")

    def find(self, rental: Rental, step: Step) -> Resource | None:
        """By its tags."""
        made = self.resources(rental.region, rental.id)
        return next((each for each in made if (each.kind, each.name) == (step.kind, step.name)), None)

    def hosts(self, rental: Rental, made: Sequence[Resource], folder: Path) -> Sequence[Host]:
        """The machines, once they run."""
        return machines.hosts(rental, made, folder)

    def endpoints(self, rental: Rental, made: Sequence[Resource], folder: Path) -> Sequence[Endpoint]:
        """The databases, once they answer."""
        return databases.endpoints(rental, made, folder)

    def delete(self, resource: Resource) -> None:
        """The call that ends it."""
        with suppress(Gone):
            _module(resource.kind).delete(resource)

    def resources(self, region: str, rental: str | None = None) -> Sequence[Resource]:
        """Machines and databases first, then what they use."""
        parts = (machines.resources, databases.resources, network.resources)
        return [each for part in parts for each in part(region, rental)]

    def detach(self, rental: Rental, host: Host, volume: str) -> None:
        """As the state of the volume tells it."""
        attaching.detach(rental.region, host, volume)

    def attach(self, rental: Rental, host: Host, volume: str) -> None:
        """Under its name, to be deleted with its machine."""
        attaching.attach(rental.region, host, volume)

    def interrupted(self, rental: Rental, machine: str) -> str | None:
        """As the state of the instance tells it."""
        return machines.interrupted(rental, machine)

    def policy(self) -> Mapping[str, Any]:
        """In the format of IAM."""
        return policy.policy()


def _module(kind: str) -> ModuleType:
    if kind in databases.MAKE:
        return databases
    return machines if kind in (machines.MACHINE, machines.VOLUME) else network


def _step(rental: Rental, kind: str, name: str, details: Mapping[str, Any]) -> Step:
    return Step(kind=kind, name=name, token=f"plimsoll-{rental.id}-{kind}-{name}", details=details)


CLOUD = Aws()
