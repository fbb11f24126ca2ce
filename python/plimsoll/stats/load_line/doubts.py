"""When the runs of a search contradict each other, or could not see what lasts: then no knee is told."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from plimsoll.stats.changepoints import largest_step, long_run_variance, penalty
from plimsoll.stats.load_line.bend import Bend
from plimsoll.stats.load_line.points import OUTLAST, Phase, Point
from plimsoll.stats.steady import SMALLEST_NOISE

MOST_UNSTEADY = 1 / 3
"""Share of the rounds' runs that may have changed their rate near their end."""
UNEVEN = math.log(1.15)
"""A load that carries so much more than the level of the curve contradicts that there is one."""
SURE = 3.0
"""Standard errors by which it must do so."""
MOVED = math.log(4 / 3)
"""What a place carries may drift during a search; a change by so much is another place."""
SHORTEST_LEVEL = 4
"""Runs before and after such a change."""


class Doubt(StrEnum):
    """Why nothing can be told of the knee."""

    SHORT = "the runs could not outlast what may have been stored"
    UNSTEADY = "the rate of too many runs had not settled"
    UNEVEN = "throughput does not level off"
    CHANGED = "what the place carries changed during the search"
    NOT_KEPT = "no schedule near the knee was kept"


@dataclass(frozen=True, slots=True)
class Reason:
    """A doubt with its numbers; those that it has no use for are 0."""

    doubt: Doubt
    load: float = 0.0
    """UNEVEN: the load that carried more; NOT_KEPT: the lowest load tried."""
    carried: float = 0.0
    """UNEVEN: what it carried; CHANGED: what was carried after the change, over what was carried before."""
    level: float = 0.0
    """UNEVEN: the level of the curve; NOT_KEPT: where the curve has its knee."""
    runs: int = 0
    """UNSTEADY: runs that had not settled; CHANGED: runs before the change."""
    of: int = 0
    """UNSTEADY: runs in all."""
    lasted_ns: float = 0.0
    """SHORT: length of a run."""
    least_ns: float = 0.0
    """SHORT: length that is enough."""


def doubt_of(points: Sequence[Point], found: Bend) -> Reason | None:
    """The first thing in the valid points of a search, in the order of their runs, that speaks against a knee."""
    return _short(points) or _unsteady(points) or _changed(points, found) or _uneven(points, found)


def _rounds(points: Sequence[Point]) -> list[Point]:
    return [point for point in points if point.phase is Phase.ROUND]


def _short(points: Sequence[Point]) -> Reason | None:
    short = [point for point in _rounds(points) if not point.enough]
    if 2 * len(short) <= len(_rounds(points)):
        return None
    lasted_ns, stored_ns = (float(np.median([getattr(p, name) for p in short])) for name in ("lasted_ns", "stored_ns"))
    return Reason(Doubt.SHORT, lasted_ns=lasted_ns, least_ns=OUTLAST * stored_ns)


def _unsteady(points: Sequence[Point]) -> Reason | None:
    rounds = _rounds(points)
    moving = sum(not point.steady for point in rounds)
    return Reason(Doubt.UNSTEADY, runs=moving, of=len(rounds)) if moving > MOST_UNSTEADY * len(rounds) else None


def _changed(points: Sequence[Point], found: Bend) -> Reason | None:
    """One step of throughput over the runs at and beyond the knee, each against the others at its load."""
    limited = [point for point in points if point.phase is not Phase.RAMP and point.load >= found.knee]
    logs = {load: [math.log(p.throughput) for p in limited if p.load == load] for load in {p.load for p in limited}}
    rest = np.array([math.log(point.throughput) - float(np.mean(logs[point.load])) for point in limited])
    split, gain = largest_step(rest, SHORTEST_LEVEL)
    if not split or gain <= penalty(rest, long_run_variance(rest, SMALLEST_NOISE)):
        return None
    moved = float(rest[split:].mean() - rest[:split].mean())
    return Reason(Doubt.CHANGED, carried=math.exp(moved), runs=split, of=len(rest)) if abs(moved) > MOVED else None


def _uneven(points: Sequence[Point], found: Bend) -> Reason | None:
    """The load that carries most, if that is clearly more than the level at which the curve ends."""
    if not found.reached:
        return None
    logs: dict[float, list[float]] = {}
    for point in points:
        logs.setdefault(point.load, []).append(math.log(point.throughput))
    most = max(logs, key=lambda load: float(np.mean(logs[load])))
    excess = float(np.mean(logs[most])) - math.log(found.plateau)
    if excess <= UNEVEN or excess <= SURE * found.deviation / math.sqrt(len(logs[most])):
        return None
    return Reason(Doubt.UNEVEN, load=most, carried=math.exp(float(np.mean(logs[most]))), level=found.plateau)
