"""The providers' formulas: from type, size and what was provisioned to limits, and the refusal of what they refuse.

One function per rule named in `data/volumes.csv`. Each takes a `Request` and returns `Limits`; what is impossible
raises UsageError with the provider's rule and its source.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

from plimsoll.catalog.instances import Instance
from plimsoll.catalog.limits import Limits, Rate
from plimsoll.catalog.tables import rows
from plimsoll.catalog.types import VolumeType
from plimsoll.errors import UsageError
from plimsoll.units import exact_number

GP2_CREDITS = 5_400_000
"""I/O credits of a gp2 volume: full at the start, 3,000 IOPS for 30 minutes."""
GP2_BURST = 3000
MAGNETIC_BASELINE, MAGNETIC_CREDITS = 100, 18_000
"""EBS magnetic: "about 100 on average, bursts to hundreds" is all that was published; 180 s at 200 are our guess."""
LOCAL_BYTES_PER_IO = 8192
"""Throughput of instance stores is not published; assumed 8 KiB for each 4 KiB read per second."""
DOCUMENTS = {
    "ug23": "EC2 user guide, 2023-06",
    "ug18": "EC2 user guide, 2018-02",
    "ec214": "EC2 user guide, 2014-05",
    "ebs25": "EBS user guide, 2025",
    "azure26": "Azure disk types, 2026-08",
    "gcp25": "Google Cloud disks, 2025",
    "dd13": "Datadog, 2013-07",
    "olson24": "M. Olson, 2024-08",
    "fit13": "fit to an article, 2013",
}


@dataclass(frozen=True)
class Request:
    """A volume that somebody asks for."""

    type: VolumeType
    size_gib: float
    iops: int | None
    throughput: float | None
    """In the provider's unit, `VolumeType.mega`."""
    instance: Instance | None
    where: str

    def refuse(self, what: str, rule: str) -> NoReturn:
        """Says what is impossible and which rule says so."""
        source = f"{self.type.title}, {self.type.period}; {DOCUMENTS[self.type.source]}"
        raise UsageError(f"{self.where}: {what}; the provider's rule: {rule} ({source})")


def limits(request: Request) -> Limits:
    """The limits of a volume; raises UsageError where the provider would refuse it."""
    _check_size(request)
    return RULES[request.type.rule](request)


def _check_size(request: Request) -> None:
    low, high = request.type.min_gib, request.type.max_gib
    if low is not None and high is not None and not low <= request.size_gib <= high:
        name = request.type.name
        request.refuse(f"{name} of {request.size_gib:,.10g} GiB is impossible", f"{name} is {low:,} to {high:,} GiB")


def _no_choice(request: Request, what: str, why: str) -> None:
    """Types whose limits follow from the size take no provisioned values."""
    given = {"iops": request.iops, "throughput": request.throughput}
    for name, value in given.items():
        if value is not None and name in what:
            request.refuse(f"{request.type.name} takes no {name}={exact_number(value)}", why)


def _provisioned_iops(request: Request) -> int:
    """The IOPS that were asked for, or what is included or the least; refuses what range and ratio forbid."""
    kind = request.type
    low, high = kind.iops_min or 1, kind.iops_max or 1
    iops = request.iops if request.iops is not None else kind.iops_included
    if iops is None:
        request.refuse(f"{kind.name} needs iops=…", f"IOPS are provisioned, from {low:,} to {high:,}")
    name = f"{kind.name} with {iops:,} IOPS"
    if not low <= iops <= high:
        request.refuse(f"{name} is impossible", f"{low:,} to {high:,} IOPS")
    ratio = kind.iops_per_gib
    # What comes without charge comes with every size.
    if ratio is not None and iops > max(ratio * request.size_gib, kind.iops_included or low):
        most = f"at most {ratio:g} IOPS per GiB, {ratio * request.size_gib:,.0f} for {request.size_gib:,.10g} GiB"
        request.refuse(f"{name} in {request.size_gib:,.10g} GiB is impossible", most)
    if iops > 32_000 and kind.name in ("io1", "io2") and request.instance and not request.instance.nitro:
        request.refuse(f"{name} on {request.instance.name}", "more than 32,000 IOPS need an instance built on Nitro")
    return iops


def _provisioned(request: Request) -> Limits:
    """gp3, Premium SSD v2, Ultra, Hyperdisk: IOPS and throughput are chosen, within ratios."""
    kind = request.type
    iops = _provisioned_iops(request)
    unit = kind.mega_name
    ceiling = min(kind.throughput_max or 0, (kind.kib_per_iops or 0) * iops / 1024)
    chosen = request.throughput if request.throughput is not None else kind.throughput_included or ceiling
    if chosen > ceiling:
        per = (kind.kib_per_iops or 0) / 1024
        rule = f"at most {per:g} {unit} per provisioned IOPS and {kind.throughput_max:,} {unit} in all"
        needed = f", so {ceiling:,.10g} {unit} with {iops:,} IOPS"
        request.refuse(f"{kind.name} with {chosen:g} {unit} is impossible", rule + needed)
    least = kind.throughput_included or 1
    if chosen < least:
        request.refuse(f"{kind.name} with {chosen:g} {unit} is impossible", f"at least {least} {unit}")
    return Limits(Rate(iops), Rate(round(chosen * kind.mega)))


def _io(request: Request) -> Limits:
    """io1 and the first io2: 256 KiB per IOPS to 500 MiB/s; beyond 32,000 IOPS 16 KiB per IOPS to 1,000 MiB/s."""
    iops = _provisioned_iops(request)
    _no_choice(request, "throughput", "throughput follows from the IOPS")
    mib = min(500.0, iops * 256 / 1024) if iops <= 32_000 else min(1000.0, iops * 16 / 1024)
    return Limits(Rate(iops), Rate(round(mib * 2**20)))


def _io2(request: Request) -> Limits:
    """io2 Block Express: 0.256 MiB/s per IOPS, to 4,000 MiB/s."""
    iops = _provisioned_iops(request)
    _no_choice(request, "throughput", "throughput follows from the IOPS: 0.256 MiB/s for each")
    return Limits(Rate(iops), Rate(round(min(4000.0, 0.256 * iops) * 2**20)))


def _piops(request: Request) -> Limits:
    """Provisioned IOPS of 2012 to 2017: no throughput limit of their own but the unit times the IOPS."""
    iops = _provisioned_iops(request)
    _no_choice(request, "throughput", "throughput follows from the IOPS")
    return Limits(Rate(iops), None)


def _gp2(request: Request) -> Limits:
    """gp2: 3 IOPS per GiB, credits to burst to 3,000 below 1,000 GiB."""
    kind = request.type
    _no_choice(request, "iops throughput", "3 IOPS per GiB, 100 to 16,000; gp3 and io2 let you choose")
    base = min(kind.iops_max or 0, max(kind.iops_min or 0, round(3 * request.size_gib)))
    iops = Rate(base) if base >= GP2_BURST else Rate(GP2_BURST, base, GP2_CREDITS)
    # Without credits, IOPS × 256 KiB bound the throughput by themselves.
    mib = 128 if request.size_gib <= 170 else kind.throughput_max or 0
    return Limits(iops, Rate(mib * 2**20))


def _hdd(request: Request) -> Limits:
    """st1 and sc1: throughput credits, a bucket of 1 TiB per TiB that holds one scan of the volume."""
    kind = request.type
    _no_choice(request, "iops throughput", "throughput follows from the size")
    per_tib = {"st1": (40, 250), "sc1": (12, 80)}[kind.name]
    tib = request.size_gib / 1024
    cap = kind.throughput_max or 0
    base, burst = (round(min(cap, each * tib) * 2**20) for each in per_tib)
    throughput = Rate(burst) if burst <= base else Rate(burst, base, round(request.size_gib * 2**30))
    return Limits(Rate(kind.iops_max or 0), throughput)


def _magnetic(request: Request) -> Limits:
    """EBS of 2008: best effort, about 100 IOPS on average."""
    kind = request.type
    _no_choice(request, "iops throughput", "best effort, about 100 IOPS")
    rate = Rate(kind.iops_max or 0, MAGNETIC_BASELINE, MAGNETIC_CREDITS)
    return Limits(rate, Rate((kind.throughput_max or 0) * 2**20))


def _best_effort(request: Request) -> Limits:
    """EBS magnetic as an article of 2013 found it: no credits, and far above the 100 IOPS that were promised."""
    kind = request.type
    _no_choice(request, "iops throughput", "best effort")
    return Limits(Rate(kind.iops_max or 0), Rate((kind.throughput_max or 0) * 2**20))


def _local(request: Request) -> Limits:
    """One disk of an instance store, where the instance's own figures are published."""
    _no_choice(request, "iops throughput", "its disks come with the instance")
    instance = request.instance
    if instance is None or not instance.store_disks:
        which = f"{instance.name} has none" if instance else "give the instance too, such as instance=m5d.large"
        request.refuse(f"{request.type.name} comes with an instance: {which}", "disks are part of the instance type")
    if instance.store_read_iops is None:
        return Limits(None, None)
    iops = instance.store_read_iops // instance.store_disks
    return Limits(Rate(iops), Rate(iops * LOCAL_BYTES_PER_IO))


def _per_gib(request: Request) -> Limits:
    """Persistent disks: a floor and so much per GiB; shared by all disks of the type on a machine."""
    kind = request.type
    _no_choice(request, "iops throughput", "performance follows from the size")
    mib_per_gib = {"pd-standard": 0.12, "pd-balanced": 0.28, "pd-ssd": 0.48}[kind.name]
    iops = (kind.iops_min or 0) + (kind.iops_per_gib or 0) * request.size_gib
    mib = (kind.throughput_included or 0) + mib_per_gib * request.size_gib
    return Limits(
        Rate(max(1, round(min(iops, kind.iops_max or iops)))),
        Rate(round(min(mib, kind.throughput_max or mib) * 2**20)),
    )


def _azure_tier(request: Request) -> Limits:
    """Premium SSD: the limits of the smallest size that holds the disk; small ones burst on credits for 30 minutes."""
    _no_choice(request, "iops throughput", "performance follows from the size (P1 to P80)")
    tiers = list(rows(__package__, "azure_premium_ssd"))
    tier = next(row for row in tiers if int(row["gib"]) >= request.size_gib)
    base, base_bytes = int(tier["base_iops"]), int(tier["base_mbs"]) * 10**6
    if tier["burst"] != "credit":
        return Limits(Rate(base), Rate(base_bytes))
    return Limits(
        Rate.half_hour(base, int(tier["burst_iops"])), Rate.half_hour(base_bytes, int(tier["burst_mbs"]) * 10**6)
    )


RULES: dict[str, Callable[[Request], Limits]] = {
    "provisioned": _provisioned,
    "io": _io,
    "io2": _io2,
    "piops": _piops,
    "gp2": _gp2,
    "hdd": _hdd,
    "magnetic": _magnetic,
    "best-effort": _best_effort,
    "local": _local,
    "per-gib": _per_gib,
    "azure-tier": _azure_tier,
}
