"""Everything that a set of points says: the curve, the knee, the bracket, the peak, the objective.

One answer: each number is one that the table of loads shows too, the highest throughput is the highest of that table,
and a schedule at the knee was kept. Where the runs contradict each other, the answer is why nothing can be told.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

import numpy as np

from plimsoll.stats.load_line import bend, bracket
from plimsoll.stats.load_line.doubts import Doubt, Reason, doubt_of
from plimsoll.stats.load_line.points import Phase, Point, newest
from plimsoll.stats.load_line.search import contradictions, grouped, kept, meets, most_kept
from plimsoll.stats.load_line.slo import Objective
from plimsoll.stats.summary import Summary, summarise


@dataclass(frozen=True, slots=True)
class LevelSummary:
    """All valid runs at one load. Latencies are means of the logs over runs, ns; None where a run is too short."""

    load: float
    throughput: Summary
    mean_ns: float | None
    p50_ns: float | None
    p99_ns: float | None
    overloaded: bool
    """Most runs did not keep their schedule."""
    busiest_thread: float
    all_processors: float
    littles_law: float | None
    client_limited: bool
    steady: bool
    """False where only bisection came by: one run of a load that nobody would draw a curve through."""
    discarded: float
    """Median share of the runs that was cut off their beginning: another rate than the rest."""

    @property
    def client_cpu(self) -> float:
        """How near the client is to its limit: its busiest thread, or all threads as a share of all processors."""
        return max(self.busiest_thread, self.all_processors)


@dataclass(frozen=True, slots=True)
class Met:
    """The largest load that meets the objective, from runs made after it was chosen."""

    load: float
    met: bool
    """False: no load of the range was confirmed; `load` is the smallest that was tried."""
    latency: Summary
    throughput: Summary
    at_top: bool
    """The largest load of the range meets it too."""
    against: tuple[float, ...]
    """Loads whose runs contradict it: lower ones that clearly miss the objective, higher ones that clearly meet it."""


@dataclass(frozen=True, slots=True)
class LoadLine:
    """The load line of one target."""

    levels: tuple[LevelSummary, ...]
    bend: bend.Bend | None
    """A knee that was checked: never above a schedule that was kept. Its plateau is the throughput of `peak`."""
    doubt: Reason | None
    """Why nothing can be told of the knee although a curve could be fitted."""
    bracket: bracket.Bracket | None
    knee: LevelSummary | None
    """All runs at the load of the fresh runs at the knee; None before them."""
    peak: LevelSummary | None
    """All runs at the load with the highest throughput."""
    objective: Objective | None
    met: Met | None
    client_limited: bool
    """From the knee on most runs had the client at its limit: the knee is the client's."""
    invalid: int
    stored_ns: float
    """How long the place may give what it had stored, as the runs took it."""
    lasted_ns: float
    """Typical length of a run of the rounds, with its warm-up."""


def load_line(
    points: Sequence[Point], objective: Objective | None, high: float, *, open_loop: bool = False
) -> LoadLine:
    """The answer in these points; `high` is the largest load of the range, `open_loop` says that it is a schedule."""
    points = newest(points)
    valid = [point for point in points if point.valid]
    found = bend.fit(points)
    levels = tuple(_level(at) for at in grouped(valid, lambda point: point.load).values())
    peak = max(levels, key=lambda level: level.throughput.value, default=None)
    doubt = doubt_of(valid, found) if found is not None else None
    knee = _knee_load(valid, found, open_loop) if found is not None else None
    if doubt is None and found is not None and found.reached and found.begun and knee is None:
        tried = [point.load for point in valid if point.phase is Phase.KNEE] or [found.first]
        doubt = Reason(Doubt.NOT_KEPT, load=min(tried), level=found.knee)
    if found is not None and peak is not None:
        found = _checked(found, knee, valid if open_loop else [], peak.throughput.value)
    beyond = [p for p in valid if found is not None and p.load >= found.knee]
    at_knee = [p.load for p in valid if p.phase is Phase.KNEE]
    rounds = [p for p in valid if p.phase is Phase.ROUND] or valid
    return LoadLine(
        levels=levels,
        bend=found,
        doubt=doubt,
        bracket=_bracket(points, found),
        knee=next((each for each in levels if at_knee and each.load == at_knee[-1]), None),
        peak=peak,
        objective=objective,
        met=_met(valid, objective, high, most_kept(valid) if open_loop else math.inf) if objective else None,
        client_limited=_mostly(beyond),
        invalid=len(points) - len(valid),
        stored_ns=max((point.stored_ns for point in rounds), default=0.0),
        lasted_ns=median(point.lasted_ns for point in rounds) if rounds else 0.0,
    )


def _bracket(points: Sequence[Point], found: bend.Bend | None) -> bracket.Bracket | None:
    """The bracket, unless it is of schedules and fresh runs at the knee were kept beyond it."""
    between = bracket.find(points) or bracket.around(points)
    lost = between is not None and math.isinf(between.latency_ratio)
    return None if lost and between and found and found.knee >= between.high else between


def _knee_load(points: Sequence[Point], found: bend.Bend, open_loop: bool) -> float | None:
    """Where the knee is told to be. A schedule was kept there: in the last fresh runs that were, else, where there are
    none yet, in most runs of a lower load; None if there is no such load.
    """
    if not open_loop:
        return found.knee
    fresh = list(dict.fromkeys(point.load for point in points if point.phase is Phase.KNEE))
    if fresh:
        return next((load for load in reversed(fresh) if kept(points, load)), None)
    by_load = grouped((point for point in points if point.load <= found.knee), lambda point: point.load)
    return max((load for load, runs in by_load.items() if not _overloaded(runs)), default=None)


def _checked(found: bend.Bend, knee: float | None, schedules: Sequence[Point], plateau: float) -> bend.Bend:
    """The bend with the knee as it was checked. That a schedule was kept may be owed to what was stored: the interval
    reaches down as far as that could carry.
    """
    if knee is None:
        return replace(found, plateau=plateau)
    proof = [point.stored_ns / point.lasted_ns for point in schedules if point.load == knee and not point.overloaded]
    low = min(found.low, knee / (1.0 + median(proof))) if proof else min(found.low, knee)
    return replace(found, knee=knee, low=low, high=max(found.high, knee), plateau=plateau)


def _mostly(points: Sequence[Point]) -> bool:
    return bool(points) and 2 * sum(point.client_limited for point in points) > len(points)


def _overloaded(points: Sequence[Point]) -> bool:
    return 2 * sum(point.overloaded for point in points) > len(points)


def _level(points: Sequence[Point]) -> LevelSummary:
    known = [point.littles_law for point in points if point.littles_law is not None]
    return LevelSummary(
        load=points[0].load,
        throughput=summarise([point.throughput for point in points], "higher"),
        mean_ns=_typical([point.mean_ns for point in points]),
        p50_ns=_typical([point.p50_ns for point in points]),
        p99_ns=_typical([point.p99_ns for point in points]),
        overloaded=_overloaded(points),
        busiest_thread=median(point.busiest_thread for point in points),
        all_processors=median(point.all_processors for point in points),
        littles_law=median(known) if known else None,
        client_limited=_mostly(points),
        steady=any(point.phase is not Phase.OBJECTIVE for point in points),
        discarded=median(point.discarded for point in points),
    )


def _typical(values: Sequence[float | None]) -> float | None:
    """exp of the mean of the logs; None where most are missing."""
    known = [value for value in values if value]
    return math.exp(float(np.mean(np.log(known)))) if 2 * len(known) > len(values) else None


def _met(points: Sequence[Point], objective: Objective, high: float, most: float) -> Met | None:
    """The last load that was confirmed, or the last that was tried."""
    answers = [point for point in points if point.phase is Phase.ANSWER]
    if not answers:
        return None
    load = answers[-1].load
    at = [point for point in answers if point.load == load and point.objective_ns]
    finite = [point for point in at if point.objective_ns is not None and math.isfinite(point.objective_ns)]
    if not finite:
        return None
    return Met(
        load=load,
        met=meets(points, load, objective),
        latency=summarise([point.objective_ns for point in finite if point.objective_ns], "lower"),
        throughput=summarise([point.throughput for point in finite], "higher"),
        at_top=load >= high,
        against=tuple(contradictions(points, load, objective, most)),
    )
