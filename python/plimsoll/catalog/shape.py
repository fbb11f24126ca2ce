"""A volume as people write it, `type=gp2,size=100GiB,instance=m5.large`, with all its numbers.

Two records of the same options are equal, so that a shape can be stored, priced, simulated and served alike.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from plimsoll.catalog import eras
from plimsoll.catalog.fitted import KINDS, Fitted, check_is_of, read_fitted
from plimsoll.catalog.instance import Instance
from plimsoll.catalog.instances import instance
from plimsoll.catalog.latencies import latencies
from plimsoll.catalog.levels import read_levels, set_levels
from plimsoll.catalog.limits import Limits, Rate
from plimsoll.catalog.model import device_bytes
from plimsoll.catalog.options import SHAPE_OPTIONS, read_options
from plimsoll.catalog.provider import providers
from plimsoll.catalog.volume_type import Provisioned, VolumeType, volume_type
from plimsoll.errors import UsageError
from plimsoll.units import (
    GIB,
    HOUR,
    KIB,
    MILLISECOND,
    MINUTE,
    SECOND,
    format_size,
    parse_share,
    parse_size,
)

FIRST_TOUCH = {"floor_ns": 5 * MILLISECOND, "median_ns": 15 * MILLISECOND, "sigma": 0.5, "max_ns": 50 * MILLISECOND}
"""Fetching a chunk from the snapshot; "tens of milliseconds" are reported, the distribution is our assumption."""
FIRST_TOUCH_CHUNK = 512 * KIB
EPISODE = {
    "duration_min_ns": MINUTE,
    "duration_max_ns": 10 * MINUTE,
    "loss_min": 0.01,
    "loss_max": 0.89,
    "latency_min_ns": 200 * MILLISECOND,
    "latency_max_ns": 500 * MILLISECOND,
}
"""PlanetScale, "The real failure rate of EBS", 2025-03-18."""
EPISODE_MEAN_NS = 330 * SECOND


@dataclass(frozen=True)
class VolumeShape:
    """One volume, or an array of equal volumes, attached to an instance or to nothing."""

    options: Mapping[str, str]
    """What was written, normalised: reading it again gives the same shape."""
    type: VolumeType
    size_gib: float
    """Of one member."""
    limits: Limits
    """Of one member."""
    sold: Limits
    """What the provider says of one member: other than `limits` where a model was fitted."""
    instance: Instance | None
    instance_limits: Limits
    era: str | None
    raid: int | None
    members: int
    """1 without an array."""
    spec: dict[str, Any]
    """JSON of the volume crate's `VolumeSpec`."""
    size_bytes: int
    """Of the device that the user sees."""

    @property
    def provisioned_iops(self) -> int | None:
        """IOPS of one member that were chosen, for types where they are."""
        return self.sold.iops.rate if "iops" in self.type.chosen and self.sold.iops else None

    @property
    def provisioned_throughput(self) -> float | None:
        """Throughput of one member that was chosen, in the provider's unit, for types where it is."""
        if "throughput" not in self.type.chosen or self.sold.throughput is None:
            return None
        return self.sold.throughput.rate / self.type.provider.throughput_unit_bytes

    @property
    def provisioned(self) -> Provisioned:
        """What is bought of one member."""
        bought = (self.size_gib, self.provisioned_iops, self.provisioned_throughput, self.instance)
        return Provisioned(*bought, where=self.one)

    @property
    def time_scale(self) -> float:
        """How many times faster than real time durations pass on it."""
        return float(self.spec["time_scale"])

    @property
    def credit_factor(self) -> float:
        """How long its credits and those of its instance last, as a multiple of full ones in real time."""
        initial = parse_share(self.options["credits"]) if "credits" in self.options else 1.0
        levels = read_levels(self.options["levels"]) if "levels" in self.options else {}
        named = [levels[name] for name in ("iops_credits", "throughput_credits") if name in levels]
        return min(named, default=initial) / self.time_scale

    @property
    def one(self) -> str:
        """The volumes without what they are attached to: `gp2 100 GiB, 300 IOPS (burst 3,000), 128 MiB/s`."""
        name = f"{self.type.name} {_size_text(self.size_gib)}" if self.size_gib else self.type.name
        parts = [f"RAID {self.raid} of {self.members} × {name}" if self.raid is not None else name]
        parts += [_rate_text(self.limits.iops, 1, " IOPS")] if self.limits.iops else []
        if self.limits.throughput:
            provider = self.type.provider
            unit = f" {provider.throughput_unit}"
            parts.append(_rate_text(self.limits.throughput, provider.throughput_unit_bytes, unit))
        return ", ".join(parts)

    @property
    def summary(self) -> str:
        """`gp2 100 GiB, 300 IOPS (burst 3,000), 128 MiB/s, on m5.large`."""
        machine = f", on {self.instance.name}" if self.instance else ""
        fitted = ", as measured (model=)" if "model" in self.options else ""
        return f"{self.one}{machine}{f', as in {self.era}' if self.era else ''}{fitted}"


def volume_shape(options: Mapping[str, str], where: str) -> VolumeShape:
    """The shape written as options; `where` names their origin in errors.

    Raises UnknownName for an option, type or instance that does not exist, and UsageError, with the provider's rule,
    for what the provider would refuse.
    """
    given = read_options(SHAPE_OPTIONS, options, where)
    if "type" not in given:
        raise UsageError(f"{where}: a volume needs a type, such as type=gp3; `plimsoll list volumes` shows them")
    era = given.get("era")
    kind = volume_type(given["type"], era, where)
    machine = instance(given["instance"], era, where) if "instance" in given else None
    size_gib = _size_gib(given, kind, machine, where)
    throughput = throughput_in(given, kind, where)
    sold = kind.limits(Provisioned(size_gib, given.get("iops"), throughput, machine, where))
    normal = _normal(options, kind, sold, size_gib)
    fitted = read_fitted(given["model"], where) if "model" in given else Fitted({})
    check_is_of(fitted, kind.name, normal, where)
    own = fitted.limits(sold, where)
    raid, members, chunk = _array(given, kind, machine, where)
    shared = _shared(kind, machine, where)
    if members > 1 and kind.is_pooled:
        shared = shared.within(_pool(kind, machine, size_gib * members, where))
    values = {name: option.default for name, option in SHAPE_OPTIONS.items()} | given
    spec = _spec(values, kind, own, round(size_gib * GIB), machine)
    spec |= {f"{each}_latency": fitted.latency(each, spec[f"{each}_latency"]) for each in KINDS}
    if shared.iops or shared.throughput:
        spec["instance"] = _limits_spec(shared, values["credits"])
    set_levels(spec, values["levels"] or {}, f"{where}: levels")
    if raid is not None:
        spec["array"] = {"raid": raid, "members": members, "chunk": chunk}
    return VolumeShape(
        options=normal | ({"model": fitted.text} if fitted.numbers else {}),
        type=kind,
        size_gib=size_gib,
        limits=own,
        sold=sold,
        instance=machine,
        instance_limits=shared,
        era=era,
        raid=raid,
        members=members,
        spec=spec,
        size_bytes=device_bytes(spec, where),
    )


def _shared(kind: VolumeType, machine: Instance | None, where: str) -> Limits:
    """What a machine gives to all its volumes of a type; raises UsageError where no source says it."""
    if machine is None:
        return Limits(None, None)
    if machine.provider != kind.provider.name:
        others = ", ".join(each.title for each in providers() if each.name == machine.provider)
        raise UsageError(f"{where}: {kind.name} is sold by {kind.provider.title}, and {machine.name} by {others}")
    if kind.is_local:
        return Limits(None, None)
    known = machine.limits_for(kind.name)
    if known is None:
        raise UsageError(
            f"{where}: no source says how much {machine.name} gives to {kind.name}; "
            "leave the instance out, or name another (`plimsoll list coverage`)"
        )
    return known


def _pool(kind: VolumeType, machine: Instance | None, all_gib: float, where: str) -> Limits:
    """What all disks of a type on a machine get together, from their sizes together."""
    gib = min(all_gib, float(kind.max_gib or all_gib))
    return kind.limits(Provisioned(gib, None, None, machine, where))


def options_from(text: str, where: str) -> dict[str, str]:
    """The options in `gp3,size=100GiB` or `type=gp3+size=100GiB`: a first word without `=` is the type.

    Raises UsageError for a word without `=` elsewhere and for an option that is given twice.
    """
    found: dict[str, str] = {}
    for place, word in enumerate(re.split(r"[,+]", text)):
        name, equals, value = word.strip().partition("=")
        if not equals:
            if place or not name:
                raise UsageError(f"{where}: {word.strip()!r} is not an option; write NAME=VALUE, as in size=100GiB")
            name, value = "type", name
        if name in found:
            raise UsageError(f"{where}: {name} is given twice; keep one of them")
        found[name] = value.strip()
    return found


def throughput_in(given: Mapping[str, Any], kind: VolumeType, where: str) -> float | None:
    """`250`, `250MiB`, `250MiB/s`: throughput in the provider's unit."""
    if "throughput" not in given:
        return None
    plain = given["throughput"].removesuffix("/s")
    if plain.replace(".", "", 1).isdigit():
        return float(plain)
    try:
        return parse_size(plain) / kind.provider.throughput_unit_bytes
    except UsageError as error:
        raise UsageError(f"{where}: throughput: {error}") from None


def _size_gib(given: Mapping[str, Any], kind: VolumeType, machine: Instance | None, where: str) -> float:
    """GiB of one volume; of an instance's own disks, what they have."""
    if "size" in given:
        return float(given["size"] / GIB)
    if kind.is_local:
        return machine.store_disk_gib if machine else 0.0
    raise UsageError(f"{where}: {kind.name} needs a size, such as size=100GiB")


def _array(
    given: Mapping[str, Any], kind: VolumeType, machine: Instance | None, where: str
) -> tuple[int | None, int, int]:
    """Level, members and chunk size, which the model checks; level None without an array."""
    level, members = given.get("raid"), given.get("members")
    chunk = given.get("chunk", SHAPE_OPTIONS["chunk"].default)
    if level is None:
        if members not in (None, 1):
            raise UsageError(f"{where}: members={members} needs an array: add raid=0, 1, 5 or 10")
        if "chunk" in given:
            raise UsageError(f"{where}: chunk needs an array: add raid=0, 1, 5 or 10")
        return None, 1, chunk
    if members is None:
        raise UsageError(f"{where}: raid={level} needs members, such as members=4")
    if kind.is_local and machine and members > machine.store_disks:
        raise UsageError(f"{where}: {machine.name} has {machine.store_disks} disks of its own, not {members}")
    return level, members, chunk


def _spec(
    values: Mapping[str, Any], kind: VolumeType, own: Limits, size_bytes: int, machine: Instance | None
) -> dict[str, Any]:
    latency, facts = kind.latency_on(machine), latencies(kind.provider.name)
    spec: dict[str, Any] = {
        "size": size_bytes,
        "accounting": {
            "unit_bytes": kind.unit_kib * KIB,
            "merge_min_bytes": kind.merge_min_bytes,
            "throughput_in_units": kind.throughput_in_units,
        },
        "read_latency": facts[latency, "read"].spec,
        "write_latency": facts[latency, "write"].spec,
        "queue": values["queue"] or kind.queue,
        "seed": values["seed"],
        "time_scale": values["time_scale"],
        **_limits_spec(own, values["credits"]),
    }
    if values["first_touch"] is not None:
        spec["first_touch"] = {
            "chunk_bytes": FIRST_TOUCH_CHUNK,
            "latency": FIRST_TOUCH,
            "initialization_bytes_per_s": values["first_touch"],
        }
    if values["degradation"]:
        share = 1 - (kind.consistency_time or 0.99)
        spec["degradation"] = {"events_per_day": share * 24 * HOUR / EPISODE_MEAN_NS, **EPISODE}
    return spec


def _limits_spec(own: Limits, credits: float) -> dict[str, Any]:
    pairs = (("iops", own.iops), ("throughput", own.throughput))
    return {name: rate.spec(credits) for name, rate in pairs if rate is not None}


def _normal(options: Mapping[str, str], kind: VolumeType, own: Limits, size_gib: float) -> dict[str, str]:
    """The options in the order of the table, with what was left to the provider written out."""
    found = {name: options[name].strip() for name in SHAPE_OPTIONS if name in options}
    found["type"] = kind.name
    if size_gib and not kind.is_local:
        found["size"] = f"{round(size_gib * GIB)}B" if size_gib % 1 else f"{size_gib:.0f}GiB"
    if "iops" in kind.chosen and own.iops:
        found["iops"] = str(own.iops.rate)
    if "throughput" in kind.chosen and own.throughput:
        found["throughput"] = f"{own.throughput.rate / kind.provider.throughput_unit_bytes:g}"
    if "era" in found:
        eras.month(found["era"])
    return {name: found[name] for name in SHAPE_OPTIONS if name in found}


def _size_text(gib: float) -> str:
    """Exact where it is whole GiB, as volumes are sold: 3,637 GiB and not 3.55 TiB."""
    return f"{gib:,.0f} GiB" if gib % 1 == 0 and gib % 1024 else format_size(gib * GIB)


def _rate_text(rate: Rate, factor: int, unit: str) -> str:
    text = f"{rate.sustained / factor:,.4g}" if rate.sustained / factor < 1000 else f"{rate.sustained / factor:,.0f}"
    burst = f" (burst {rate.rate / factor:,.0f})" if rate.baseline is not None else ""
    return f"{text}{unit}{burst}"
