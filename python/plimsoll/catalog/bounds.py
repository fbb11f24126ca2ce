"""What of a volume can hold a load back, at the load's own block size: every limit in I/Os per second, by party."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from plimsoll.catalog.limits import Limits, Rate
from plimsoll.catalog.shape import MERGE_MIN, VolumeShape
from plimsoll.model import Plan
from plimsoll.units import KIB, format_duration, format_value

REACHED = 0.9
"""From this share of a limit on, the limit is what holds a load back: providers promise 90 % of it."""
LONGEST_S = 30 * 86_400
ABOVE = 1.1
"""Rates above this share of a limit are not bounded by it."""
_WRITE_COST = {None: 1, 0: 1, 5: 4, 10: 2}
"""I/Os on the members per random write of the array; RAID 1 writes to all."""


@dataclass(frozen=True)
class Bound:
    """One limit: I/Os per second of the load that it lets through."""

    party: str
    """`volume IOPS`, `volume throughput`, `instance IOPS`, `instance throughput`."""
    level: str
    """`provisioned` for a limit that holds for ever, else `baseline` or `burst`."""
    per_second: float
    lasts_s: float | None
    """How long full credits last at this rate; None for ever."""

    @property
    def name(self) -> str:
        """`volume IOPS`, `instance throughput baseline`, `volume IOPS burst`."""
        return self.party if self.level == "provisioned" else f"{self.party} {self.level}"


@dataclass(frozen=True)
class Reason:
    """Who holds a rate back, as far as the limits tell."""

    bound: Bound | None
    """None: the rate stays below every limit, or is above what they allow."""
    text: str
    lasts_s: float | None
    """How long full credits last at the rate that was seen; None for ever."""


@dataclass(frozen=True)
class Use:
    """A load as the limits see it: I/Os of one size."""

    block_bytes: int
    read_share: float
    sequential: bool = False


def use_of(plan: Plan) -> Use | None:
    """A plan as limits see it; None where its I/Os have no one size, or where not all of them reach the volume."""
    values = plan.parameters
    if plan.workload != "io" or len(values["block_size"]) != 1 or not values["direct"] or values["sync"] != "none":
        return None
    mode = values["mode"]
    shares = {"read": 1.0, "randread": 1.0, "write": 0.0, "randwrite": 0.0}
    return Use(int(values["block_size"][0][0]), shares.get(mode, values["read_share"]), "rand" not in mode)


def bounds(shape: VolumeShape, use: Use) -> tuple[Bound, ...]:
    """The limits of a shape for a load, the tightest for ever first."""
    load = _Load(shape, use)
    own = [*_of("volume", shape.limits, load.member_ios, load.member_bytes, shape.credit_factor)]
    factor = 1 / shape.time_scale
    instance = [*_of("instance", shape.instance_limits, load.instance_ios, load.instance_bytes, factor)]
    return tuple(sorted((*own, *instance), key=lambda bound: (bound.level == "burst", bound.per_second)))


class _Load:
    """What one I/O of the user costs each party, in I/Os and bytes."""

    def __init__(self, shape: VolumeShape, use: Use) -> None:
        writes = 1 - use.read_share
        cost = _WRITE_COST.get(shape.raid, shape.members)
        on_members = use.read_share + writes * cost
        unit = shape.type.unit_kib * KIB
        least = MERGE_MIN.get(shape.type.name, 0)
        merged = use.sequential and 0 < least <= use.block_bytes
        ios = use.block_bytes / unit if merged else math.ceil(use.block_bytes / unit)
        self.member_ios = on_members * ios / shape.members
        charged = ios * unit if shape.type.rule == "hdd" else use.block_bytes
        self.member_bytes = on_members * charged / shape.members
        self.instance_ios = on_members * math.ceil(use.block_bytes / (256 * KIB))
        self.instance_bytes = on_members * use.block_bytes


def _of(party: str, limits: Limits, ios: float, size: float, credits: float) -> Iterator[Bound]:
    for what, rate, use in (("IOPS", limits.iops, ios), ("throughput", limits.throughput, size)):
        if rate is None or use <= 0:
            continue
        if rate.baseline is None:
            yield Bound(f"{party} {what}", "provisioned", rate.rate / use, None)
        else:
            yield Bound(f"{party} {what}", "baseline", rate.baseline / use, None)
            yield Bound(f"{party} {what}", "burst", rate.rate / use, (rate.burst_seconds() or 0) * credits)


def sustained(shape: VolumeShape, use: Use) -> Bound | None:
    """The tightest limit that lasts; None where there is none."""
    return next((each for each in bounds(shape, use) if each.level != "burst"), None)


def burst(shape: VolumeShape, use: Use) -> Bound | None:
    """The tightest limit while all credits last."""
    found = bounds(shape, use)
    bursting = {each.party for each in found if each.level == "burst"}
    held = [each for each in found if each.level != "baseline" or each.party not in bursting]
    return min(held, key=lambda each: each.per_second, default=None)


@dataclass(frozen=True)
class Pace:
    """The most that a volume does while its credits last: of large sequential I/Os, and of small ones."""

    bytes_per_s: float
    ios_per_s: float


def pace(shape: VolumeShape | None) -> Pace | None:
    """What to expect of a volume before anybody has seen it work; None where its limits are not known."""
    if shape is None:
        return None
    large = burst(shape, Use(256 * KIB, 1.0, sequential=True))
    small = burst(shape, Use(4 * KIB, 0.0))
    return None if large is None or small is None else Pace(large.per_second * 256 * KIB, small.per_second)


def explain(shape: VolumeShape, use: Use, per_second: float) -> Reason:
    """Why a load got this rate from a shape: which limit it stands at, and for how long that lasts."""
    lasting, bursting = sustained(shape, use), burst(shape, use)
    if lasting is None or bursting is None:
        return Reason(None, "no limit of it is published", None)
    lasts_s = _lasts(shape, use, per_second)
    seen = format_value(per_second, "1/s")
    known = [each for each in (lasting, bursting) if REACHED <= per_second / each.per_second <= ABOVE]
    if known:
        bound = known[0]
        tail = f", which full credits hold for {format_duration(lasts_s * 1e9)}" if lasts_s else ""
        return Reason(bound, f"{seen} is its {bound.name}, {format_value(bound.per_second, '1/s')}{tail}", lasts_s)
    if per_second > bursting.per_second:
        most = format_value(bursting.per_second, "1/s")
        return Reason(None, f"{seen} is above its {bursting.name} of {most}: a cache, or not this volume", None)
    if per_second > lasting.per_second:
        tail = f" that full credits hold for {format_duration(lasts_s * 1e9)}" if lasts_s else ""
        least = format_value(lasting.per_second, "1/s")
        return Reason(None, f"{seen} is above its {lasting.name} of {least}, on a burst{tail}", lasts_s)
    least = format_value(lasting.per_second, "1/s")
    return Reason(None, f"{seen} is below all its limits (the tightest is the {lasting.name}, {least})", None)


def _lasts(shape: VolumeShape, use: Use, per_second: float) -> float | None:
    """How long the shortest credits last at a rate of the load."""
    load = _Load(shape, use)
    own, other = shape.credit_factor, 1 / shape.time_scale
    parts: list[tuple[Rate | None, float, float]] = [
        (shape.limits.iops, load.member_ios, own),
        (shape.limits.throughput, load.member_bytes, own),
        (shape.instance_limits.iops, load.instance_ios, other),
        (shape.instance_limits.throughput, load.instance_bytes, other),
    ]
    times = [
        seconds * factor
        for rate, each, factor in parts
        # Reaching the baseline within its noise is no drain.
        if rate is not None and per_second * each > ABOVE * rate.sustained
        if (seconds := rate.burst_seconds(per_second * each)) is not None
    ]
    return min((each for each in times if each < LONGEST_S), default=None)
