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
from plimsoll.catalog.provisioned import ProvisionedIops
from plimsoll.catalog.shape import VolumeShape, volume_shape
from plimsoll.catalog.volume_type import VolumeType, volume_type
from plimsoll.units import GIB, MIB, parse_size


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
        if isinstance(self.kind, ProvisionedIops):
            iops = wanted.get("iops") or self.least.provisioned_iops or 1
            if "throughput" in wanted and "iops" in wanted:
                iops = max(iops, self.kind.iops_for(wanted["throughput"]))
            size = max(size, self.kind.gib_for(iops))
            wanted["iops"] = iops
        if not self.kind.is_local:
            wanted["size"] = size
        text = {name: f"{value}GiB" if name == "size" else str(value) for name, value in wanted.items()}
        return volume_shape({**self.options, **text}, _where(self.kind.name))


def grid(name: str, options: Mapping[str, str]) -> Grid:
    """What can be chosen of a type for volumes that hold `size`; IOPS and throughput that are given stay.

    Raises UsageError where not even the least can be bought.
    """
    kind = volume_type(name, options.get("era"), "--compare")
    base = {**options, "type": name}
    if not kind.is_local:
        base["size"] = _fitting(kind, base["size"])
    if isinstance(kind, ProvisionedIops):
        return _provisioned(kind, base)
    for option in ("iops", "throughput"):
        base.pop(option, None)
    least = volume_shape(base, _where(name))
    sizes = kind.sizes(math.ceil(least.size_gib))
    return Grid(kind, base, least, (Axis("size", sizes),) if sizes else ())


def _provisioned(kind: ProvisionedIops, base: dict[str, str]) -> Grid:
    """IOPS are chosen, where they are not given, and so is the throughput where it has a price of its own."""
    ample = {**base, "size": f"{kind.max_gib}GiB"}
    name, era = base.get("instance"), base.get("era")
    low, high = kind.iops_range(instance(name.strip().lower(), era, _where(kind.name)) if name is not None else None)
    if "iops" in base:
        low = high = volume_shape(ample, _where(kind.name)).provisioned_iops or low
    elif "throughput" in base:
        found = volume_shape({**ample, "iops": str(high)}, _where(kind.name)).provisioned_throughput
        low = max(low, kind.iops_for(math.ceil(found or 0)))
    size = max(_whole_gib(base["size"]), kind.gib_for(low))
    least = volume_shape({**base, "iops": str(low), "size": f"{size}GiB"}, _where(kind.name))
    axes = [] if "iops" in base else [Axis("iops", range(low, high + 1))]
    if "throughput" not in base and "throughput" in kind.chosen and kind.throughput_included is not None:
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
