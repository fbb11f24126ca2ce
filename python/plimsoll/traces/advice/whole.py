"""The whole advice: what to buy, what it saves or costs against today, what breaks first, and what nobody can know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from plimsoll.catalog.provider import providers
from plimsoll.catalog.shape import VolumeShape, options_from, volume_shape
from plimsoll.catalog.volume_type import VolumeType
from plimsoll.errors import UsageError
from plimsoll.simulation.slo import Clause
from plimsoll.traces.advice.families import Family, Standing, families, rank
from plimsoll.traces.advice.growth import Break, breaks, months
from plimsoll.traces.advice.headroom import Stage, stages
from plimsoll.traces.advice.hidden import Hidden, hidden
from plimsoll.traces.advice.machines import Machines, Own, machines, own_machine
from plimsoll.traces.advice.proof.shown import Proof
from plimsoll.traces.advice.today import Today, today
from plimsoll.traces.advice.wanted import Wanted, Work, latency_bounds
from plimsoll.traces.demand import BURST_S, Demand, bursts, even
from plimsoll.traces.series import Series
from plimsoll.units import GIB, parse_size


@dataclass(frozen=True)
class Asked:
    """What the user says beside the load."""

    slo: str = "p99<10ms"
    headroom: float = 0.0
    size: str | None = None
    growth_per_month: float | None = None
    providers: tuple[str, ...] = ()
    current: str | None = None
    region: str | None = None
    sequential: bool = False


@dataclass(frozen=True)
class Advice:
    """The answer."""

    series: Series
    demand: Demand
    asked: Asked
    clauses: tuple[Clause, ...]
    even: tuple[Family, ...]
    """If the I/Os of each period came evenly."""
    burst: tuple[Family, ...] | None
    """If they came as close together as they can have come; None where periods are a second or less."""
    today: Today | None
    hidden: Hidden | None
    breaks: Break | None
    """Of what the worst bursts need, in these, where there is such a volume; else of what an even load needs."""
    stages: tuple[Stage, ...]
    """What that volume does to that load as it grows."""
    machines: Machines | None
    own_machine: Own | None
    """How the instance of `--current` stands to the load; None where none was named."""
    closed: Family | None
    """The cheapest of the recommended family for a program that waits for its I/Os; None where that is not known."""
    coverage: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """By provider: families with a price and limits, of all."""
    not_modelled: Mapping[str, str] = field(default_factory=dict)
    """What these providers sell as well, and which figure no source gives."""
    size_bytes: int = 0
    """What the volume has to hold."""
    proof: Proof | None = None

    @property
    def best(self) -> Family | None:
        """The cheapest that carries an even load."""
        return _first(self.even)

    @property
    def best_of_bursts(self) -> Family | None:
        """The cheapest that carries the worst bursts."""
        return None if self.burst is None else _first(self.burst)

    @property
    def is_range(self) -> bool:
        """Whether the answer lies between two."""
        return self.burst is not None

    @property
    def breaks_in_bursts(self) -> bool:
        """Whether what breaks first was looked for in the worst bursts."""
        return self.best_of_bursts is not None

    @property
    def breaks_in_months(self) -> float | None:
        """At the growth that was named; None where it does not break, or no growth was named."""
        if self.breaks is None or self.breaks.factor is None or self.asked.growth_per_month is None:
            return None
        return months(self.breaks.factor, self.asked.growth_per_month)


def _first(ranked: Sequence[Family]) -> Family | None:
    return next((each for each in ranked if each.standing is Standing.CARRIES), None)


class Listener(Protocol):
    """Who is told how far an advice is."""

    work: Work

    def expect(self, steps: int) -> None:
        """So many steps are to come."""

    def step(self, what: str) -> None:
        """One is done."""


def advise(series: Series, asked: Asked, listener: Listener) -> Advice:
    """What to buy for a load that repeats what was observed for ever. Raises UsageError for what is not said."""
    clauses = latency_bounds(asked.slo)
    options = {} if asked.current is None else options_from(asked.current, "--current")
    current = volume_shape(options, "--current") if options else None
    size_bytes = _size(asked, current) or _of_device(series)
    plain = even(series, sequential=asked.sequential)
    grown = plain.scaled(1 + asked.headroom)
    if grown.largest_bytes > size_bytes:
        raise UsageError("--size is smaller than one I/O of the load; write it like 500GiB")
    wanted = Wanted((grown,), clauses, size_bytes, asked.region, requests_per_s=plain.rate, work=listener.work)
    kinds = families(asked.providers or _own(current))
    close = None if series.period_s <= BURST_S else wanted.of(bursts(plain, current)).scaled(1 + asked.headroom)
    listener.expect(len(kinds) * (1 if close is None else 2) + 1)
    ranked = rank(kinds, wanted, {}, listener.step)
    worst = None if close is None else rank(kinds, close, {}, lambda name: listener.step(f"{name} under bursts"))
    best = _first(ranked)
    grows = _that_breaks(best, wanted.of((plain,)), worst, None if close is None else close.of(bursts(plain, current)))
    broken = None if grows is None else breaks(*grows)
    return Advice(
        series=series,
        demand=plain,
        asked=asked,
        clauses=clauses,
        even=ranked,
        burst=worst,
        today=None if current is None else today(current, wanted, close),
        hidden=hidden(series, plain, current),
        breaks=broken,
        stages=() if grows is None or broken is None else stages(*grows, broken.factor),
        machines=None if best is None else machines(best.kind, wanted, close),
        own_machine=None if current is None else own_machine(current, best, wanted, close),
        closed=_closed(best, wanted, listener),
        coverage=_coverage(ranked),
        not_modelled=_not_modelled(kinds),
        size_bytes=size_bytes,
    )


def _that_breaks(
    best: Family | None, plain: Wanted, worst: Sequence[Family] | None, close: Wanted | None
) -> tuple[VolumeShape, Wanted] | None:
    """The volume and the load of which it is asked what breaks first.

    In the worst bursts where something carries them. Growth counts from the load as it was, without headroom.
    """
    dearest = None if worst is None else _first(worst)
    if dearest is not None and dearest.shape is not None and close is not None:
        return dearest.shape, close
    return None if best is None or best.shape is None else (best.shape, plain)


def _of_device(series: Series) -> int:
    """As large as the device that was observed; raises UsageError where that is not known."""
    if series.device_bytes:
        return max(GIB, series.device_bytes)
    raise UsageError("how much must the volume hold? Add --size 500GiB, or --current type=gp2,size=500GiB")


def _size(asked: Asked, current: VolumeShape | None) -> int | None:
    if asked.size is not None:
        return max(GIB, parse_size(asked.size))
    if current is not None and current.size_bytes:
        return current.size_bytes
    return None


def _own(current: VolumeShape | None) -> tuple[str, ...]:
    """Without a word about providers: today's, else all."""
    return () if current is None else (current.type.provider.name,)


def _closed(best: Family | None, wanted: Wanted, listener: Listener) -> Family | None:
    """Where it is known how many I/Os were in flight, the other bound: the program waits for them."""
    from plimsoll.traces.advice.families import family

    if best is None or wanted.demands[0].depth is None:
        return None
    found = family(best.kind, replace(wanted, closed=True), {})
    listener.step(f"{best.name} for a program that waits")
    return found if found.standing is Standing.CARRIES else None


def _coverage(ranked: Sequence[Family]) -> Mapping[str, tuple[int, int]]:
    """With what these providers sell and is not here, and so is not among those that are ranked."""
    from plimsoll.prices.coverage import coverage

    unknown = {each.name for each in ranked if each.standing is Standing.UNKNOWN}
    found = {each.kind.provider.name: (0, 0) for each in ranked}
    for row in coverage():
        if row.provider in found:
            known, total = found[row.provider]
            is_known = row.state != "unknown" and row.family not in unknown
            found[row.provider] = (known + is_known, total + 1)
    return found


def _not_modelled(kinds: Sequence[VolumeType]) -> Mapping[str, str]:
    """What the providers of these types sell and is not here."""
    names = {kind.provider.name for kind in kinds}
    return {name: why for each in providers() if each.name in names for name, why in each.unknown.items()}
