"""Places of known capacity in virtual time, as the runs of a search meet them: rested, with what they had stored.

The volumes are those of `crates/volume`, with their buckets; the queues are simulated event by event. Each run has the
warm-up, the length and the intervals that `plimsoll knee` gives it.
"""

from __future__ import annotations

import copy
import heapq
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from plimsoll.catalog.shape import volume_shape
from plimsoll.run.scores import SCHEDULE_KEPT
from plimsoll.stats.load_line.points import Point, falls_behind
from plimsoll.stats.load_line.search import Probe
from plimsoll.stats.load_line.settled import settle
from plimsoll.units import SECOND
from plimsoll.volumes import core

INTERVAL_S = 0.5
WARMUP_S, RUNTIME_S = 2.5, 10.0
MOST_IN_FLIGHT = 256


def point(probe: Probe, completed: np.ndarray, in_flight: float | None, stored_s: float, runtime_s: float) -> Point:
    """The point of a run with these operations completed in each interval, from the start of its warm-up on.

    `in_flight` of a closed loop gives its latency by Little's law; None is a schedule at the probe's load.
    """
    measured = completed[round(WARMUP_S / INTERVAL_S) :]
    part = settle((measured / INTERVAL_S).tolist(), INTERVAL_S)
    done = float(measured.sum()) / (len(measured) * INTERVAL_S)
    late = in_flight is None and (done < SCHEDULE_KEPT * probe.load or falls_behind(part, probe.load))
    mean_ns = None if late else (1e6 if in_flight is None else in_flight / part.rate * 1e9)
    return Point(
        probe.load,
        probe.phase,
        probe.round,
        valid=True,
        throughput=part.rate,
        mean_ns=mean_ns,
        objective_ns=math.inf if late else mean_ns,
        overloaded=late,
        longer=probe.longer,
        lasted_ns=(WARMUP_S + runtime_s * probe.longer) * 1e9,
        stored_ns=stored_s * 1e9,
        discarded=part.discarded,
        steady=part.steady,
    )


@dataclass
class Volume:
    """A volume of the catalogue. `noise` is the deviation of its limits from run to run, as ln; `lasting` credits are
    those that the run before left.
    """

    options: Mapping[str, str]
    block_bytes: int = 4096
    sequential: bool = False
    noise: float = 0.0
    jitter: float = 0.0
    """Deviation of one interval of a closed loop, as ln: a host that is busy at times."""
    seed: int = 0
    lasting: bool = False
    runtime_s: float = RUNTIME_S
    _credits: float = 1.0
    _rng: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        self._rng = np.random.default_rng(self.seed)
        self._spec = volume_shape(self.options, "here").spec
        if self.lasting:
            self._credits = self._spec["iops"]["credits"].get("initial", 1.0)

    @cached_property
    def capacity(self) -> float:
        """Operations per second that its limits let through for as long as its credits, or their absence, last."""
        found = math.inf
        for name, cost in (("iops", 1), ("throughput", self.block_bytes)):
            limit = self._spec.get(name)
            if limit:
                credits = limit.get("credits")
                rate = credits["baseline"] if credits and credits.get("initial", 1.0) == 0 else limit["rate"]
                found = min(found, rate / cost)
        return found

    @cached_property
    def knee(self) -> float:
        """Operations in flight at which the asymptotes cross: capacity times the latency that no limit adds to."""
        spec = {name: value for name, value in self._spec.items() if name not in ("iops", "throughput")}
        answer = core.simulate({"volume": spec, "workload": self._workload(1, None, 20 * SECOND)})
        done = sum(each["read_ops"] for each in answer["series"]["intervals"])
        return self.capacity * 20 / done

    def _workload(self, depth: int, rate: float | None, duration_ns: int) -> dict[str, Any]:
        return {
            "block_bytes": self.block_bytes,
            "depth": depth,
            "rate": rate,
            "read_share": 1.0,
            "pattern": "sequential" if self.sequential else "random",
            "region_bytes": 1 << 30,
            "duration_ns": duration_ns,
            "interval_ns": round(INTERVAL_S * SECOND),
            "seed": int(self._rng.integers(1 << 31)),
        }

    def run(self, probe: Probe, *, open_loop: bool) -> Point:
        """What a run at this load gives."""
        spec = copy.deepcopy(self._spec)
        level = math.exp(self.noise * self._rng.standard_normal())
        for name in ("iops", "throughput"):
            if name in spec:
                spec[name]["rate"] = round(spec[name]["rate"] * level)
        if self.lasting:
            spec["iops"]["credits"]["initial"] = self._credits
        duration_ns = round((WARMUP_S + self.runtime_s * probe.longer) * SECOND)
        depth, rate = (MOST_IN_FLIGHT, probe.load) if open_loop else (int(probe.load), None)
        answer = core.simulate({"volume": spec, "workload": self._workload(depth, rate, duration_ns)})
        series = answer["series"]
        if self.lasting:
            place = next(k for k, name in enumerate(series["buckets"]) if name.endswith("iops_credits"))
            left = series["intervals"][-1]["tokens"][place]
            self._credits = min(1.0, max(0.0, left / spec["iops"]["credits"]["capacity"]))
        done = np.array([each["read_ops"] for each in series["intervals"]], dtype=float)
        if not open_loop:
            done *= np.exp(self.jitter * self._rng.standard_normal(done.size))
        return point(probe, done, None if open_loop else probe.load, 1.0, self.runtime_s)


@dataclass
class Queue:
    """Stages in a row, each with equal stations and exponential service times; first come, first served.

    One stage is M/M/c; two are a database whose processors work before its log does.
    """

    stages: tuple[tuple[int, float], ...]
    """Stations and mean service time, s, of each stage."""
    noise: float = 0.0
    seed: int = 0
    _rng: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        self._rng = np.random.default_rng(self.seed)

    @property
    def capacity(self) -> float:
        return min(stations / service for stations, service in self.stages)

    @property
    def knee(self) -> float:
        """Clients at which the asymptotes cross."""
        return self.capacity * sum(service for _, service in self.stages)

    def run(self, probe: Probe, *, open_loop: bool) -> Point:
        """What a run at this load gives."""
        level = math.exp(self.noise * self._rng.standard_normal())
        length = WARMUP_S + RUNTIME_S * probe.longer
        ready = [0.0] * int(probe.load)
        if open_loop:
            ready = np.cumsum(self._rng.exponential(1 / probe.load, int(probe.load * length * 1.2))).tolist()
        done = self._through(ready, level, length, again=not open_loop)
        counts, _ = np.histogram(done, bins=np.arange(0, length + INTERVAL_S / 2, INTERVAL_S))
        return point(probe, counts.astype(float), None if open_loop else probe.load, 0.0, RUNTIME_S)

    def _through(self, ready: list[float], level: float, length: float, *, again: bool) -> list[float]:
        """When each request left the last stage; `again`: its client then sends another at once."""
        free = [[0.0] * stations for stations, _ in self.stages]
        arrivals = [(when, 0) for when in ready]
        heapq.heapify(arrivals)
        left = []
        while arrivals:
            when, stage = heapq.heappop(arrivals)
            if when > length:
                break
            service = self._rng.exponential(self.stages[stage][1] * level)
            end = max(when, heapq.heappop(free[stage])) + service
            heapq.heappush(free[stage], end)
            if stage + 1 < len(self.stages):
                heapq.heappush(arrivals, (end, stage + 1))
                continue
            left.append(end)
            if again:
                heapq.heappush(arrivals, (end, 0))
        return left
