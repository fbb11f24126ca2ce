"""ioping's figures: which requests count, and what they come to. Everything in ns and exact."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field

from plimsoll.frontends.ping.options import Settings
from plimsoll.units import SECOND

ENOUGH_FOR_MARKS = 5
"""Requests that must count before a further one is called fast or slow."""
EXACT_DIGITS = 1000
"""Latencies for percentiles are kept to three digits."""


@dataclass(frozen=True)
class Request:
    """One request as it came back."""

    number: int
    kind: str
    start_ns: int
    latency_ns: int
    mark: str
    """`warmup`, `too fast`, `too slow`, `fast`, `slow` or nothing."""

    @property
    def ignored(self) -> bool:
        """Whether it does not count."""
        return self.mark in ("warmup", "too fast", "too slow")


@dataclass
class Totals:
    """Sums over requests; those that count, and all."""

    count: int = 0
    sum_ns: int = 0
    squares: int = 0
    min_ns: int = 0
    max_ns: int = 0
    all_count: int = 0
    too_fast: int = 0
    too_slow: int = 0
    begin_ns: int | None = None
    """First start; of a part, the end of the one before. Nothing: before the first."""
    end_ns: int = 0
    latencies: Counter[int] = field(default_factory=Counter)

    @property
    def mean_ns(self) -> float:
        """Mean of those that count."""
        return self.sum_ns / self.count if self.count else 0.0

    @property
    def deviation_ns(self) -> float:
        """Population standard deviation, ioping's mdev."""
        if not self.count:
            return 0.0
        return math.sqrt(max(self.squares / self.count - self.mean_ns**2, 0.0))

    @property
    def iops(self) -> float:
        """By service time: the time between requests does not count."""
        return self.count * SECOND / self.sum_ns if self.sum_ns else 0.0

    @property
    def load_ns(self) -> int:
        """From the first start, or the last part, to the last end."""
        return self.end_ns - (self.begin_ns or 0)

    @property
    def load_iops(self) -> float:
        """All requests over the time that passed."""
        return self.all_count * SECOND / self.load_ns if self.load_ns else 0.0

    def percentile(self, percent: float) -> int:
        """Smallest latency that covers the share; 0 without requests."""
        rank, seen = max(1, math.ceil(self.count * percent / 100)), 0
        for latency in sorted(self.latencies):
            seen += self.latencies[latency]
            if seen >= rank:
                return latency
        return 0

    def add(self, request: Request) -> None:
        """Take one request in."""
        if self.begin_ns is None:
            self.begin_ns = request.start_ns
        self.all_count += 1
        self.end_ns = request.start_ns + request.latency_ns
        self.too_fast += request.mark == "too fast"
        self.too_slow += request.mark == "too slow"
        if request.ignored:
            return
        latency = request.latency_ns
        self.min_ns = min(self.min_ns, latency) if self.count else latency
        self.max_ns = max(self.max_ns, latency)
        self.count += 1
        self.sum_ns += latency
        self.squares += latency * latency
        step = max(1, 10 ** (len(str(latency)) - len(str(EXACT_DIGITS)) + 1))
        self.latencies[latency // step * step] += 1


@dataclass
class Statistics:
    """All requests of a run in order, and of the part that is printed in between."""

    settings: Settings
    total: Totals = field(default_factory=Totals)
    part: Totals = field(default_factory=Totals)

    def see(self, kind: str, start_ns: int, latency_ns: int) -> Request:
        """The next request, marked by ioping's rules (1.3: fast below half the mean so far, slow above twice)."""
        number = self.total.all_count + 1
        request = Request(number, kind, start_ns, latency_ns, self._mark(number, latency_ns))
        self.total.add(request)
        self.part.add(request)
        return request

    def _mark(self, number: int, latency_ns: int) -> str:
        settings, before = self.settings, self.total
        if number <= settings.warmup:
            return "warmup"
        if latency_ns < settings.min_ns:
            return "too fast"
        if settings.max_ns is not None and latency_ns > settings.max_ns:
            return "too slow"
        if before.count > ENOUGH_FOR_MARKS:
            if latency_ns * 2 < before.mean_ns:
                return "fast"
            if latency_ns > before.mean_ns * 2:
                return "slow"
        return ""

    def take_part(self) -> Totals:
        """The part since the last call."""
        part, self.part = self.part, Totals(begin_ns=self.part.end_ns)
        return part
