"""What of a volume can hold a load back, at the load's own block size: every limit in IOPS, by party."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from plimsoll.catalog.limits import Limits, Rate
from plimsoll.catalog.shape import VolumeShape
from plimsoll.catalog.waits import LIMITS, TOUCHES, Wait, party
from plimsoll.declared import IoParameters
from plimsoll.model import Plan, Unit
from plimsoll.units import KIB, SECOND, format_duration, format_number, format_percent, format_size, format_value

REACHED = 0.9
"""From this share of a limit on, a rate is near it: providers promise 90 % of it."""
LONGEST_S = 30 * 86_400
ALL = 0.98
"""From this share of what an open loop asked for on, all of it was done; the rest is on its way at the end."""
ABOVE = 1.1
"""Rates above this share of a limit are not bounded by it."""
_WRITE_COST = {None: 1, 0: 1, 5: 4, 10: 2}
"""I/Os on the members per random write of the array; RAID 1 writes to all."""


@dataclass(frozen=True)
class Bound:
    """One limit: IOPS of the load that it lets through."""

    party: str
    """`volume IOPS`, `volume throughput`, `instance IOPS`, `instance throughput`."""
    level: str
    """`provisioned` for a limit that holds for ever, else `baseline` or `burst`."""
    per_second: float
    lasts_s: float | None
    """How long full credits last at this rate; None for ever."""
    limit: float
    """The limit as it is sold, over all members of an array: I/Os or bytes per second."""
    unit: Unit
    """`1/s` or `B/s`."""
    block_bytes: int
    """Of one I/O of the load."""

    @property
    def text(self) -> str:
        """The limit in its own unit, and what it means for the load: `3,000/s`, `125 MiB/s (500/s)`."""
        sold = format_value(self.limit, self.unit)
        if self.unit == "1/s" and math.isclose(self.limit, self.per_second):
            return sold
        return f"{sold} ({format_value(self.per_second, '1/s')}{self._counted})"

    @property
    def _counted(self) -> str:
        """As what an I/O counts, where it is not as large as it is."""
        charged = self.limit / self.per_second
        if self.unit == "1/s":
            return f", each counted as {format_number(charged)}"
        counted = not math.isclose(charged, self.block_bytes, rel_tol=0.01)
        return f", each counted as {format_size(charged)}" if counted else ""

    def seen(self, per_second: float) -> str:
        """A rate of the load beside this limit: `3,010/s`, `490/s of 256 KiB (123 MiB/s)`."""
        told = format_value(per_second, "1/s")
        if self.unit == "1/s":
            return told
        return f"{told} of {format_size(self.block_bytes)} ({format_value(per_second * self.block_bytes, 'B/s')})"

    @property
    def name(self) -> str:
        """`volume IOPS`, `instance throughput baseline`, `volume IOPS burst`."""
        return self.party if self.level == "provisioned" else f"{self.party} {self.level}"


@dataclass(frozen=True)
class Reason:
    """Who holds a rate back: as counted by the volume itself, else as far as similar rates suggest."""

    bound: Bound | None
    """None: the rate stays below every limit, or is above what they allow, or no limit made I/Os wait."""
    party: str
    """`volume IOPS`, `latency`; `near volume IOPS` where nobody counted, `not known` where no limit is near."""
    text: str
    lasts_s: float | None
    """How long full credits last at the rate that was seen; None for ever."""
    counted: bool = False
    """Whether I/Os waited for the bound for most of the time, by the volume's own count."""


@dataclass(frozen=True)
class Credits:
    """Which credits a rate spends first, and how long full ones last."""

    holder: str
    """`volume` or `instance`."""
    lasts_s: float


@dataclass(frozen=True)
class Use:
    """A load as the limits see it: I/Os of one size."""

    block_bytes: int
    read_share: float
    sequential: bool = False
    asked: float | None = None
    """IOPS of an open loop: no more were asked for."""
    pauses: bool = False
    """The test thinks between its I/Os."""
    reserve: float = 0.0
    """What a volume that was idle gives at once, as a share of what it gives in the time of the run."""


def use_of(plan: Plan) -> Use | None:
    """A plan as limits see it; None where its I/Os have no one size, or where not all of them reach the volume."""
    values = plan.values(IoParameters)
    if plan.workload != "io" or len(values["block_size"]) != 1 or not values["direct"] or values["sync"] != "none":
        return None
    mode = values["mode"]
    shares = {"read": 1.0, "randread": 1.0, "write": 0.0, "randwrite": 0.0}
    block_bytes, rate = int(values["block_size"][0][0]), values["rate"]
    asked = None if not rate else rate["per_second"] / (block_bytes if rate["unit"] == "bytes" else 1)
    return Use(
        block_bytes,
        shares.get(mode, values["read_share"]),
        "rand" not in mode,
        asked,
        bool(values["think_time"]),
        # A warm-up uses it up.
        0.0 if values["warmup"] else Rate.depth_s * SECOND / values["runtime"],
    )


def bounds(shape: VolumeShape, use: Use) -> tuple[Bound, ...]:
    """The limits of a shape for a load, the tightest for ever first."""
    load = _Load(shape, use)
    members = _Charged(load.member_ios, load.member_bytes, shape.members)
    own = [*_of("volume", shape.limits, members, use, shape.credit_factor)]
    machine = _Charged(load.instance_ios, load.instance_bytes)
    instance = [*_of("instance", shape.instance_limits, machine, use, shape.credit_factor)]
    return tuple(sorted((*own, *instance), key=lambda bound: (bound.level == "burst", bound.per_second)))


class _Load:
    """What one I/O of the user costs each party, in I/Os and bytes."""

    def __init__(self, shape: VolumeShape, use: Use) -> None:
        writes = 1 - use.read_share
        cost = _WRITE_COST.get(shape.raid, shape.members)
        on_members = use.read_share + writes * cost
        unit = shape.type.unit_kib * KIB
        least = shape.type.merge_min_bytes
        merged = use.sequential and 0 < least <= use.block_bytes
        ios = use.block_bytes / unit if merged else math.ceil(use.block_bytes / unit)
        self.member_ios = on_members * ios / shape.members
        charged = ios * unit if shape.type.throughput_in_units else use.block_bytes
        self.member_bytes = on_members * charged / shape.members
        self.instance_ios = on_members * math.ceil(use.block_bytes / (256 * KIB))
        self.instance_bytes = on_members * use.block_bytes


@dataclass(frozen=True)
class _Charged:
    """What one I/O of the user costs each of some equal parties."""

    ios: float
    size: float
    parties: int = 1


def _of(party: str, limits: Limits, charged: _Charged, use: Use, credits: float) -> Iterator[Bound]:
    parts: tuple[tuple[str, Rate | None, float, Unit], ...] = (
        ("IOPS", limits.iops, charged.ios, "1/s"),
        ("throughput", limits.throughput, charged.size, "B/s"),
    )
    for what, rate, cost, unit in parts:
        if rate is None or cost <= 0:
            continue
        levels: list[tuple[str, int, float | None]] = [("provisioned", rate.rate, None)]
        if rate.baseline is not None:
            levels = [("baseline", rate.baseline, None), ("burst", rate.rate, (rate.burst_seconds() or 0) * credits)]
        for level, most, lasts_s in levels:
            told = (most * charged.parties, unit, use.block_bytes)
            yield Bound(f"{party} {what}", level, most / cost, lasts_s, *told)


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


def explain(shape: VolumeShape, use: Use, per_second: float, waited: Sequence[Wait] | None = None) -> Reason:
    """Why a load got this rate from a shape, and for how long that lasts.

    `waited` are the volume's own counters, the longest wait first. Without them (None) a limit can be near, no more:
    another cause may give a similar rate.
    """
    lasting, bursting = sustained(shape, use), burst(shape, use)
    if lasting is None or bursting is None:
        return Reason(None, "not known", "no limit of it is published", None)
    lasts_s = _lasts(shape, use, per_second)
    if per_second > bursting.per_second * (ABOVE + use.reserve):
        told = f"{bursting.seen(per_second)} is above its {bursting.name} of {bursting.text}"
        return Reason(None, NOT_THIS_VOLUME, f"{told}: a cache, or not this volume", None)
    tail = f"; full credits hold this rate for {format_duration(lasts_s * 1e9)}" if lasts_s else ""
    if waited is not None:
        return _by_waits(shape, use, per_second, waited, (lasts_s, tail))
    known = [each for each in (lasting, bursting) if REACHED <= per_second / each.per_second <= ABOVE]
    if known:
        bound = known[0]
        told = f"{bound.seen(per_second)} is near its limit of {bound.text}, the {bound.name}"
        return Reason(bound, f"near {bound.name}", told + tail, lasts_s)
    seen = lasting.seen(per_second)
    below = f"below all its limits (the tightest is the {lasting.name}, {lasting.text})"
    party = "not known"
    if per_second > lasting.per_second:
        told = f"{seen} is above its {lasting.name} of {lasting.text}, on a burst{tail}"
    elif _all_asked(use, per_second):
        party, told = ASKED, f"{seen} is all that was asked for, {below}"
    else:
        told = f"{seen} is {below}"
    return Reason(None, party, told, lasts_s)


NOT_THIS_VOLUME = "not this volume"
"""The party where more was measured than a volume delivers."""
ASKED = "rate of the test"
"""The party that limits an open loop whose I/Os all came back in time."""


def _all_asked(use: Use, per_second: float) -> bool:
    """Whether the volume did all that an open loop asked for."""
    return use.asked is not None and per_second >= ALL * use.asked


def _unhindered(use: Use, per_second: float) -> tuple[str, str]:
    """The party that sets the rate where no limit does, and that as the end of a sentence."""
    if _all_asked(use, per_second):
        return ASKED, "all that was asked for"
    if use.pauses:
        return "latency and pauses", "what its latency and the test's pauses allow at this many in flight"
    return "latency", "what its latency allows at this many in flight"


def _by_waits(
    shape: VolumeShape, use: Use, per_second: float, waited: Sequence[Wait], lasts: tuple[float | None, str]
) -> Reason:
    """What the counters of the volume say; `lasts` is how long credits last, as a number and in words."""
    lasts_s, tail = lasts
    found = bounds(shape, use)
    seen = found[0].seen(per_second)
    longest = next(iter(waited), None)
    free, why = _unhindered(use, per_second)
    if longest is None or longest.share < TOUCHES:
        told = f"{seen} is {why}: no limit of it made I/Os wait"
        return Reason(None, free, told + tail, lasts_s)
    bound = next((each for each in found if _is_of(each, longest.bucket)), None)
    name = bound.name if bound else longest.party
    limit = f" of {bound.text}" if bound else ""
    share = format_percent(longest.share)
    if longest.share < LIMITS:
        mostly = why if free == ASKED else f"mostly {why.removesuffix(' at this many in flight')}"
        told = f"{seen} is {mostly}: I/Os waited for its {name}{limit} in {share} of the time"
        return Reason(None, f"{free}, and at times {name}", told + tail, lasts_s)
    if bound is not None and per_second > ABOVE * bound.per_second:
        told = f"{seen} is in part a burst: I/Os waited for its {name}{limit} in {share} of the time"
        return Reason(bound, name, told, lasts_s, counted=True)
    if bound is not None and per_second < REACHED * longest.share * bound.per_second:
        # The volume is less than what was paid for, or others use its limit or that of the instance, too.
        limit = f", of which it gets less than {bound.text}"
    told = f"{seen} is held back by its {name}{limit}: I/Os waited for it in {share} of the time"
    return Reason(bound, name, told + tail, lasts_s, counted=True)


def _is_of(bound: Bound, bucket: str) -> bool:
    """Whether a limit at this level is what a bucket holds."""
    credits = bucket.endswith("_credits")
    same = bound.party == party(bucket.removesuffix("_credits"))
    return same and (bound.level == "baseline" if credits else bound.level != "baseline")


def _lasts(shape: VolumeShape, use: Use, per_second: float) -> float | None:
    """How long the shortest credits last at a rate of the load."""
    found = credits_of(shape, use, per_second)
    return None if found is None else found.lasts_s


def credits_of(shape: VolumeShape, use: Use, per_second: float) -> Credits | None:
    """The credits that end first at a rate of the load; None where it spends none, or they last a month."""
    load = _Load(shape, use)
    parts: list[tuple[str, Rate | None, float]] = [
        ("volume", shape.limits.iops, load.member_ios),
        ("volume", shape.limits.throughput, load.member_bytes),
        ("instance", shape.instance_limits.iops, load.instance_ios),
        ("instance", shape.instance_limits.throughput, load.instance_bytes),
    ]
    times = [
        Credits(holder, seconds * shape.credit_factor)
        for holder, rate, each in parts
        # Reaching the baseline within its noise is no drain.
        if rate is not None and per_second * each > ABOVE * rate.sustained
        if (seconds := rate.burst_seconds(per_second * each)) is not None
    ]
    return min((each for each in times if each.lasts_s < LONGEST_S), key=lambda each: each.lasts_s, default=None)
