"""Everything that a set of points says: the curve, the knee, the bracket, the peak, the objective."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from plimsoll.stats.load_line import bend, bracket
from plimsoll.stats.load_line.points import Phase, Point
from plimsoll.stats.load_line.search import grouped, meets
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


@dataclass(frozen=True, slots=True)
class LoadLine:
    """The load line of one target."""

    levels: tuple[LevelSummary, ...]
    bend: bend.Bend | None
    bracket: bracket.Bracket | None
    knee: LevelSummary | None
    """Fresh runs at the knee."""
    peak: LevelSummary | None
    """Fresh runs at the load with the highest throughput."""
    objective: Objective | None
    met: Met | None
    client_limited: bool
    """From the knee on most runs had the client at its limit: the knee is the client's."""
    invalid: int


def load_line(points: Sequence[Point], objective: Objective | None, high: float) -> LoadLine:
    """The answer in these points; `high` is the largest load of the range."""
    valid = [point for point in points if point.valid]
    found = bend.fit(points)
    beyond = [p for p in valid if found is not None and p.load >= found.knee]
    return LoadLine(
        levels=tuple(_level(at) for at in grouped(valid, lambda point: point.load).values()),
        bend=found,
        bracket=bracket.find(points) or bracket.around(points),
        knee=_fresh(valid, Phase.KNEE),
        peak=_fresh(valid, Phase.PEAK),
        objective=objective,
        met=_met(valid, objective, high) if objective else None,
        client_limited=_mostly(beyond),
        invalid=len(points) - len(valid),
    )


def _mostly(points: Sequence[Point]) -> bool:
    return bool(points) and 2 * sum(point.client_limited for point in points) > len(points)


def _fresh(points: Sequence[Point], phase: Phase) -> LevelSummary | None:
    at = [point for point in points if point.phase is phase]
    return _level(at) if at else None


def _level(points: Sequence[Point]) -> LevelSummary:
    known = [point.littles_law for point in points if point.littles_law is not None]
    return LevelSummary(
        load=points[0].load,
        throughput=summarise([point.throughput for point in points], "higher"),
        mean_ns=_typical([point.mean_ns for point in points]),
        p50_ns=_typical([point.p50_ns for point in points]),
        p99_ns=_typical([point.p99_ns for point in points]),
        overloaded=2 * sum(point.overloaded for point in points) > len(points),
        busiest_thread=median(point.busiest_thread for point in points),
        all_processors=median(point.all_processors for point in points),
        littles_law=median(known) if known else None,
        client_limited=_mostly(points),
        steady=any(point.phase is not Phase.OBJECTIVE for point in points),
    )


def _typical(values: Sequence[float | None]) -> float | None:
    """exp of the mean of the logs; None where most are missing."""
    known = [value for value in values if value]
    return math.exp(float(np.mean(np.log(known)))) if 2 * len(known) > len(values) else None


def _met(points: Sequence[Point], objective: Objective, high: float) -> Met | None:
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
    )
