"""What a provider sells of a type, in its own steps: 1 GiB, 1 IOPS, 1 MiB/s (Azure: 1 MB/s), or the sizes of a list.

Along each axis a volume only gets faster and never cheaper. A point is the least volume that has at least so much on
each axis: what else the provider's ratios then ask for (more IOPS for the throughput, more GiB for the IOPS) comes with
it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from plimsoll.catalog.instances import instance
from plimsoll.catalog.shape import VolumeShape, volume_shape
from plimsoll.catalog.tables import rows
from plimsoll.catalog.types import VolumeType, volume_type
from plimsoll.units import GIB, MIB, parse_size

CHOSEN = ("provisioned", "io", "io2", "piops")
"""Rules of types whose IOPS are chosen."""
SIZED = ("gp2", "hdd", "per-gib")
"""Rules of types whose performance follows from the size."""
NITRO_FROM = 32_000
"""io1 and io2 sell more only to instances built on Nitro."""


@dataclass(frozen=True)
class Axis:
    """One thing that can be chosen, from the least on."""

    name: str
    """`iops`, `throughput` or `size`, as the option of a volume."""
    values: Sequence[int]


@dataclass(frozen=True)
class Grid:
    """All volumes of one type that hold what must fit."""

    kind: VolumeType
    options: Mapping[str, str]
    """What is not chosen."""
    least: VolumeShape
    """The volume that is least on every axis."""
    axes: tuple[Axis, ...]
    """None, one, or IOPS and throughput in this order."""

    def shape(self, point: Sequence[int]) -> VolumeShape:
        """The least volume with at least these values, one of each axis; raises UsageError where none is sold."""
        wanted = {axis.name: value for axis, value in zip(self.axes, point, strict=True)}
        size = wanted.get("size", math.ceil(self.least.size_gib))
        if self.kind.rule in CHOSEN:
            iops = wanted.get("iops") or self.least.provisioned_iops or 1
            if "throughput" in wanted and "iops" in wanted:
                iops = max(iops, _iops_for(self.kind, wanted["throughput"]))
            size = max(size, _gib_for(self.kind, iops))
            wanted["iops"] = iops
        if self.kind.rule != "local":
            wanted["size"] = size
        text = {name: f"{value}GiB" if name == "size" else str(value) for name, value in wanted.items()}
        return volume_shape({**self.options, **text}, _where(self.kind.name))


def grid(name: str, options: Mapping[str, str]) -> Grid:
    """What can be chosen of a type for volumes that hold `size`; IOPS and throughput that are given stay.

    Raises UsageError where not even the least can be bought.
    """
    kind = volume_type(name, options.get("era"), "--compare")
    base = {**options, "type": name}
    if kind.rule != "local":
        base["size"] = _fitting(kind, base["size"])
    if kind.rule in CHOSEN:
        return _provisioned(kind, base)
    for option in ("iops", "throughput"):
        base.pop(option, None)
    least = volume_shape(base, _where(name))
    first = math.ceil(least.size_gib)
    if kind.rule in SIZED:
        return Grid(kind, base, least, (Axis("size", range(first, (kind.max_gib or first) + 1)),))
    if kind.rule == "azure-tier":
        # A disk costs and gives what the next size of the list does.
        above = [gib for row in rows("plimsoll.catalog", "azure_premium_ssd") if (gib := int(row["gib"])) >= first]
        return Grid(kind, base, least, (Axis("size", (first, *above[1:])),))
    return Grid(kind, base, least, ())


def _provisioned(kind: VolumeType, base: dict[str, str]) -> Grid:
    """IOPS are chosen, where they are not given, and so is the throughput where it has a price of its own."""
    ample = {**base, "size": f"{kind.max_gib}GiB"}
    low, high = _iops_range(kind, base)
    if "iops" in base:
        low = high = volume_shape(ample, _where(kind.name)).provisioned_iops or low
    elif "throughput" in base:
        found = volume_shape({**ample, "iops": str(high)}, _where(kind.name)).provisioned_throughput
        low = max(low, _iops_for(kind, math.ceil(found or 0)))
    size = max(_whole_gib(base["size"]), _gib_for(kind, low))
    least = volume_shape({**base, "iops": str(low), "size": f"{size}GiB"}, _where(kind.name))
    axes = [] if "iops" in base else [Axis("iops", range(low, high + 1))]
    if "throughput" not in base and (kind.throughput_included or kind.name == "ultra"):
        most = min(kind.throughput_max or 0, math.floor((kind.kib_per_iops or 0) * high / 1024))
        axes.append(Axis("throughput", range(kind.throughput_included or 1, most + 1)))
    return Grid(kind, base, least, tuple(axes))


def _where(name: str) -> str:
    return f"--compare {name}"


def _fitting(kind: VolumeType, text: str) -> str:
    """The smallest size on sale that holds as much; what is no size is left to be refused."""
    if parse_size(text) < MIB:
        return text
    return f"{max(kind.min_gib or 1, _whole_gib(text))}GiB"


def _whole_gib(text: str) -> int:
    return math.ceil(parse_size(text) / GIB)


def _iops_range(kind: VolumeType, base: Mapping[str, str]) -> tuple[int, int]:
    """The fewest, and the most at the largest size, to this instance."""
    low, most = kind.iops_included or kind.iops_min or 1, kind.iops_max or 1
    if kind.iops_per_gib and kind.max_gib:
        most = min(most, max(low, math.floor(kind.iops_per_gib * kind.max_gib)))
    if kind.name in ("io1", "io2") and "instance" in base:
        machine = instance(base["instance"].strip().lower(), base.get("era"), _where(kind.name))
        most = most if machine.nitro else min(most, NITRO_FROM)
    return low, most


def _iops_for(kind: VolumeType, throughput: int) -> int:
    """The fewest IOPS that this throughput is sold with."""
    return math.ceil(throughput * 1024 / kind.kib_per_iops) if kind.kib_per_iops else 1


def _gib_for(kind: VolumeType, iops: int) -> int:
    """The fewest GiB that these IOPS are sold with."""
    if not kind.iops_per_gib or iops <= (kind.iops_included or kind.iops_min or 1):
        return 1
    return math.ceil(iops / kind.iops_per_gib)
