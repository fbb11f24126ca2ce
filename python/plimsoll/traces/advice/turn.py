"""One turn of a load on one volume, beginning with the credits that a turn like it leaves behind."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from plimsoll.catalog.shape import VolumeShape
from plimsoll.catalog.waits import party
from plimsoll.prices.cost import Cost
from plimsoll.simulation.outcome import Outcome, simulate
from plimsoll.simulation.scheduled import MOST_DEPTH, OPEN_DEPTH, Scheduled
from plimsoll.traces.demand import Demand
from plimsoll.traces.flow import Flow, Meter, flow
from plimsoll.units import SECOND

MOST_INTERVALS = 5_000
LOST = 0.005
"""Share of a bucket by which a level may fall in a turn: a flow and single I/Os differ by so much at the most."""


@dataclass(frozen=True)
class Turn:
    """What a volume does in a turn."""

    outcome: Outcome
    flow: Flow

    @property
    def throttled_s(self) -> float:
        """Seconds in which I/Os waited for the limit that they waited for longest."""
        return max(self.outcome.waited_s.values(), default=0.0)

    @property
    def credits(self) -> Mapping[str, tuple[float, float, float]]:
        """At the start, at the least and at the end, as shares, of each bucket of credits."""
        found = {}
        for meter in self.flow.meters:
            if meter.name.endswith("_credits"):
                # With the idle time after the last I/O, in which credits come back.
                place = self.outcome.buckets.index(meter.name)
                held = [each["tokens"][place] for each in self.outcome.answer["series"]["intervals"]]
                top = self.outcome.capacities[meter.name]
                found[meter.name] = (meter.start, min(held, default=top) / top, held[-1] / top if held else 1.0)
        return found

    @property
    def falling(self) -> str:
        """Whose credits are fewer at the end than at the start; empty where none are."""
        lost = [name for name, (start, _, end) in self.credits.items() if end < start - LOST]
        return party(lost[0]) if lost else ""


def turn(shape: VolumeShape, demand: Demand, cost: Cost, region_bytes: int, *, closed: bool = False) -> Turn:
    """Every I/O of a turn; `closed` as a program sees it that never has more in flight than were seen."""
    found = flow(shape, demand)
    spec = copy.deepcopy(shape.spec)
    for meter in found.meters:
        _begin(spec, meter)
    load = Scheduled(
        demand.words,
        demand.columns(),
        interval_ns=max(1, math.ceil(demand.duration_s / MOST_INTERVALS)) * SECOND,
        sequential=demand.sequential,
        depth=min(demand.depth or 1, MOST_DEPTH) if closed else OPEN_DEPTH,
        from_issue=closed,
        region_bytes=max(region_bytes, demand.largest_bytes),
    )
    return Turn(simulate(replace(shape, spec=spec), load, None, cost), found)


def _begin(spec: dict[str, Any], meter: Meter) -> None:
    """Sets what a bucket holds at the start."""
    who, _, what = meter.name.partition(".")
    place = spec if who == "volume" else spec["instance"]
    limit = place[what.removesuffix("_credits")]
    if what.endswith("_credits"):
        limit["credits"]["initial"] = meter.start
    else:
        limit["initial"] = meter.start
