"""A load that goes on: what a volume gives it for ever, or as long as it has to last.

A load that never changes has a course of few stages, each with the same credits left. Within a stage nothing changes,
so that a minute of it tells all; when it ends follows from how fast its credits go. Nothing is stored at the start: a
volume that was busy before has no second of its rate in hand.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from plimsoll.catalog.shape import VolumeShape
from plimsoll.catalog.waits import of_volume, party
from plimsoll.prices.cost import Cost
from plimsoll.simulation.job import Load
from plimsoll.simulation.outcome import Outcome, simulate
from plimsoll.units import HOUR, SECOND

FEWEST_OPERATIONS = 300_000
"""So many show a p99 to a few percent of itself, and a p99.9 well enough."""
SHORTEST_NS, LONGEST_NS = 12 * SECOND, 60 * SECOND
AT_LEAST_NS = 500_000
"""A round trip that no volume of the catalog beats by much: bounds what a closed loop can ask for."""
ENDLESS_S = 10_000_000
"""Credits that cannot run out in a simulation of a stage are so many seconds of the baseline."""
HORIZON_S = 10 * 365 * 86_400
"""Credits that last so long are not being used."""
_PARTS = ("iops", "throughput")


@dataclass(frozen=True)
class Stage:
    """A stretch of time with the same credits left. Times in seconds from the start of the load."""

    start_s: float
    end_s: float | None
    """When the next credits are used up; None for never."""
    whose: str
    """Whose credits these are, as in `volume IOPS, credits used up`; empty for nobody's."""
    outcome: Outcome


def for_ever(shape: VolumeShape, load: Load, cost: Cost, duration_ns: int | None = None) -> Stage:
    """What lasts: all credits used up, and what a volume does then; a rate needs a shorter time than percentiles do."""
    return Stage(0.0, None, "", _outcome(shape, load, cost, frozenset(_levels(shape)), HOUR, duration_ns))


def until(shape: VolumeShape, load: Load, cost: Cost, lasts_ns: int) -> Iterator[Stage]:
    """The stages from the start, with the credits that there are then, until the one that holds at `lasts_ns`."""
    levels = _levels(shape)
    empty = frozenset(name for name, level in levels.items() if level <= 0)
    now_s = 0.0
    while True:
        outcome = _outcome(shape, load, cost, empty, lasts_ns)
        spent = {
            name: rate
            for name, rate in _spent(outcome).items()
            if name not in empty and rate * HORIZON_S > levels[name]
        }
        end_s, name = min(((now_s + levels[each] / rate, each) for each, rate in spent.items()), default=(None, ""))
        yield Stage(now_s, end_s, party(name) if name else "", outcome)
        if end_s is None or end_s * SECOND >= lasts_ns:
            return
        levels = {each: level - spent.get(each, 0.0) * (end_s - now_s) for each, level in levels.items()}
        empty |= {name}
        now_s = end_s


def _levels(shape: VolumeShape) -> dict[str, float]:
    """Credits at the start by bucket, those of one member of an array as the volume's."""
    return {
        f"{who}.{what}_credits": limit["credits"]["capacity"] * limit["credits"]["initial"]
        for who, what, limit in _limits(shape.spec)
        if "credits" in limit
    }


def _limits(spec: Mapping[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for who, where in (("volume", spec), ("instance", spec.get("instance") or {})):
        yield from ((who, what, where[what]) for what in _PARTS if what in where)


def _outcome(
    shape: VolumeShape, load: Load, cost: Cost, empty: frozenset[str], lasts_ns: int, duration_ns: int | None = None
) -> Outcome:
    spec = copy.deepcopy(shape.spec)
    for who, what, limit in _limits(spec):
        limit["initial"] = 0.0
        if "credits" in limit:
            left = f"{who}.{what}_credits" not in empty
            endless = round(limit["credits"]["baseline"] * ENDLESS_S * shape.time_scale)
            limit["credits"] |= {"capacity": endless, "initial": 0.5} if left else {"initial": 0.0}
    return simulate(replace(shape, spec=spec), load, duration_ns or _duration(shape, load, lasts_ns), cost)


def _duration(shape: VolumeShape, load: Load, lasts_ns: int) -> int:
    """Long enough for percentiles; blocks that are slow at first and bad episodes need the whole time."""
    if {"first_touch", "degradation"} & shape.spec.keys():
        return max(SHORTEST_NS, lasts_ns)
    per_second = load.rate or load.depth * SECOND / AT_LEAST_NS
    return min(max(round(FEWEST_OPERATIONS / per_second * SECOND), SHORTEST_NS), LONGEST_NS)


def _spent(outcome: Outcome) -> dict[str, float]:
    """Credits used per second on top of what is earned, by bucket; of an array those of the busiest member."""
    found: dict[str, float] = {}
    for bucket in outcome.buckets:
        if bucket.endswith("_credits"):
            name = of_volume(bucket)
            found[name] = max(outcome.spent_per_s(bucket), found.get(name, 0.0))
    return found
