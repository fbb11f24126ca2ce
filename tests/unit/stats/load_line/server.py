"""A server of known capacity, simulated event by event: requests queue for a few equal stations, first come first.

Its true knee is known: capacity = stations / service time, and with a delay outside the stations (network, client) the
asymptotes cross at stations × (service + delay) / service clients.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from plimsoll.stats.load_line.points import Point
from plimsoll.stats.load_line.search import Ending, LoadSearch, Probe

MS = 1_000_000.0
TAKEN = 1000
"""Requests of one run."""


@dataclass
class Server:
    """`noise` is the run-to-run standard deviation of the service time, as ln; `drift` its change per run."""

    stations: int
    service_ns: float
    delay_ns: float = 0.0
    noise: float = 0.03
    drift: float = 0.0
    seed: int = 0
    client_limit: float = math.inf
    """Requests per second that the client can make."""

    def __post_init__(self) -> None:
        self._rng = np.random.default_rng(self.seed)
        self._runs = 0

    @property
    def capacity(self) -> float:
        return self.stations / self.service_ns * 1e9

    @property
    def knee(self) -> float:
        return self.stations * (self.service_ns + self.delay_ns) / self.service_ns

    def closed(self, clients: int) -> np.ndarray:
        """Latencies and the time of all of them, ns, with `clients` that wait for their answers."""
        service, delay = self._times()
        ready = [(float(d), i) for i, d in enumerate(self._rng.exponential(1.0, clients) * delay)]
        heapq.heapify(ready)
        free = [0.0] * self.stations
        latencies, last = np.empty(TAKEN), 0.0
        for i in range(TAKEN):
            arrived, client = heapq.heappop(ready)
            start = max(arrived, heapq.heappop(free))
            done = start + service[i]
            heapq.heappush(free, done)
            pause = delay * self._delays[i]
            latencies[i] = done - arrived + pause
            heapq.heappush(ready, (done + pause, client))
            last = max(last, done)
        self.elapsed_ns = last
        return latencies

    def opened(self, rate: float) -> np.ndarray:
        """Latencies from the intended start with Poisson arrivals."""
        service, delay = self._times()
        arrivals = np.cumsum(self._rng.exponential(1e9 / rate, TAKEN))
        free = [0.0] * self.stations
        latencies, last = np.empty(TAKEN), 0.0
        for i, arrived in enumerate(arrivals):
            done = max(float(arrived), heapq.heappop(free)) + service[i]
            heapq.heappush(free, done)
            latencies[i] = done - arrived + delay * self._delays[i]
            last = max(last, done)
        self.elapsed_ns, self.offered_ns = last, float(arrivals[-1])
        return latencies

    def _times(self) -> tuple[np.ndarray, float]:
        self._runs += 1
        level = math.exp(self.noise * self._rng.standard_normal() + self.drift * self._runs)
        self._delays = self._rng.exponential(1.0, TAKEN)
        return self._rng.exponential(self.service_ns * level, TAKEN), self.delay_ns * level

    def point(self, probe: Probe, percent: float, *, open_loop: bool = False) -> Point:
        """What a run at this load gives."""
        latencies = self.opened(probe.load) if open_loop else self.closed(int(probe.load))
        overloaded = open_loop and self.elapsed_ns > self.offered_ns / 0.95
        throughput = min(TAKEN / self.elapsed_ns * 1e9, self.client_limit)
        about = {
            "objective_ns": math.inf if overloaded else float(np.percentile(latencies, percent)),
            "overloaded": overloaded,
            "client_limited": throughput >= self.client_limit,
        }
        if not overloaded:
            p50, p99 = np.percentile(latencies, [50, 99])
            about |= {"mean_ns": float(latencies.mean()), "p50_ns": float(p50), "p99_ns": float(p99)}
        return Point(probe.load, probe.phase, probe.round, True, throughput, **about)


def drive(search: LoadSearch, measure: Callable[[Probe], Point]) -> Ending:
    """Carry a search through with the points that `measure` gives."""
    steps = search.run()
    try:
        probe = next(steps)
        while True:
            probe = steps.send(measure(probe))
    except StopIteration as end:
        return Ending(end.value)


def finish(search: LoadSearch, server: Server, *, open_loop: bool = False) -> Ending:
    """Carry a search through on a server."""
    percent = search.objective.percent if search.objective else 99.0
    return drive(search, lambda probe: server.point(probe, percent, open_loop=open_loop))
