"""A load on the limits of a volume without simulating I/Os: levels of buckets from stretch to stretch.

A bucket is what it is in the model: a rate and a depth, credits included (their baseline and their capacity). In the
limit of many small I/Os this is exact, so it says which volumes cannot carry a load, and with which levels each turn of
a load that goes on for ever begins.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from plimsoll.catalog.limits import Limits, Rate
from plimsoll.catalog.shape import VolumeShape
from plimsoll.traces.demand import Demand
from plimsoll.traces.series import Floats
from plimsoll.units import KIB

ROUNDING = 1e-9
"""Limits are products of floating-point numbers."""
PARTS = 8
"""Points of a stretch at which waits are looked at."""
INSTANCE_UNIT = 256 * KIB
"""What one I/O counts up to at the link of an instance."""


@dataclass(frozen=True)
class Meter:
    """One bucket under a load that repeats for ever. Levels are debts: what it would take to be full."""

    name: str
    """As a simulation calls it: `volume.iops`, `volume.iops_credits`, …"""
    rate: float
    depth: float
    taken: Floats
    """Tokens by stretch."""
    seconds: Floats

    @property
    def use(self) -> float:
        """Mean use as a share of the rate; above 1 the load cannot go on."""
        return float(self.taken.sum() / (self.rate * self.seconds.sum()))

    @cached_property
    def debts(self) -> Floats:
        """At the ends of stretches, in a turn that is like the one before it; infinite where there is none."""
        if self.use > 1 + ROUNDING:
            return np.full(len(self.taken), math.inf)
        first = self._turn(0.0)
        return self._turn(float(first[-1]))

    def _turn(self, start: float) -> Floats:
        sums = np.cumsum(self.taken - self.rate * self.seconds)
        lowest = np.minimum.accumulate(np.minimum(sums, 0.0))
        return np.asarray(np.maximum(sums + start, sums - lowest))

    @property
    def course(self) -> Floats:
        """The same, of a day that begins empty where there is no turn that is like the one before it."""
        return self.debts if self.use <= 1 + ROUNDING else self._turn(self.depth)

    @property
    def start(self) -> float:
        """What it holds when a turn begins, as a share of its depth."""
        return max(0.0, 1.0 - float(self.debts[-1]) / self.depth)

    @property
    def least(self) -> float:
        """The least that it ever holds, as a share of its depth; 0 where I/Os wait."""
        return max(0.0, 1.0 - float(self.debts.max()) / self.depth)

    @property
    def waits_s(self) -> Floats:
        """How long an I/O at the end of a stretch waits."""
        return np.maximum(0.0, self.debts - self.depth) / self.rate


@dataclass(frozen=True)
class Flow:
    """A load on all limits of a volume."""

    meters: tuple[Meter, ...]
    demand: Demand
    unfair: bool = False
    """Whether waiting I/Os are served out of turn: waits spread as they do in the model."""

    @property
    def goes_on(self) -> bool:
        """Whether no limit lets less through than is asked for, in the mean."""
        return all(meter.use <= 1 + ROUNDING for meter in self.meters)

    @cached_property
    def waits_s(self) -> Floats:
        """How long an I/O at the end of each stretch waits for the slowest limit."""
        found = [meter.waits_s for meter in self.meters]
        return np.max(found, axis=0) if found else np.zeros(len(self.demand.reads))

    @property
    def throttled_s(self) -> float:
        """Seconds of a turn in which I/Os wait; infinite where they wait ever longer."""
        if not self.goes_on:
            return math.inf
        before = np.roll(self.waits_s, 1)
        waiting = (self.waits_s > 0) | (before > 0)
        return float(self.demand.seconds[waiting].sum())

    def share_waiting(self, longer_than_s: float) -> float:
        """Share of the I/Os that wait longer, at the least: the shorter wait of both ends of a stretch counts."""
        counts = self.demand.reads + self.demand.writes
        shorter = np.minimum(self.waits_s, np.roll(self.waits_s, 1))
        return float(counts[shorter > longer_than_s].sum() / max(1, counts.sum()))

    def share_later(self, than_s: float) -> float:
        """Share of the I/Os that are expected to wait longer, by the volume's order of service."""
        counts = self.demand.reads + self.demand.writes
        late = np.zeros(len(counts))
        for part in range(PARTS):
            late += _later(self._wait_at((part + 0.5) / PARTS), than_s, unfair=self.unfair) / PARTS
        return float((counts * late).sum() / max(1, counts.sum()))

    @property
    def mean_wait_s(self) -> float:
        """How long an I/O waits on average; an order of service changes nothing in it."""
        counts = self.demand.reads + self.demand.writes
        waits = sum(self._wait_at((part + 0.5) / PARTS) for part in range(PARTS)) / PARTS
        return float((counts * waits).sum() / max(1, counts.sum()))

    def _wait_at(self, part: float) -> Floats:
        """The wait of an I/O that comes at a part of each stretch."""
        found = np.zeros(len(self.demand.reads))
        for meter in self.meters:
            debt = meter.debts * part + np.roll(meter.debts, 1) * (1 - part)
            found = np.maximum(found, np.maximum(0.0, debt - meter.depth) / meter.rate)
        return found

    @property
    def tightest(self) -> Meter | None:
        """The limit that the load comes closest to, or goes beyond."""
        if not self.meters:
            return None
        return max(self.meters, key=lambda meter: (max(1.0, meter.use), float(meter.waits_s.max()), meter.use))


def _later(waits_s: Floats, than_s: float, *, unfair: bool) -> Floats:
    """Share of the I/Os that wait longer, of those that would wait so long in a fair queue."""
    if not unfair:
        return (waits_s > than_s).astype(float)
    # The model's factor is gamma distributed with shape 2 and mean 1.
    x = 2 * than_s / np.maximum(waits_s, 1e-12)
    return np.where(waits_s > 0, (1 + x) * np.exp(-np.minimum(x, 700.0)), 0.0)


def flow(shape: VolumeShape, demand: Demand) -> Flow:
    """The load on the limits of one volume and of its instance."""
    unit = shape.type.unit_kib * KIB
    merges = demand.sequential and shape.type.merge_min_bytes > 0
    charged = _charged(demand, unit, shape.type.merge_min_bytes if merges else 0)
    size = charged * unit if shape.type.throughput_in_units else _bytes(demand)
    own = _meters("volume", shape.limits, charged, size, demand.seconds)
    machine = instance_flow(shape.instance_limits, demand).meters
    return Flow((*own, *machine), demand, unfair=shape.spec["queue"] == "unfair")


def instance_flow(limits: Limits, demand: Demand) -> Flow:
    """The load on the limits of an instance alone."""
    charged = _charged(demand, INSTANCE_UNIT, 0)
    return Flow(tuple(_meters("instance", limits, charged, _bytes(demand), demand.seconds)), demand)


def _meters(who: str, limits: Limits, charged: Floats, size: Floats, seconds: Floats) -> Iterator[Meter]:
    parts: tuple[tuple[str, Rate | None, Floats], ...] = (
        ("iops", limits.iops, charged),
        ("throughput", limits.throughput, size),
    )
    for what, rate, taken in parts:
        if rate is None:
            continue
        yield Meter(f"{who}.{what}", rate.rate, max(1.0, rate.rate * rate.depth_s), taken, seconds)
        if rate.baseline is not None and rate.capacity is not None:
            yield Meter(f"{who}.{what}_credits", rate.baseline, rate.capacity, taken, seconds)


def _charged(demand: Demand, unit: int, merge_min: int) -> Floats:
    """I/Os as the limit counts them."""
    found = np.zeros(len(demand.reads))
    for counts, sizes in ((demand.reads, demand.read_bytes), (demand.writes, demand.write_bytes)):
        each = np.ceil(sizes / unit)
        if merge_min:
            each = np.where(sizes >= merge_min, sizes / unit, each)
        found += counts * each
    return found


def _bytes(demand: Demand) -> Floats:
    return np.asarray(demand.reads * demand.read_bytes + demand.writes * demand.write_bytes, dtype=float)
