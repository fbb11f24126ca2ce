"""Whether the account may have so much in a region, with what it has already: processors, TiB, IOPS, databases."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from plimsoll.catalog.instances import instances
from plimsoll.clouds.providers.aws.client import call, pages
from plimsoll.clouds.providers.aws.errors import Forbidden, Gone
from plimsoll.clouds.wanted import Rental
from plimsoll.errors import UsageError
from plimsoll.units import GIB, format_number

STANDARD = re.compile(r"(a|c|d|h|i|im|is|m|r|t|z)\d")
"""Families of one quota; the others, each with one of its own, are left to AWS."""
ON_DEMAND, SPOT = "L-1216C47A", "L-34B43A08"
STORAGE = {
    "gp2": "L-D18FCD1D",
    "gp3": "L-7A658B76",
    "io1": "L-FD252861",
    "io2": "L-09BD8365",
    "sc1": "L-17AF77E8",
    "st1": "L-82ACEF56",
    "standard": "L-9CF3C2EB",
}
"""In TiB."""
IOPS = {"io1": "L-B3A130E6", "io2": "L-8D977E7E"}
DATABASES, DATABASE_STORAGE, SUBNET_GROUPS = "L-7B6409FD", "L-7ADDB58A", "L-48C6BF61"
"""Of RDS: their number, the GiB of all of them together, and the groups of subnets, of which a rental has one."""
GIB_PER_TIB = 1024


@dataclass(frozen=True)
class Need:
    """So much of what a quota bounds."""

    service: str
    code: str
    what: str
    amount: float
    used: Callable[[], float]
    """Asks what the account has already."""


def check(rental: Rental) -> list[str]:
    """Raises UsageError for a quota that is too small; a warning where quotas cannot be read."""
    try:
        needs = (*_processors(rental), *_storage(rental), *_databases(rental))
        problems = [problem for need in needs if (problem := _short(rental, need))]
    except Forbidden as error:
        return [f"whether quotas are large enough is not known: {error}"]
    if problems:
        raise UsageError("; ".join(problems))
    return []


def _short(rental: Rental, need: Need) -> str | None:
    quota = _quota(rental.region, need.service, need.code)
    if quota is None:
        return None
    used = need.used() if need.amount <= quota else 0.0
    if need.amount + used <= quota:
        return None
    place = f"https://console.aws.amazon.com/servicequotas/home/services/{need.service}/quotas/{need.code}"
    taken = f", of which {format_number(used)} are in use" if used else ""
    return (
        f"{format_number(need.amount)} {need.what} are needed in {rental.region}, and the account may have "
        f"{format_number(quota)}{taken}; ask for more at {place}, or rent less"
    )


def _processors(rental: Rental) -> Iterator[Need]:
    for spot, code in ((False, ON_DEMAND), (True, SPOT)):
        if wanted := _count(each.type for each in rental.machines if each.spot == spot):
            yield Need("ec2", code, "virtual processors", wanted, partial(_running, rental.region, spot))


def _storage(rental: Rental) -> Iterator[Need]:
    gib, iops = Counter[str](), Counter[str]()
    for disk in (disk for machine in rental.machines for disk in machine.disks):
        gib[disk.type] += -(-disk.size_bytes // GIB)
        iops[disk.type] += disk.iops or 0
    for name, code in STORAGE.items():
        if gib[name]:
            used = partial(_there, rental.region, name, "Size", GIB_PER_TIB)
            yield Need("ebs", code, f"TiB of {name}", gib[name] / GIB_PER_TIB, used)
    for name, code in IOPS.items():
        if iops[name]:
            yield Need("ebs", code, f"IOPS of {name}", iops[name], partial(_there, rental.region, name, "Iops", 1))


def _databases(rental: Rental) -> Iterator[Need]:
    if not rental.databases:
        return
    region, stored = rental.region, sum(-(-each.size_bytes // GIB) for each in rental.databases)
    yield Need("rds", DATABASES, "databases", len(rental.databases), lambda: len(_listed(region, "instances")))
    yield Need("rds", DATABASE_STORAGE, "GiB of databases", stored, partial(_stored, region))
    yield Need("rds", SUBNET_GROUPS, "groups of subnets", 1, lambda: len(_listed(region, "subnet_groups")))


def _quota(region: str, service: str, code: str) -> float | None:
    try:
        answer = call(region, "service-quotas", "get_service_quota", ServiceCode=service, QuotaCode=code)
    except Gone:
        return None
    return float(answer["Quota"]["Value"])


def _count(types: Iterable[str]) -> int:
    """Virtual processors of the types that share the quota."""
    known = instances()
    return sum(known[each].vcpu for each in types if each in known and STANDARD.match(each))


def _running(region: str, spot: bool) -> float:
    alive = [{"Name": "instance-state-name", "Values": ["pending", "running"]}]
    found = pages(region, "ec2", "describe_instances", "Reservations", Filters=alive)
    all_of_them = [each for reservation in found for each in reservation["Instances"]]
    return _count(each["InstanceType"] for each in all_of_them if (each.get("InstanceLifecycle") == "spot") == spot)


def _listed(region: str, what: str) -> list[Mapping[str, Any]]:
    """The account's databases, or their groups of subnets."""
    of = {"instances": "DBInstances", "subnet_groups": "DBSubnetGroups"}[what]
    return list(pages(region, "rds", f"describe_db_{what}", of))


def _stored(region: str) -> float:
    return float(sum(each.get("AllocatedStorage", 0) for each in _listed(region, "instances")))


def _there(region: str, kind: str, what: str, per: int) -> float:
    """What the account's volumes of a type have together."""
    found = pages(region, "ec2", "describe_volumes", "Volumes", Filters=[{"Name": "volume-type", "Values": [kind]}])
    return float(sum(each.get(what, 0) for each in found)) / per
