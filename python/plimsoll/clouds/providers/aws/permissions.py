"""Whether the credentials may make what is to be made: each call is made as a dry run, which changes nothing.

What ends things cannot be asked so, because there is nothing to end yet; a machine ends itself in any case.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from plimsoll.clouds.providers.aws import machines, network, zones
from plimsoll.clouds.providers.aws.client import call
from plimsoll.clouds.providers.aws.errors import Allowed
from plimsoll.clouds.providers.aws.tags import specifications
from plimsoll.clouds.wanted import Rental
from plimsoll.errors import CloudError, Unanswered, UsageError

PUBLIC = b"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA plimsoll"
"""A key of zeros: a dry run imports none."""


def check(rental: Rental) -> list[str]:
    """Raises UsageError with what is forbidden or refused, each with the policy line that grants it."""
    problems = []
    for operation, arguments in _calls(rental):
        try:
            call(rental.region, "ec2", operation, DryRun=True, **arguments)
        except Allowed:
            continue
        except Unanswered:
            raise
        except CloudError as error:
            problems.append(str(error))
    if problems:
        raise UsageError("; ".join(dict.fromkeys(problems)))
    return []


def _calls(rental: Rental) -> Iterator[tuple[str, Mapping[str, Any]]]:
    zone = zones.choose(rental)
    name = network.name(rental.id)
    tagged = {"TagSpecifications": specifications(rental, "key", [network.KEY_PAIR])}
    yield "import_key_pair", {"KeyName": name, "PublicKeyMaterial": PUBLIC, **tagged}
    tagged = {"TagSpecifications": specifications(rental, "group", [network.GROUP])}
    yield "create_security_group", {"GroupName": name, "Description": "SSH", "VpcId": zone.network, **tagged}
    for machine in rental.machines:
        asked = machines.arguments(machine, machines.details(rental, machine, zone))
        yield "run_instances", {**asked, "TagSpecifications": specifications(rental, machine.name, machines.TAGGED)}
