"""The cheapest volume that gives what is needed: of each type the cheapest that does, and of all of them by price.

Enough means for ever: with all burst credits used up and nothing stored. Where it is said how long it has to last, a
burst counts for as long as its credits do, and until when is said.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from plimsoll.catalog.bounds import Use, burst, sustained
from plimsoll.catalog.shape import VolumeShape
from plimsoll.catalog.volume_type import volume_types
from plimsoll.errors import UnknownName, UsageError
from plimsoll.prices.cost import SECONDS_PER_MONTH, cost
from plimsoll.simulation.grid import Grid, grid
from plimsoll.simulation.job import Load
from plimsoll.simulation.lasting import Stage, for_ever, until
from plimsoll.simulation.outcome import Outcome
from plimsoll.simulation.search import Need, cheapest, one_cheaper
from plimsoll.simulation.slo import Clause, Judgement, judge_lasting
from plimsoll.units import MIB, SECOND, format_duration

ROUNDING = 1e-9
"""Limits are products of floating-point numbers."""


@dataclass(frozen=True)
class Cheaper:
    """The volume that is one step cheaper, and what of the objective it fails."""

    shape: VolumeShape
    usd_per_month: float | None
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Choice:
    """The cheapest volume of one type that is enough, or why there is none."""

    type: str
    stage: Stage | None
    """The last that counts: the one that lasts, or the one in which the needed time ends."""
    judgement: Judgement | None
    refused: str = ""
    """Why the provider would not even sell it."""
    for_ever: bool = True
    """Whether what holds in the stage holds for ever."""
    cheaper: Cheaper | None = None
    """None where a volume that holds as much cannot be cheaper, or where none is enough."""
    can_grow: bool = False
    """Whether more of the type could be bought than its least."""

    @property
    def outcome(self) -> Outcome | None:
        """What it does in the stage."""
        return self.stage.outcome if self.stage else None

    @property
    def met(self) -> bool:
        """Whether it gives what is needed."""
        return self.judgement is not None and self.judgement.met

    @property
    def lasts_s(self) -> float | None:
        """Until when it gives that; None for ever, and where it never does."""
        return self.stage.end_s if self.stage and self.met and not self.for_ever else None

    @property
    def usd_per_month(self) -> float | None:
        """Price of the volumes, with their requests all month where these are charged, without the instance.

        None where it is not known.
        """
        if self.outcome is None or self.outcome.cost.volume_per_month is None:
            return None
        requests = self.outcome.cost.requests
        asked = self.outcome.sustained.operations * SECONDS_PER_MONTH / 1e6 * requests.usd if requests else 0.0
        return self.outcome.cost.volume_per_month + asked

    @property
    def headroom(self) -> float | None:
        """How much more could be asked: of the sustained limit where a rate is offered, else the bound's margin."""
        if self.outcome is None or self.judgement is None:
            return None
        load = self.outcome.load
        if not isinstance(load, Load) or load.rate is None:
            return self.judgement.margin
        limit = sustained(self.outcome.shape, _use(load))
        return None if limit is None else limit.per_second / load.rate - 1


def choose(
    types: Sequence[str],
    options: Mapping[str, str],
    load: Load,
    lasts_ns: int | None,
    clauses: tuple[Clause, ...],
    region: str | None,
    progress: Callable[[str], None],
) -> list[Choice]:
    """One choice per type, those that give what is needed first, the cheapest at the top; `lasts_ns` None is for ever.

    `options` hold for all types; what a type does not take is refused for it alone. Raises UnknownName for a type that
    does not exist, and UsageError where it is not said how much has to fit.
    """
    kinds = volume_types()
    known = {each.name for each in kinds}
    if unknown := [name for name in types if name not in known]:
        raise UnknownName("volume type", unknown[0], known, "--compare")
    if "size" not in options and not {each.name for each in kinds if each.is_local}.issuperset(types):
        raise UsageError("--compare has to know how much must fit: add --volume size=500GiB, or whatever it is")
    found = []
    for name in types:
        progress(name)
        found.append(_best(name, options, Requirements(load, clauses, lasts_ns, region)))

    def order(choice: Choice) -> tuple[bool, bool, float]:
        price = choice.usd_per_month
        return not choice.met, price is None, price if price is not None else math.inf

    return sorted(found, key=order)


@dataclass(frozen=True)
class Requirements:
    """What is needed of a volume, and what was found out about some."""

    load: Load
    clauses: tuple[Clause, ...]
    lasts_ns: int | None
    """None: for ever."""
    region: str | None = None
    _tried: dict[str, tuple[Stage, Judgement]] = field(default_factory=dict)

    def tried(self, shape: VolumeShape) -> tuple[Stage, Judgement]:
        """The stage that decides, and how it stands to what is needed."""
        key = f"{shape.options} {sorted(shape.spec)}"
        if key not in self._tried:
            self._tried[key] = self._try(shape)
        return self._tried[key]

    def _try(self, shape: VolumeShape) -> tuple[Stage, Judgement]:
        money = cost(shape, self.region)
        if self.lasts_ns is None:
            stages = [for_ever(shape, self.load, money)]
        else:
            stages = list(until(shape, self.load, money, self.lasts_ns))
        judged = [(stage, judge_lasting(stage.outcome, self.clauses)) for stage in stages]
        stage, found = next((each for each in judged if not each[1].met), judged[-1])
        if self.lasts_ns is not None and stage.start_s:
            when, wanted = format_duration(round(stage.start_s) * SECOND), format_duration(self.lasts_ns)
            when = f"just before {wanted}" if when == wanted else when
            found = replace(found, reasons=tuple(f"from {when} on, {reason}" for reason in found.reasons))
        if too_little := self.too_little(shape):
            found = Judgement(False, -1.0, (too_little,))
        return stage, found

    def enough(self, shape: VolumeShape) -> bool:
        """Whether a volume gives what is needed for as long."""
        return self.tried(shape)[1].met

    def price(self, shape: VolumeShape) -> float | None:
        """USD per month without the instance."""
        return cost(shape, self.region).volume_per_month

    def too_little(self, shape: VolumeShape) -> str | None:
        """Which limit lets too little through, to the last I/O, which no simulation counts; None if none does."""
        asked = {clause.text: _least_rate(clause, self.load) for clause in self.clauses}
        text, needed = max(asked.items(), key=lambda each: each[1])
        if self.load.rate is not None and self.load.rate >= needed:
            text, needed = "", self.load.rate
        bound = (sustained if self.lasts_ns is None else burst)(shape, _use(self.load))
        parity = shape.raid == 5 and self.load.read_share < 1
        # Writes of whole stripes cost an array with parity less than the bound says.
        if bound is None or parity or bound.per_second * (1 + ROUNDING) >= needed:
            return None
        if text.startswith("throughput"):
            most = f"{bound.per_second * self.load.block_bytes / MIB:,.7g} MiB/s"
        else:
            most = _exact(bound.per_second)
        if text:
            return f"{text} fails: only {most} are possible, held back by its {bound.name}"
        return f"only {most} of {_exact(needed)} are possible, held back by its {bound.name}"


def _best(name: str, options: Mapping[str, str], needed: Requirements) -> Choice:
    try:
        sold = grid(name, options)
    except UnknownName:
        raise
    except UsageError as error:
        return Choice(name, None, None, str(error))
    need = Need(lambda shape: needed.too_little(shape) is None, needed.enough, needed.price)
    point = cheapest(sold, need)
    can_grow = any(len(axis.values) > 1 for axis in sold.axes)
    if point is None:
        stage, judgement = needed.tried(sold.shape([axis.values[-1] for axis in sold.axes]))
        return Choice(name, stage, judgement, can_grow=can_grow)
    shape = sold.shape(point)
    stage, judgement = needed.tried(shape)
    lasting = stage.end_s is None
    if not lasting and (endless := replace(needed, lasts_ns=None, _tried={})).enough(shape):
        lasting, (stage, judgement) = True, endless.tried(shape)
    return Choice(name, stage, judgement, "", lasting, _cheaper(sold, point, needed), can_grow)


def _cheaper(sold: Grid, point: Sequence[int], needed: Requirements) -> Cheaper | None:
    shape = one_cheaper(sold, point, needed.price)
    if shape is None:
        return None
    too_little = needed.too_little(shape)
    reasons = (too_little,) if too_little else needed.tried(shape)[1].reasons
    return Cheaper(shape, needed.price(shape), reasons)


def _use(load: Load) -> Use:
    return Use(load.block_bytes, load.read_share, load.sequential)


def _least_rate(clause: Clause, load: Load) -> float:
    """Operations per second without which a bound cannot hold."""
    return {"iops": clause.limit, "throughput": clause.limit / load.block_bytes}.get(clause.metric, 0.0)


def _exact(per_second: float) -> str:
    """All digits: one I/O more or less decides."""
    return f"{per_second:,.7g}/s"
