"""What is needed of a volume, and whether one gives it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from plimsoll.catalog.shape import VolumeShape
from plimsoll.catalog.waits import party
from plimsoll.errors import UsageError
from plimsoll.prices.cost import SECONDS_PER_MONTH, Cost, cost
from plimsoll.simulation.job import Load
from plimsoll.simulation.outcome import simulate
from plimsoll.simulation.slo import Clause, Judgement, judge_whole, parse_slo
from plimsoll.traces.advice.turn import Turn, turn
from plimsoll.traces.demand import Demand
from plimsoll.traces.flow import flow
from plimsoll.units import MIB, SECOND, format_duration, format_share

SPREAD = 4.0
"""Waits in an unfair queue are so many times shorter than in a fair one in less than a tenth of the cases."""
MOSTLY = 0.9
PROBE_NS = 3 * SECOND
CLEARLY = 1.1
"""So far above a bound, chance is no explanation."""


def latency_bounds(text: str) -> tuple[Clause, ...]:
    """The bounds of `--slo`; raises UsageError for those that a recorded load answers itself."""
    clauses = parse_slo(text)
    if rates := [each.text for each in clauses if each.metric in ("iops", "throughput")]:
        raise UsageError(
            f"--slo {rates[0]}: how much is asked is in the recorded load; bound its latency, as in p99<10ms"
        )
    return clauses


@dataclass
class Work:
    """I/Os simulated so far, for the time that is left."""

    operations: int = 0
    tell: Callable[[int], None] = lambda _: None
    stopped: bool = False
    """Whether nobody waits for the answer any more."""

    def add(self, operations: int) -> None:
        """So many were simulated."""
        self.operations += operations
        self.tell(self.operations)


@dataclass(frozen=True)
class Wanted:
    """A load, or several that all must be carried, and its objective."""

    demands: tuple[Demand, ...]
    clauses: tuple[Clause, ...]
    size_bytes: int
    """What the volume has to hold."""
    region: str | None = None
    requests_per_s: float | None = None
    """IOPS as they were observed, which are what is paid for; None: as many as are asked for."""
    closed: bool = False
    work: Work = field(default_factory=Work)
    _tried: dict[str, tuple[Turn, Judgement]] = field(default_factory=dict)

    def of(self, demands: tuple[Demand, ...]) -> Wanted:
        """The same of other loads."""
        return replace(self, demands=demands, _tried={})

    def scaled(self, factor: float) -> Wanted:
        """The same of so many times the I/Os."""
        return self.of(tuple(each.scaled(factor) for each in self.demands))

    def cost(self, shape: VolumeShape) -> Cost:
        """What a volume costs."""
        return cost(shape, self.region)

    def price(self, shape: VolumeShape) -> float | None:
        """USD per month with requests where these are charged, without the instance; None where a price is missing."""
        money = self.cost(shape)
        if money.volume_per_month is None:
            return None
        per_s = self.demands[0].rate if self.requests_per_s is None else self.requests_per_s
        return money.volume_per_month + (
            per_s * SECONDS_PER_MONTH / 1e6 * money.requests.usd if money.requests else 0.0
        )

    def tried(self, shape: VolumeShape) -> tuple[Turn, Judgement]:
        """The turn that decides, and how it stands to the objective."""
        key = f"{shape.options} {sorted(shape.spec)}"
        if key not in self._tried:
            found = [self._try(shape, demand) for demand in self.demands]
            self._tried[key] = next((each for each in found if not each[1].met), found[-1])
        return self._tried[key]

    def _try(self, shape: VolumeShape, demand: Demand) -> tuple[Turn, Judgement]:
        if self.work.stopped:
            raise KeyboardInterrupt
        done = turn(shape, demand, self.cost(shape), self.size_bytes, closed=self.closed)
        self.work.add(demand.operations)
        judged = judge_whole(done.outcome, self.clauses)
        if judged.met and (whose := done.falling):
            why = f"its {whose.partition(',')[0]} credits fall"
            judged = Judgement(False, -1.0, (why,))
        return done, judged

    def enough(self, shape: VolumeShape) -> bool:
        """Whether a volume carries the load for ever within the objective."""
        return self.too_little(shape) is None and self.tried(shape)[1].met

    def too_little(self, shape: VolumeShape) -> str | None:
        """Which limit plainly lets too little through, without a simulation; None where none does."""
        for demand in self.demands:
            found = flow(shape, demand)
            if not found.goes_on:
                worst = max(found.meters, key=lambda meter: meter.use)
                unit = "1/s" if ".iops" in worst.name else "B/s"
                asked, most = (_exact(each, unit) for each in (worst.use * worst.rate, worst.rate))
                return f"{asked} are asked for, and its {party(worst.name)} let {most} through"
            for clause in self.clauses:
                share, allowed = found.share_waiting(SPREAD * clause.limit / SECOND), _allowed(clause)
                if self.closed or found.tightest is None:
                    continue
                limit = party(found.tightest.name)
                if allowed is not None and MOSTLY * share > allowed:
                    late = format_share(round(share, 4))
                    return f"{late} of the I/Os would wait for its {limit} longer than {clause.text} allows"
                if clause.metric == "mean" and MOSTLY * found.mean_wait_s * SECOND > clause.limit:
                    wait = format_duration(found.mean_wait_s * SECOND)
                    return f"I/Os would wait {wait} on average for its {limit}, longer than {clause.text} allows"
        return None

    def likely(self, shape: VolumeShape) -> bool:
        """Whether the flow of I/Os through its limits keeps the objective: nearly what a simulation says."""
        for demand in self.demands:
            found = flow(shape, demand)
            if not found.goes_on:
                return False
            for clause in self.clauses:
                allowed = None if self.closed else _allowed(clause)
                slack_s = max(0.0, clause.limit - own_ns(shape)) / SECOND
                if allowed is not None and found.share_later(slack_s) > allowed:
                    return False
                if clause.metric == "mean" and not self.closed and found.mean_wait_s > slack_s:
                    return False
        return True

    @property
    def operations(self) -> int:
        """Of one turn of all loads."""
        return sum(each.operations for each in self.demands)

    def own_latency(self, least: VolumeShape) -> str | None:
        """Which bound the latency of a family breaks by itself, however much is bought; None where it breaks none."""
        free = copy.deepcopy(least.spec)
        for name in ("iops", "throughput", "instance"):
            free.pop(name, None)
        demand = self.demands[0]
        share = float(demand.reads.sum()) / demand.operations
        size = 4096
        probe = Load("", size, 16, None, share, demand.sequential, least.size_bytes, seed=1)
        seen = simulate(replace(least, spec=free), probe, PROBE_NS, self.cost(least))
        clearly = tuple(replace(each, limit=each.limit * CLEARLY) for each in self.clauses if each.metric != "max")
        judged = judge_whole(seen, clearly) if clearly else None
        return None if judged is None or judged.met else judged.reasons[0]


def own_ns(shape: VolumeShape) -> float:
    """The usual latency of a volume that no limit delays."""
    return float(max(shape.spec[name]["median_ns"] for name in ("read_latency", "write_latency")))


def _exact(value: float, unit: str) -> str:
    """All digits of a rate: one I/O more or less decides."""
    return f"{value:,.6g}/s" if unit == "1/s" else f"{value / MIB:,.6g} MiB/s"


def _allowed(clause: Clause) -> float | None:
    """The share of I/Os that may be slower than a bound; None where it bounds no percentile."""
    if clause.metric == "max":
        return 0.0
    return 1 - float(clause.metric[1:]) / 100 if clause.metric.startswith("p") else None
