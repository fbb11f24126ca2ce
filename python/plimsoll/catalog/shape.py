"""A volume as people write it, `type=gp2,size=100GiB,instance=m5.large`, with all its numbers.

Two records of the same options are equal, so that a shape can be stored, priced, simulated and served alike.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from plimsoll.catalog import eras
from plimsoll.catalog.instance import Instance
from plimsoll.catalog.instances import instance
from plimsoll.catalog.latencies import latencies
from plimsoll.catalog.limits import Limits, Rate
from plimsoll.catalog.volume_type import Provisioned, VolumeType, volume_type
from plimsoll.errors import UnknownName, UsageError
from plimsoll.units import (
    GIB,
    HOUR,
    KIB,
    MIB,
    MILLISECOND,
    MINUTE,
    SECOND,
    format_size,
    parse_count,
    parse_share,
    parse_size,
)

SHAPE_OPTIONS: dict[str, str] = {
    "type": "volume type; `plimsoll list volumes`",
    "size": "size of one volume, such as 100GiB",
    "iops": "provisioned IOPS, where the type takes them",
    "throughput": "provisioned throughput, such as 250MiB (a bare number is the provider's unit)",
    "instance": "instance type it is attached to, whose limits it shares; `plimsoll list instances`",
    "era": "year or month whose limits hold, such as 2013 or 2018-02; without it, today's",
    "raid": "array level over equal volumes: 0, 1, 5 or 10",
    "members": "volumes in the array",
    "chunk": "stripe unit of the array; 512KiB as md's",
    "credits": "share of burst credits, the instance's as well, at the start; 100 %",
    "first_touch": "yes: restored from a snapshot, slow where first touched; 200MiB: and initialised at that rate",
    "degradation": "yes: now and then the volume gives less, as far as the provider's promise allows",
    "queue": "order in front of an exhausted limit: fifo or unfair",
    "seed": "of the model's random draws; 1",
    "time_scale": "durations (credits, bursts, episodes) are this many times shorter; 1",
}
"""What a shape is written with, and what each means."""

FOR_LIFE = ("raid", "members", "chunk", "instance", "seed", "time_scale", "era", "credits")
"""Options that a volume in use keeps: it is another volume with other ones."""

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
        return self.limits.iops.rate if "iops" in self.type.chosen and self.limits.iops else None

    @property
    def provisioned_throughput(self) -> float | None:
        """Throughput of one member that was chosen, in the provider's unit, for types where it is."""
        if "throughput" not in self.type.chosen or self.limits.throughput is None:
            return None
        return self.limits.throughput.rate / self.type.provider.throughput_unit_bytes

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
        return initial / self.time_scale

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
        return f"{self.one}{machine}{f', as in {self.era}' if self.era else ''}"


def volume_shape(options: Mapping[str, str], where: str) -> VolumeShape:
    """The shape written as options; `where` names their origin in errors.

    Raises UnknownName for an option, type or instance that does not exist, and UsageError, with the provider's rule,
    for what the provider would refuse.
    """
    for name in options:
        if name not in SHAPE_OPTIONS:
            raise UnknownName("volume option", name, SHAPE_OPTIONS, where)
    read = _Reader(options, where)
    if "type" not in options:
        raise UsageError(f"{where}: a volume needs a type, such as type=gp3; `plimsoll list volumes` shows them")
    era = options.get("era")
    kind = volume_type(options["type"].strip().lower(), era, where)
    machine = instance(options["instance"].strip().lower(), era, where) if "instance" in options else None
    size_gib = _size_gib(read, kind, machine)
    iops, throughput = read("iops", parse_count), read("throughput", _throughput(kind))
    own = kind.limits(Provisioned(size_gib, iops, throughput, machine, where))
    raid, members, chunk = _array(read, kind, machine)
    shared = machine.volume_limits if machine and not kind.is_local else Limits(None, None)
    spec = _spec(read, kind, own, round(size_gib * GIB), machine)
    if machine is not None and not kind.is_local:
        spec["instance"] = _limits_spec(shared, read("credits", parse_share, 1.0))
    if raid is not None:
        spec["raid"] = {"level": raid, "members": members, "chunk_bytes": chunk}
    return VolumeShape(
        options=_normal(options, kind, own, size_gib),
        type=kind,
        size_gib=size_gib,
        limits=own,
        instance=machine,
        instance_limits=shared,
        era=era,
        raid=raid,
        members=members,
        spec=spec,
        size_bytes=_device_bytes(round(size_gib * GIB), raid, members, chunk),
    )


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


class _Reader:
    """Reads options, with their names in errors."""

    def __init__(self, options: Mapping[str, str], where: str) -> None:
        self.options = options
        self.where = where

    def __call__(self, name: str, read: Callable[[str], Any], default: Any = None) -> Any:
        if name not in self.options:
            return default
        try:
            return read(self.options[name])
        except (UsageError, ValueError) as error:
            raise UsageError(f"{self.where}: {name}: {error}") from None

    def refuse(self, message: str) -> UsageError:
        return UsageError(f"{self.where}: {message}")


def _times(text: str) -> float:
    """`60`: how many times faster than the clock."""
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not 1 <= found < math.inf:
        raise UsageError(f"{text!r} is not how many times faster time passes; give a number from 1 on, like 60")
    return found


def _throughput(kind: VolumeType) -> Callable[[str], float]:
    """`250`, `250MiB`, `250MiB/s`: throughput in the provider's unit."""

    def read(text: str) -> float:
        plain, unit_bytes = text.strip().removesuffix("/s"), kind.provider.throughput_unit_bytes
        return float(plain) if plain.replace(".", "", 1).isdigit() else parse_size(plain) / unit_bytes

    return read


def _size_gib(read: _Reader, kind: VolumeType, machine: Instance | None) -> float:
    """GiB of one volume; of an instance's own disks, what they have."""
    size = read("size", parse_size)
    if size is not None and size < MIB:
        raise read.refuse(f"size: {read.options['size']!r} is {format_size(size)}; write it like 100GiB")
    if size is not None:
        return float(size / GIB)
    if kind.is_local:
        return machine.store_disk_gib if machine else 0.0
    raise read.refuse(f"{kind.name} needs a size, such as size=100GiB")


def _array(read: _Reader, kind: VolumeType, machine: Instance | None) -> tuple[int | None, int, int]:
    """Level, members and chunk size; level None without an array."""
    level = read("raid", parse_count)
    members = read("members", parse_count)
    chunk = read("chunk", parse_size, 512 * KIB)
    if level is None:
        if members not in (None, 1):
            raise read.refuse(f"members={members} needs an array: add raid=0, 1, 5 or 10")
        if "chunk" in read.options:
            raise read.refuse(f"chunk={read.options['chunk']} needs an array: add raid=0, 1, 5 or 10")
        return None, 1, chunk
    least = {0: 2, 1: 2, 5: 3, 10: 4}
    if level not in least:
        raise read.refuse(f"raid={level} is not a level that exists here; choose 0, 1, 5 or 10")
    if members is None or members < least[level] or members > 64 or (level == 10 and members % 2):
        even = ", an even number" if level == 10 else ""
        raise read.refuse(f"raid={level} needs members={least[level]} to 64{even}")
    if chunk < 4 * KIB or chunk & (chunk - 1):
        raise read.refuse(f"chunk: {format_size(chunk)} is not a power of two from 4 KiB on; 512KiB is usual")
    if kind.is_local and machine and members > machine.store_disks:
        raise read.refuse(f"{machine.name} has {machine.store_disks} disks of its own, not {members}")
    return level, members, chunk


def _spec(read: _Reader, kind: VolumeType, own: Limits, size_bytes: int, machine: Instance | None) -> dict[str, Any]:
    limits_spec = _limits_spec(own, read("credits", parse_share, 1.0))
    latency, facts = kind.latency_on(machine), latencies(kind.provider.name)
    spec: dict[str, Any] = {
        "size_bytes": size_bytes,
        "accounting": {
            "unit_bytes": kind.unit_kib * KIB,
            "merge_min_bytes": kind.merge_min_bytes,
            "throughput_in_units": kind.throughput_in_units,
        },
        "read_latency": facts[latency, "read"].spec,
        "write_latency": facts[latency, "write"].spec,
        "queue": read("queue", _one_of("fifo", "unfair"), kind.queue),
        "seed": read("seed", parse_count, 1),
        "time_scale": read("time_scale", _times, 1.0),
        **limits_spec,
    }
    touch = read("first_touch", _flag_or_rate)
    if touch is not None:
        spec["first_touch"] = {
            "chunk_bytes": FIRST_TOUCH_CHUNK,
            "latency": FIRST_TOUCH,
            "initialization_bytes_per_s": touch,
        }
    if read("degradation", _flag_or_rate) is not None:
        share = 1 - (kind.consistency_time or 0.99)
        spec["degradation"] = {"events_per_day": share * 24 * HOUR / EPISODE_MEAN_NS, **EPISODE}
    return spec


def _limits_spec(own: Limits, credits: float) -> dict[str, Any]:
    pairs = (("iops", own.iops), ("throughput", own.throughput))
    return {name: rate.spec(credits) for name, rate in pairs if rate is not None}


def _one_of(*words: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text.strip().lower() not in words:
            raise UsageError(f"{text!r} is none of {', '.join(words)}")
        return text.strip().lower()

    return read


def _flag_or_rate(text: str) -> int | None:
    """`yes` → 0, `no` → None, `200MiB` → bytes per second."""
    word = text.strip().lower()
    if word in ("yes", "true", "on"):
        return 0
    return None if word in ("no", "false", "off") else parse_size(word.removesuffix("/s"))


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


def _device_bytes(size: int, level: int | None, members: int, chunk: int) -> int:
    """As the volume crate computes it: arrays use whole chunks of each member."""
    usable = size // chunk * chunk
    match level:
        case None | 1:
            return size
        case 0:
            return usable * members
        case 5:
            return usable * (members - 1)
        case _:
            return usable * (members // 2)


def _size_text(gib: float) -> str:
    """Exact where it is whole GiB, as volumes are sold: 3,637 GiB and not 3.55 TiB."""
    return f"{gib:,.0f} GiB" if gib % 1 == 0 and gib % 1024 else format_size(gib * GIB)


def _rate_text(rate: Rate, factor: int, unit: str) -> str:
    text = f"{rate.sustained / factor:,.4g}" if rate.sustained / factor < 1000 else f"{rate.sustained / factor:,.0f}"
    burst = f" (burst {rate.rate / factor:,.0f})" if rate.baseline is not None else ""
    return f"{text}{unit}{burst}"
