"""When the runs of a search contradict each other, or could not see what lasts: then no knee is told."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
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
STEEPER = math.log(1.1)
"""What the largest load may gain on one before it, beyond what the curve gains there."""
SLOWLY = 0.3
"""Gain of ln throughput per ln load up to which it rises ever more slowly: 23 % more from twice the load."""
APART = 1.4
"""These two loads are so far apart."""
FEWEST_PAIRS = 3
"""Rounds that have both."""
MOVED = math.log(4 / 3)
"""What a place carries may drift during a search; a change by so much is another place."""
SCATTERED = 0.3
"""Standard deviation of ln throughput of a run from which on no curve is believed: runs at one load differ twofold."""
FEWEST_DEGREES = 4
"""Runs beyond one per load and round that are needed to know it."""
SHORTEST_LEVEL = 4
"""Runs before and after such a change."""


class Doubt(StrEnum):
    """Why nothing can be told of the knee."""

    SHORT = "the runs could not outlast what may have been stored"
    UNSTEADY = "the rate of too many runs had not settled"
    SCATTERED = "runs at one load differ too much from each other"
    UNEVEN = "throughput does not level off"
    RISING = "throughput still rises at the largest load"
    UNBENT = "throughput grows ever more slowly, but does not level off"
    CHANGED = "what the place carries changed during the search"
    NOT_KEPT = "no schedule near the knee was kept"


@dataclass(frozen=True, slots=True)
class Reason:
    """A doubt with its numbers; those that it has no use for are 0."""

    doubt: Doubt
    load: float = 0.0
    """UNEVEN, RISING, UNBENT: the load that carried more; NOT_KEPT: the lowest load tried."""
    carried: float = 0.0
    """UNEVEN, RISING, UNBENT: what it carried; CHANGED: what was carried after the change, over what was carried
    before; SCATTERED: the standard deviation of ln throughput."""
    level: float = 0.0
    """UNEVEN: the level of the curve; RISING, UNBENT: what the load before carried; NOT_KEPT: the knee of the curve."""
    before: float = 0.0
    """RISING, UNBENT: a load below that one."""
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
    return (
        _short(points)
        or _unsteady(points)
        or _changed(points, found)
        or _scattered(points)
        or _rising(points, found)
        or _uneven(points, found)
        or _unbent(points, found)
    )


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


def _scattered(points: Sequence[Point]) -> Reason | None:
    """How far runs lie from the mean of their load and of their round: neither the curve nor drift is scatter."""
    rounds = _rounds(points)
    rest = np.log([point.throughput for point in rounds])
    loads, numbers = (
        np.unique([getattr(p, name) for p in rounds], return_inverse=True)[1] for name in ("load", "round")
    )
    degrees = len(rest) - len(set(loads)) - len(set(numbers)) + 1
    if degrees < FEWEST_DEGREES:
        return None
    for groups in (loads, numbers) * 3:  # runs may be missing, so that one pass is not enough
        rest = rest - (np.bincount(groups, rest) / np.bincount(groups))[groups]
    deviation = math.sqrt(float((rest**2).sum()) / degrees)
    return Reason(Doubt.SCATTERED, carried=deviation) if deviation > SCATTERED else None


def _typical(points: Sequence[Point]) -> dict[float, tuple[float, int]]:
    """Mean ln throughput of each load, and its runs."""
    logs: dict[float, list[float]] = {}
    for point in points:
        logs.setdefault(point.load, []).append(math.log(point.throughput))
    return {load: (float(np.mean(each)), len(each)) for load, each in logs.items()}


def _uneven(points: Sequence[Point], found: Bend) -> Reason | None:
    """The load that carries most, if that is clearly more than the level at which the curve ends.

    Where that is the largest one, no level has been seen: throughput rises all along, ever more slowly.
    """
    if not found.reached:
        return None
    typical = _typical(points)
    most = max(typical, key=lambda load: typical[load][0])
    excess = typical[most][0] - math.log(found.plateau)
    if excess <= UNEVEN or excess <= SURE * found.deviation / math.sqrt(typical[most][1]):
        return None
    if most == max(typical):
        return _without_end(typical)
    return Reason(Doubt.UNEVEN, load=most, carried=math.exp(typical[most][0]), level=found.plateau)


def _without_end(typical: Mapping[float, tuple[float, int]]) -> Reason:
    """Nothing levels off: throughput still rises at the largest load of all, or ever more slowly to there."""
    most = max(typical)
    before = max((load for load in typical if load * APART <= most), default=min(typical))
    grown = typical[most][0] - typical[before][0]
    rises = most > before and grown > SLOWLY * math.log(most / before)
    doubt, other = (Doubt.RISING, before) if rises else (Doubt.UNBENT, min(typical))
    return Reason(doubt, load=most, carried=math.exp(typical[most][0]), level=math.exp(typical[other][0]), before=other)


def _rising(points: Sequence[Point], found: Bend) -> Reason | None:
    """No level was seen if the largest load of the rounds clearly gains more on one well below it than the curve does.

    The knee of the curve is then where throughput begins to grow more slowly, and nobody knows yet where it levels off.
    """
    if not found.reached:
        return None
    rounds = _rounds(points)
    loads = {point.load for point in rounds}
    most = max(loads)
    before = max((load for load in loads if found.knee <= load <= most / APART), default=most)
    gained = _paired(rounds, before, most)
    if len(gained) < FEWEST_PAIRS:
        return None
    excess = float(np.mean(gained)) - found.growth(before, most)
    if excess <= STEEPER or excess <= SURE * float(np.std(gained, ddof=1)) / math.sqrt(len(gained)):
        return None
    return _without_end(_typical(points))


def _paired(rounds: Sequence[Point], before: float, after: float) -> list[float]:
    """ln of throughput at one load over that at another, in each round that has both."""
    logs = {(point.round, point.load): math.log(point.throughput) for point in rounds}
    numbers = {number for number, load in logs if load == before and before != after}
    return [logs[n, after] - logs[n, before] for n in sorted(numbers) if (n, after) in logs]


def _unbent(points: Sequence[Point], found: Bend) -> Reason | None:
    """A curve that bends at or below its smallest load, although a larger one carries more: it rises all along."""
    if found.begun or not found.reached:
        return None
    typical = _typical(points)
    most = max(typical, key=lambda load: typical[load][0])
    least = min(typical)
    if typical[most][0] - typical[least][0] <= UNEVEN:
        return None
    carried, level = (math.exp(typical[load][0]) for load in (most, least))
    return Reason(Doubt.UNBENT, load=most, carried=carried, level=level, before=least)
