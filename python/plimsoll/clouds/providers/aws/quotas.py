"""Whether the account may have so much: virtual processors, TiB and IOPS in a region, with what it has already."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from plimsoll.catalog.instances import instances
from plimsoll.clouds.providers.aws.client import call, pages
from plimsoll.clouds.providers.aws.errors import Forbidden, Gone
from plimsoll.clouds.wanted import Rental
from plimsoll.errors import UsageError
from plimsoll.units import GIB

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
        problems = [problem for need in (*_processors(rental), *_storage(rental)) if (problem := _short(rental, need))]
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
    taken = f", of which {used:,.4g} are in use" if used else ""
    return (
        f"{need.amount:,.4g} {need.what} are needed in {rental.region}, and the account may have {quota:,.4g}{taken}; "
        f"ask for more at {place}, or rent less"
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


def _there(region: str, kind: str, what: str, per: int) -> float:
    """What the account's volumes of a type have together."""
    found = pages(region, "ec2", "describe_volumes", "Volumes", Filters=[{"Name": "volume-type", "Values": [kind]}])
    return float(sum(each.get(what, 0) for each in found)) / per
