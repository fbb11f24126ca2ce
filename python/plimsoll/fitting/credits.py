"""What a burst can spend, from runs in which one ended; and how fast credits came back before a later one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from plimsoll.catalog.shape import VolumeShape
from plimsoll.catalog.targets import is_emulated
from plimsoll.fitting.number import Number
from plimsoll.fitting.plateaus import Held, Level, Plateau
from plimsoll.model import Run
from plimsoll.stats.course import rates_of
from plimsoll.units import KIB, SECOND, parse_share


@dataclass(frozen=True)
class _Spent:
    """Credits that one run spent before its burst ended; `low` and `high` bound what is not known of it."""

    run: Run
    middle: float
    low: float
    high: float
    from_full: bool
    """Whether nothing else is known to have taken from them before."""


def capacity(name: Held, plateaus: Sequence[Plateau], shape: VolumeShape, known: Sequence[Number]) -> Number | None:
    """The size of the bucket: what the runs spent that began with full credits. None without one."""
    found = [each for each in _spent(name, plateaus, shape, known) if each.from_full]
    share = parse_share(shape.options["credits"]) if "credits" in shape.options else 1.0
    if not found or not share or "levels" in shape.options:
        return None
    factor = shape.time_scale / share
    low, high = (sum(getattr(each, end) for each in found) / len(found) * factor for end in ("low", "high"))
    middle = sum(each.middle for each in found) / len(found) * factor
    return Number(f"{name.value}_credits", middle, low, high, len(found))


def refill(name: Held, plateaus: Sequence[Plateau], shape: VolumeShape, known: Sequence[Number]) -> Number | None:
    """Credits that came back per second of rest between two runs whose bursts both ended; None without such a pair."""
    spent = _spent(name, plateaus, shape, known)
    size = capacity(name, plateaus, shape, known)
    ends = {each.run.id: each.run.ended_ns for each in plateaus if each.level is Level.REST}
    order = sorted({each.run.id: each.run for each in plateaus}.values(), key=lambda run: run.started_ns)
    for before, after in pairwise(order):
        mine = next((each for each in spent if each.run is after), None)
        idle_s = (_began_ns(after) - before.ended_ns) / SECOND
        filled = size is not None and mine is not None and mine.high * shape.time_scale >= 0.9 * size.low
        if before.id in ends and mine is not None and idle_s > 0 and not filled:
            return Number(f"{name.value}_refill", mine.middle / idle_s, mine.low / idle_s, mine.high / idle_s, 1)
    return None


def _began_ns(run: Run) -> int:
    phases = run.facts.get("phases", {})
    return run.ended_ns - int(phases.get("measure_ns", 0)) - int(phases.get("warmup_ns", 0))


def _spent(name: Held, plateaus: Sequence[Plateau], shape: VolumeShape, known: Sequence[Number]) -> list[_Spent]:
    baseline = next((each for each in known if each.name == f"{name.value}_baseline"), None)
    bursts = sorted((each for each in plateaus if each.level is Level.BURST), key=lambda each: each.run.started_ns)
    if baseline is None:
        return []
    restarts = "restart=yes" in bursts[0].run.target.where if bursts else False
    first = min((each.run.started_ns for each in plateaus), default=0)
    return [
        _of(name, each, shape, baseline, from_full=restarts or each.run.started_ns == first, fresh=restarts)
        for each in bursts
    ]


def _of(name: Held, burst: Plateau, shape: VolumeShape, baseline: Number, *, from_full: bool, fresh: bool) -> _Spent:
    """Above the baseline in the warm-up, at the rate of the burst, and in the seconds until the rate has fallen."""
    charge = (burst.charged(shape, name.value) or 0.0) / burst.per_second
    found = rates_of(burst.run.intervals, "1/s")
    phases = burst.run.facts.get("phases", {})
    warm_s = float(phases.get("warmup_ns", 0)) / SECOND
    rest = baseline.value / charge
    halfway = (burst.per_second + rest) / 2
    ended = next((i for i, rate in enumerate(found.values) if i >= 1 and rate < halfway), len(found.values))
    until_s = min(ended + 1, len(found.values)) * found.interval_s
    used = charge * (sum(found.values[: ended + 1]) * found.interval_s + burst.per_second * warm_s)
    time_s = until_s + warm_s
    # A second of the rate is there without credits, and one second holds the fall.
    room = charge * burst.per_second * (1.0 / shape.time_scale + found.interval_s * 0.1)
    bounds = [used - each * time_s for each in (baseline.high, baseline.low)]
    layout = 0.0 if fresh or is_fresh(burst.run) else _layout(name, burst.run, charge * burst.per_second)
    return _Spent(burst.run, used - baseline.value * time_s, bounds[0] - room, bounds[1] + room + layout, from_full)


def is_fresh(run: Run) -> bool:
    """Whether nothing was written before the run."""
    return not run.facts.get("phases", {}).get("layout_bytes")


def _layout(name: Held, run: Run, most_per_s: float) -> float:
    """The most that writing the test's file can have taken."""
    phases = run.facts.get("phases", {})
    size, seconds = float(phases.get("layout_bytes", 0)), float(phases.get("layout_ns", 0)) / SECOND
    emulated = is_emulated(run.target)
    charged = size / (256 * KIB if emulated else 4 * KIB) if name is Held.IOPS else size
    return min(charged, most_per_s * (seconds + 1))
