"""The interval in which a cheaper volume first fails and the recommended one does not, found by simulation.

Both begin with what the simulated day left in their buckets at that time.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from plimsoll.catalog.levels import VOLUME, set_levels
from plimsoll.catalog.shape import VolumeShape
from plimsoll.prices.cost import cost
from plimsoll.simulation.outcome import Outcome, simulate
from plimsoll.simulation.scheduled import Scheduled
from plimsoll.simulation.slo import Clause, Judgement, judge_whole
from plimsoll.traces.advice.wanted import SPREAD
from plimsoll.traces.demand import Demand
from plimsoll.traces.flow import Flow, flow
from plimsoll.traces.series import Floats
from plimsoll.units import SECOND

LENGTHS_S = (6, 10, 20, 40, 80, 120)
"""Tried in this order; the last is the longest that is replayed."""
LEADS = (0.67, 0.25)
"""So large a share of an interval comes before the I/Os that are too late."""
CANDIDATES = 8
"""Times at which it fails that are looked at, the first ones and the worst."""
CLEARLY = 0.04
"""With such a share of I/Os more one volume must still keep the objective, and with as much fewer the other must still
break it: near a limit a queue is there or is not, and a machine that serves volumes is not as exact as a model."""


@dataclass(frozen=True)
class Side:
    """One volume in the interval."""

    shape: VolumeShape
    levels: Mapping[str, float]
    """What its buckets hold at the start, as shares, by name."""
    expected: Outcome
    judgement: Judgement
    """Of what is expected."""


@dataclass(frozen=True)
class Interval:
    """A part of the load under which one volume keeps the objective and the other does not."""

    first: int
    """Number of its first period, of those that were observed."""
    from_s: float
    length_s: float
    demand: Demand
    bought: Side
    cheaper: Side
    is_clear: bool = False
    """Whether a little more or less of the load would make no difference."""

    @property
    def margin(self) -> float:
        """How far both are from the bound, as a share of it."""
        return min(self.bought.judgement.margin, -self.cheaper.judgement.margin)

    @property
    def highest(self) -> tuple[float, float]:
        """I/Os and bytes of its busiest second."""
        demand = self.demand
        size = demand.reads * demand.read_bytes + demand.writes * demand.write_bytes
        return float(((demand.reads + demand.writes) / demand.seconds).max()), float((size / demand.seconds).max())


def interval(
    bought: VolumeShape, cheaper: VolumeShape, demand: Demand, clauses: Sequence[Clause], region_bytes: int
) -> Interval | None:
    """The first that shows it clearly; else the clearest that shows it; None where none of up to 120 s does."""
    buy, less = (bought, flow(bought, demand)), (cheaper, flow(cheaper, demand))
    best: Interval | None = None
    for first, last in _places(less[1], min(each.limit for each in clauses) / SECOND):
        part = _part(demand, first, last)
        lost = _side(less, part, first, clauses, region_bytes)
        if lost.judgement.met:
            continue
        kept = _side(buy, part, first, clauses, region_bytes)
        if not kept.judgement.met:
            continue
        found = Interval(first, float(demand.seconds[:first].sum()), part.duration_s, part, kept, lost)
        more = _side(buy, part.scaled(1 + CLEARLY), first, clauses, region_bytes)
        less_of_it = _side(less, part.scaled(1 - CLEARLY), first, clauses, region_bytes)
        if more.judgement.met and not less_of_it.judgement.met:
            return replace(found, is_clear=True)
        best = found if best is None or found.margin > best.margin else best
    return best


def _places(cheaper: Flow, limit_s: float) -> Iterator[tuple[int, int]]:
    """First and last period of the intervals that are looked at."""
    seconds = cheaper.demand.seconds
    ends = np.cumsum(seconds)
    for late, length_s, lead in itertools.product(_late(cheaper, limit_s), LENGTHS_S, LEADS):
        from_s = ends[late] - seconds[late] - length_s * lead
        first = int(np.searchsorted(ends, max(0.0, from_s), side="right"))
        last = int(np.searchsorted(ends, ends[first] - seconds[first] + length_s, side="left"))
        yield first, max(first, min(last, len(seconds) - 1))


def _late(cheaper: Flow, limit_s: float) -> list[int]:
    """Periods in which I/Os begin to wait too long, the first ones and the worst; else the busiest."""
    waits_s = np.zeros(len(cheaper.demand.seconds))
    for meter in cheaper.meters:
        waits_s = np.maximum(waits_s, np.maximum(0.0, meter.course - meter.depth) / meter.rate)
    late = waits_s > (limit_s / SPREAD if cheaper.unfair else limit_s)
    begins = np.flatnonzero(late & ~np.concatenate(([False], late[:-1])))
    if not len(begins):
        return [int(np.argmax((cheaper.demand.reads + cheaper.demand.writes) / cheaper.demand.seconds))]
    return list(dict.fromkeys([*(int(each) for each in begins[:CANDIDATES]), int(np.argmax(waits_s))]))


def _part(demand: Demand, first: int, last: int) -> Demand:
    """Some of its periods."""
    cut = slice(first, last + 1)
    names = ("durations_ns", "reads", "writes", "read_bytes", "write_bytes")
    return replace(demand, **{name: getattr(demand, name)[cut] for name in names})


def _side(
    each: tuple[VolumeShape, Flow], part: Demand, first: int, clauses: Sequence[Clause], region_bytes: int
) -> Side:
    shape, through = each
    levels = {meter.name: _level(meter.course, meter.depth, first) for meter in through.meters}
    named = {name.removeprefix(VOLUME): share for name, share in levels.items()}
    spec = copy.deepcopy(shape.spec)
    set_levels(spec, named, shape.one)
    load = Scheduled(
        part.words,
        part.columns(),
        interval_ns=SECOND,
        sequential=part.sequential,
        region_bytes=max(region_bytes, part.largest_bytes),
    )
    expected = simulate(replace(shape, spec=spec), load, None, cost(shape))
    return Side(shape, named, expected, judge_whole(expected, tuple(clauses)))


def _level(course: Floats, depth: float, first: int) -> float:
    """What a bucket holds when a period begins, as a share; empty where I/Os wait for it."""
    return min(1.0, max(0.0, 1.0 - float(course[first - 1]) / depth))
