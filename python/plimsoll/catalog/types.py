"""Volume types by provider and era, from `data/volumes.csv`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from plimsoll.catalog import eras
from plimsoll.catalog.tables import number, rows, whole
from plimsoll.errors import UnknownName, UsageError


@dataclass(frozen=True)
class VolumeType:
    """One type in one period. Sizes in GiB, throughput in MiB/s (Azure: 10^6 bytes/s), None where there is no rule."""

    name: str
    provider: str
    title: str
    since: str
    until: str
    """The first month in which it held no more; empty while it holds."""
    rule: str
    min_gib: int | None
    max_gib: int | None
    iops_min: int | None
    iops_max: int | None
    iops_per_gib: float | None
    iops_included: int | None
    throughput_included: int | None
    throughput_max: int | None
    kib_per_iops: float | None
    unit_kib: int
    latency: str
    queue: str
    consistency: float | None
    """Share of the provisioned limit that the provider promises."""
    consistency_time: float | None
    """Share of a year in which it promises it."""
    source: str

    @property
    def mega(self) -> int:
        """Bytes in the unit of throughput that the provider writes."""
        return 10**6 if self.provider == "azure" else 2**20

    @property
    def mega_name(self) -> str:
        """Name of that unit."""
        return "MB/s" if self.provider == "azure" else "MiB/s"

    @property
    def period(self) -> str:
        """`2014-06 to 2017-12`, or `since 2020-12`."""
        return f"{self.since} to {self.until}" if self.until else f"since {self.since}"


@cache
def volume_types() -> tuple[VolumeType, ...]:
    """All types in all periods, in the order of the file: newest first."""
    return tuple(
        VolumeType(
            name=row["type"],
            provider=row["provider"],
            title=row["title"],
            since=row["since"],
            until=row["until"],
            rule=row["rule"],
            min_gib=whole(row["min_gib"]),
            max_gib=whole(row["max_gib"]),
            iops_min=whole(row["iops_min"]),
            iops_max=whole(row["iops_max"]),
            iops_per_gib=number(row["iops_per_gib"]),
            iops_included=whole(row["iops_included"]),
            throughput_included=whole(row["throughput_included_mib"]),
            throughput_max=whole(row["throughput_max_mib"]),
            kib_per_iops=number(row["kib_per_iops"]),
            unit_kib=int(row["unit_kib"]),
            latency=row["latency"],
            queue=row["queue"],
            consistency=number(row["consistency"]),
            consistency_time=number(row["consistency_time"]),
            source=row["source"],
        )
        for row in rows(__package__, "volumes")
    )


def volume_type(name: str, era: str | None = None, where: str = "") -> VolumeType:
    """The type as it was in `era` (see `eras`), or as it is.

    Raises UnknownName for a type that never was, UsageError for one that was not sold in that era.
    """
    periods = [each for each in volume_types() if each.name == name]
    if not periods:
        raise UnknownName("volume type", name, {each.name for each in volume_types()}, where)
    month = eras.month(era, where or "era")
    for each in periods:
        if eras.within(month, each.since, each.until):
            return each
    known = ", ".join(each.period for each in reversed(periods))
    raise UsageError(f"{where or name}: {name} was not sold in {era}; it is known {known}")
