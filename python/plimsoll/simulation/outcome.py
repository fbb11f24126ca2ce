"""One volume under one load, in virtual time, and what can be said about it."""

from __future__ import annotations

import base64
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from statistics import median
from typing import Any

from plimsoll.catalog.shape import VolumeShape
from plimsoll.catalog.waits import party
from plimsoll.prices.cost import Cost
from plimsoll.simulation.job import Load, Trace, interval_ns
from plimsoll.simulation.scheduled import Scheduled
from plimsoll.stats.histogram import Histogram, add, decode
from plimsoll.units import SECOND
from plimsoll.volumes import core

SETTLED = 3
"""Intervals in a row for which credits must limit before the burst counts as over."""
DAY_S = 86_400
NOTHING = "nothing"


@dataclass(frozen=True)
class Phase:
    """A stretch of time between two ends of bursts. Times in seconds, rates per second, latencies in ns."""

    start_s: float
    end_s: float
    operations: float
    bytes: float
    median_p50_ns: float
    """Median over the intervals of the p50 of each."""
    median_p99_ns: float
    """Median over the intervals of the p99 of each; the p99 of all I/Os is another number."""
    limited_by: str
    """Who held it back in most intervals, or `nothing`."""
    limited_share: float
    """Share of the intervals in which that was so."""


@dataclass(frozen=True)
class Replay:
    """What became of a recorded load."""

    operations: int
    """In the record."""
    recorded_ns: int
    """When its last I/O is due; 0 for a record without times."""
    due: int
    """I/Os that are due within the virtual time."""
    left: int
    """Of those, not done at its end."""
    last_done_ns: int
    """When the last of those that were done ended."""

    @property
    def done_ns(self) -> int | None:
        """When all of the record was done; None where something was left or not due yet."""
        return self.last_done_ns if self.due == self.operations and not self.left else None


@dataclass(frozen=True)
class Outcome:
    """The answer of the model, and the shape, load and cost it belongs to."""

    shape: VolumeShape
    load: Load | Trace | Scheduled
    cost: Cost
    answer: Mapping[str, Any]
    """JSON of the crate's `Simulation`."""

    @cached_property
    def replay(self) -> Replay | None:
        """What became of the record; None for a made load."""
        found = self.answer["replay"]
        return None if found is None else Replay(**found)

    @cached_property
    def intervals(self) -> Sequence[Mapping[str, Any]]:
        """Every complete interval; of a record that was done, those until then: what follows has no load."""
        found: Sequence[Mapping[str, Any]] = self.answer["series"]["intervals"]
        done_ns = self.replay.done_ns if self.replay else None
        return found if done_ns is None else found[: max(1, math.ceil(done_ns / self.answer["series"]["interval_ns"]))]

    @property
    def interval_s(self) -> float:
        """Length of an interval."""
        return float(self.answer["series"]["interval_ns"]) / SECOND

    @property
    def duration_s(self) -> float:
        """Simulated time, in seconds."""
        return float(self.answer["duration_ns"]) / SECOND

    @cached_property
    def buckets(self) -> tuple[str, ...]:
        """Names of the limits, outermost first."""
        return tuple(self.answer["series"]["buckets"])

    @cached_property
    def operations(self) -> tuple[float, ...]:
        """Reads and writes per second, by interval."""
        return tuple((each["read_ops"] + each["write_ops"]) / self.interval_s for each in self.intervals)

    @cached_property
    def latency(self) -> Histogram:
        """Of all reads and writes."""
        series = self.answer["series"]
        kinds = (decode(base64.b64decode(series[name])) for name in ("read_latency", "write_latency"))
        return add([each for each in kinds if each.count])

    @property
    def rate(self) -> float:
        """Operations per second over the whole time, or until all of a record was done."""
        done_ns = self.replay.done_ns if self.replay else None
        return self.latency.count / (self.duration_s if done_ns is None else done_ns / SECOND)

    @property
    def throughput(self) -> float:
        """Bytes per second over the whole time."""
        return float(sum(each["bytes"] for each in self.intervals)) / max(len(self.intervals) * self.interval_s, 1e-9)

    @cached_property
    def limiting(self) -> tuple[str, ...]:
        """Who held the load back, by interval; empty where nobody did."""
        names = [party(name) for name in self.buckets]
        return tuple("" if each["limited_by"] is None else names[each["limited_by"]] for each in self.intervals)

    @cached_property
    def limiting_shares(self) -> Mapping[str, float]:
        """Share of the intervals in which each party held the load back, largest first."""
        count = Counter(name or NOTHING for name in self.limiting)
        return {name: number / max(1, len(self.limiting)) for name, number in count.most_common()}

    @cached_property
    def waited_s(self) -> Mapping[str, float]:
        """Seconds in which I/Os waited for each party's limits; of several limits of one, the longest."""
        found: dict[str, float] = {}
        for name, each in zip(self.buckets, self.answer["statistics"]["plimsoll"]["buckets"], strict=True):
            found[party(name)] = max(found.get(party(name), 0.0), each["exceeded_ns"] / SECOND)
        return found

    def credits(self, bucket: str) -> tuple[float, ...]:
        """What a bucket held at the end of each interval, in operations or bytes."""
        index = self.buckets.index(bucket)
        return tuple(each["tokens"][index] for each in self.intervals)

    @cached_property
    def used_credits(self) -> tuple[str, ...]:
        """Names of the credit buckets that were drawn on; one stands for all members of an array."""
        drawn = [name for name in self.buckets if name.endswith("_credits") and self._is_drawn(name)]
        seen = {party(name): name for name in reversed(drawn)}
        return tuple(reversed(seen.values()))

    def _is_drawn(self, bucket: str) -> bool:
        """Whether credits were used to an amount that matters, or at a rate that ends them within a day."""
        held = self.credits(bucket)
        least = min(held, default=self.capacities[bucket])
        return least < 0.99 * self.capacities[bucket] or self.spent_per_s(bucket) * DAY_S > least

    def spent_per_s(self, bucket: str) -> float:
        """How fast credits went in the second half of the simulated time; negative where they grew."""
        held = self.credits(bucket)
        half = len(held) // 2
        return (held[half] - held[-1]) / max((len(held) - 1 - half) * self.interval_s, 1e-9) if held else 0.0

    @cached_property
    def capacities(self) -> Mapping[str, float]:
        """Most that each bucket can hold."""
        return {each["name"]: each["capacity"] for each in self.answer["statistics"]["plimsoll"]["buckets"]}

    @cached_property
    def credits_last(self) -> tuple[float, str] | None:
        """How long the credits that were drawn on last under this load, in s, and whose; None if for ever.

        What was not used up in the simulated time is extrapolated from its second half.
        """
        times = list(self.burst_ends)
        ended = {name for _, name in self.burst_ends}
        for bucket in self.used_credits:
            held = self.credits(bucket)
            spent = self.spent_per_s(bucket)
            if party(bucket) not in ended and spent > 0:
                times.append((self.duration_s + held[-1] / spent, party(bucket)))
        return min(times, default=None)

    @cached_property
    def burst_ends(self) -> tuple[tuple[float, str], ...]:
        """When credits ran out: (second, whose), the first time for each."""
        found: dict[str, float] = {}
        run, previous = 0, ""
        for i, name in enumerate(self.limiting):
            run = run + 1 if name == previous else 1
            previous = name
            if "used up" in name and run == SETTLED and name not in found:
                found[name] = (i - SETTLED + 1) * self.interval_s
        return tuple(sorted((second, name) for name, second in found.items()))

    @cached_property
    def phases(self) -> tuple[Phase, ...]:
        """The stretches between the ends of bursts; one where there are none."""
        ends = [round(second / self.interval_s) for second, _ in self.burst_ends]
        cuts = [0, *(end for end in ends if end), len(self.intervals)]
        return tuple(self._phase(start, end) for start, end in pairwise(cuts) if end > start)

    def _phase(self, start: int, end: int) -> Phase:
        # An idle volume gives a second of its rate at once; a phase is about what comes then.
        first = 1 if start == 0 and end > 10 else start
        inside = self.intervals[first:end]
        busy = [each for each in inside if each["read_ops"] + each["write_ops"]] or inside
        seconds = len(inside) * self.interval_s
        name, number = Counter(self.limiting[first:end]).most_common(1)[0]
        return Phase(
            start_s=start * self.interval_s,
            end_s=end * self.interval_s,
            operations=sum(each["read_ops"] + each["write_ops"] for each in inside) / seconds,
            bytes=sum(each["bytes"] for each in inside) / seconds,
            median_p50_ns=median(each["p50_ns"] for each in busy),
            median_p99_ns=median(each["p99_ns"] for each in busy),
            limited_by=name or NOTHING,
            limited_share=number / len(inside),
        )

    @property
    def sustained(self) -> Phase:
        """What lasts: the last phase."""
        return self.phases[-1]

    @property
    def per_million(self) -> float | None:
        """USD per million operations at the sustained rate."""
        return self.cost.per_million_operations(self.sustained.operations)

    @property
    def requests(self) -> int:
        """Operations that were completed."""
        return self.latency.count


def simulate(shape: VolumeShape, load: Load | Trace | Scheduled, duration_ns: int | None, cost: Cost) -> Outcome:
    """Put a load on a volume in virtual time; without a duration a trace runs to its end, and a schedule
    always does.

    Raises UsageError for what cannot be simulated, TargetError for a trace that cannot be read.
    """
    request: dict[str, Any] = {"volume": shape.spec}
    if isinstance(load, Trace):
        request["trace"] = {"path": str(load.path), "depth": load.depth, "duration_ns": duration_ns}
        request["trace"]["interval_ns"] = interval_ns(duration_ns) if duration_ns else SECOND
    elif isinstance(load, Scheduled):
        request["schedule"] = load.request(shape.size_bytes)
    else:
        request["workload"] = load.request(duration_ns or SECOND, shape.size_bytes)
    return Outcome(shape, load, cost, core.simulate(request))
