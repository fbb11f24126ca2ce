"""One target among the volumes of the catalog: which would carry what was measured, at what price."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from plimsoll.catalog.bounds import NOT_THIS_VOLUME, explain, use_of
from plimsoll.catalog.shape import VolumeShape
from plimsoll.catalog.targets import shape_of
from plimsoll.catalog.waits import waits
from plimsoll.model import Level
from plimsoll.prices.cost import usd
from plimsoll.report.document import Block, Cell, Phrase, Sentence, Table, Text, Tone, columns, number, phrase
from plimsoll.report.evidence import Evidence
from plimsoll.report.labels import count_text, score_text
from plimsoll.report.likened import ABOVE_A_CAP, Likened, likened
from plimsoll.report.sections.scores import WIDE_SPREAD
from plimsoll.units import SECOND, format_duration, format_size, format_value

if TYPE_CHECKING:
    from plimsoll.simulation.carrying import Carrier, TooSlow

ORDER = 26
TITLE = "Cloud volumes that do the same"

MANY_CASES = 3
"""Cases that a sentence names; the table has all."""
MUCH_CHEAPER = 0.8
"""Of what costs so much less than the volume that does all, the answer gives the price."""
MANY_CARRIERS = 4
"""Types that the table has for a case, the cheapest first."""
USUAL = "gp3"
"""What many have: it is named for comparison, as it is sold without further wishes."""
_NOTES = (
    "A volume carries a case if, in simulation, it does the same operations at the same rate for ever: with as many in "
    "flight, all credits used up, by its limits and its latency. Shown is the cheapest of each type, which is the "
    "smallest that is fast enough and holds as much as this place, without the instance that it needs and whose own "
    "limits may be lower.",
    "$ per month: list price in the provider's home region, with the date on which it was seen. A volume that differs "
    "in what the test does not ask for, such as durability or commit latency, is not the same.",
)


def build(evidence: Evidence) -> list[Block]:
    """What would carry each case, and of which cases that cannot be said; nothing unless one unknown target is told."""
    found = likened(evidence)
    if not found:
        return []
    rows = tuple(row for each in found if each.measured for row in _rows(each))
    heads = columns("Case", ">Measured", ">In flight", "Volume", ">$ per month", "Prices of", "Its limit for this")
    notes = (*_NOTES, *_measured_for(evidence))
    table: list[Block] = [Table("The cheapest of each type", heads, rows, notes)] if rows else []
    left_out = (*_cheaper(found), *_left_out(found))
    return [*table, *([Text(left_out, short=False)] if left_out else [])]


def _measured_for(evidence: Evidence) -> Iterator[str]:
    """How long the rates were seen: nobody knows of an unknown disk whether it bursts."""
    whole = (run.ended_ns - run.started_ns for run in evidence.valid)
    parts = [sum(each.duration_ns for each in run.intervals) for run in evidence.valid]
    if longest := max(parts, default=0) or max(whole, default=0):
        seen = format_duration(round(longest / SECOND, 1) * SECOND)
        yield f"No run was longer than {seen}: a disk that bursts does less later."


def told(evidence: Evidence) -> Iterator[Sentence]:
    """For the answer: what the target is like, which cases nothing is as fast in, and its limiting factor."""
    found = [each for each in likened(evidence) if each.measured is not None]
    carried = [each for each in found if each.carriers]
    if carried:
        yield _alike(carried)
    if beyond := [each for each in found if not each.carriers and each.too_slow]:
        yield _beyond(beyond)
    yield from _limits(evidence)


def _alike(carried: Sequence[Likened]) -> Sentence:
    """The cheapest volume that does the same in all cases, with the dates of prices, and what many have."""
    from plimsoll.simulation.carrying import as_sold, cheapest_for_all

    loads = [each.measured for each in carried if each.measured is not None]
    found = cheapest_for_all(loads, [each.carriers for each in carried]) if len(carried) > 1 else None
    if found is not None:
        named = _one_for_all(found, carried)
    else:
        named = ", ".join(_like(each, first=not place) for place, each in enumerate(carried[:MANY_CASES]))
        named += f"; {count_text(len(carried) - MANY_CASES, 'more case')}" if len(carried) > MANY_CASES else ""
        named = f"no one volume does all; {named}" if len(carried) > 1 else named
    costs = [each.carriers[0].cost for each in carried] + ([found.cost] if found is not None else [])
    dates = sorted({date for cost in costs for date in cost.as_of.split(" to ") if date})
    seen = f", list prices of {' to '.join(dict.fromkeys((dates[0], dates[-1])))}" if dates else ""
    has = as_sold(USUAL, loads[0]).shape.one.partition(", ")[2]
    size = format_size(loads[0].data_bytes)
    return Sentence(f"In the cloud (to hold {size}{seen}): {named}. A default {USUAL} has {has}.")


def _one_for_all(found: Carrier, carried: Sequence[Likened]) -> str:
    """`AWS’s io2 of 64,000 IOPS ($3,544 a month) is the cheapest that does both`, and which case asks for it."""
    own = next((each for each in carried if each.carriers[0].shape == found.shape), None)
    name = f"{found.shape.type.provider.title}’s {found.shape.one}" if own is None else _named(found, own)
    told = f"{name} ({_price(found)}{_scatter(own or carried[0])}) is the cheapest that does {_cases(carried)}"
    rest = [each for each in carried if each is not own]
    prices = sorted(price for each in rest if (price := each.carriers[0].usd_per_month) is not None)
    if own is None or not prices or prices[0] > MUCH_CHEAPER * (found.usd_per_month or 0.0):
        return told
    ends = " to ".join(dict.fromkeys((_about(prices[0]), _about(prices[-1]))))
    which = f"{rest[0].case} alone" if len(rest) == 1 else f"each of the other {len(rest)} alone"
    return f"{told}; {own.case} decides that, {which} needs one of {ends}"


def _like(each: Likened, *, first: bool) -> str:
    """`randread needs AWS’s io2 of 64,000 IOPS ($3,544 a month)`."""
    cheapest = each.carriers[0]
    return f"{each.case}{' needs' if first else ''} {_named(cheapest, each)} ({_price(cheapest)}{_scatter(each)})"


def _cases(cases: Sequence[Likened]) -> str:
    names = [each.case for each in cases]
    more = len(names) - MANY_CASES
    return f"{', '.join(names[:MANY_CASES])} and {more} more" if more > 0 else _listed(names)


def _price(carrier: Carrier) -> str:
    amount = carrier.usd_per_month
    return "no price known" if amount is None else f"{_about(amount)} a month"


def _about(amount: float) -> str:
    """Whole dollars where cents say nothing."""
    return f"${amount:,.0f}" if amount >= 10 else usd(amount)


def _scatter(each: Likened) -> str:
    """That one rate says little, where it does."""
    assert each.line is not None
    found = each.line.summary
    if found is None or found.variation is None:
        return "; one run"
    return "; measured with wide spread" if found.variation >= WIDE_SPREAD else ""


def _named(carrier: Carrier, each: Likened) -> str:
    """The type with what is bought of it for this load."""
    shape, bound = carrier.shape, carrier.bound
    name = f"{shape.type.provider.title}’s {shape.type.name}"
    if shape.type.is_by_size or bound is None:
        return f"{name} of {format_size(shape.size_bytes)}"
    if each.measured and each.measured.sequential and shape.limits.throughput is not None:
        return f"{name} of {format_value(shape.limits.throughput.sustained, 'B/s')}"
    if bound.unit == "1/s":
        return f"{name} of {bound.limit:,.0f} IOPS"
    return f"{name} of {format_value(bound.limit, bound.unit)}"


def _beyond(found: Sequence[Likened]) -> Sentence:
    """Cases that no volume carries, with the nearest of the first."""
    first = found[0]
    nearest = first.too_slow[0]
    assert first.measured is not None
    rate = score_text(nearest.per_second, "1/s", nearest.per_second * 0.99, nearest.per_second * 1.01)
    named = _listed([each.case for each in found[:MANY_CASES]])
    more = f" and {len(found) - MANY_CASES} more" if len(found) > MANY_CASES else ""
    where = f" in {first.case}" if len(found) > 1 else ""
    wanted = format_value(first.measured.wanted, "1/s")
    return Sentence(
        f"No volume of the catalog is as fast in {named}{more}: the nearest{where}, {nearest.shape.type.name}, does "
        f"{rate} of {wanted} (held back by {nearest.by})."
    )


def _limits(evidence: Evidence) -> Iterator[Sentence]:
    """The known limit that each case stands at, where the volume or a cap of it is known."""
    about: dict[str, list[str]] = {}
    for case in evidence.cases:
        if party := _party(evidence, case):
            about.setdefault(party, []).append(case)
    if beyond := about.pop(NOT_THIS_VOLUME, []):
        yield Sentence(
            f"More than this volume delivers in {_listed(beyond)}: a cache answered, or it is another volume.",
            Tone.UNKNOWN,
        )
    if about:
        named = (f"{party} in {_listed(cases)}" for party, cases in about.items())
        yield Sentence(f"Limiting factor: {'; '.join(named)}.")


def _party(evidence: Evidence, case: str) -> str:
    """`volume IOPS (3,000/s)`; empty where nothing of the place is known."""
    name = evidence.targets[0]
    runs = evidence.runs_of(case, name)
    line = next((each for each in evidence.lines if (each.case, each.metric) == (case, "iops")), None)
    if not runs or line is None or line.summary is None:
        return ""
    shape, use = shape_of(runs[0].target), use_of(runs[0].plan)
    if shape is not None and use is not None:
        reason = explain(shape, use, line.summary.value, waits(runs))
        return f"{reason.party} ({reason.bound.text})" if reason.bound else reason.party
    near = [
        finding
        for run in runs
        for finding in run.findings
        if finding.guard == "cap_plateau" and finding.level is Level.WARN
    ]
    if len(near) == len(runs) and all(each.values.get("share", 9.0) <= ABOVE_A_CAP for each in near):
        return "near the stated cap"
    return ""


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _rows(each: Likened) -> Iterator[tuple[Cell, ...]]:
    """The cheapest types that carry the case; where there are none, the fastest."""
    assert each.measured is not None
    assert each.line is not None
    assert each.line.summary is not None
    found = each.line.summary
    flight = f"{each.measured.in_flight:,} × {format_size(each.measured.block_bytes)}"
    rate = score_text(found.value, "1/s", found.low, found.high)
    head = (phrase(each.case), number(found.value, "1/s", rate), number(each.measured.in_flight, "1", flight))
    for carrier in each.carriers[:MANY_CARRIERS]:
        bound = carrier.bound
        held = phrase("no published limit" if bound is None else f"{bound.name}, {bound.text}")
        money = number(carrier.usd_per_month, "USD", usd(carrier.usd_per_month or 0.0))
        yield (*head, phrase(_sold(carrier.shape)), money, phrase(_dates(carrier)), held)
    if not each.carriers:
        for slow in each.too_slow[: MANY_CARRIERS // 2]:
            yield (*head, phrase(_sold(slow.shape)), None, phrase("–"), _most(slow))


def _sold(shape: VolumeShape) -> str:
    return f"{shape.type.provider.title} {shape.one}"


def _dates(carrier: Carrier) -> str:
    missing = "some not known" if carrier.cost.lines else "no price known"
    seen = f"{carrier.cost.as_of}, {carrier.cost.region}" if carrier.cost.as_of else ""
    return ", ".join(part for part in (seen, missing if carrier.cost.unknown else "") if part)


def _most(slow: TooSlow) -> Phrase:
    return Phrase(f"too slow: {format_value(slow.per_second, '1/s')}, held back by {slow.by}", Tone.WORSE)


def _cheaper(found: Sequence[Likened]) -> Iterator[Sentence]:
    """Why the types that cost less than those in the table are not in it, a line for each case."""
    for each in found:
        reasons: dict[str, list[str]] = {}
        for slow in _passed_over(each):
            reasons.setdefault(slow.by, []).append(f"{slow.shape.type.name} ({format_value(slow.per_second, '1/s')})")
        if told := "; ".join(f"by {by.removeprefix('its ')}: {', '.join(them)}" for by, them in reasons.items()):
            what = "Cheaper, but too slow for" if each.carriers else "Slower still in"
            yield Sentence(f"{what} {each.case}, limited {told}.", Tone.NOTE)


def _passed_over(each: Likened) -> Sequence[TooSlow]:
    """Types that hold the data for less than the cheapest that carries the case; where none does, all but the named."""
    from plimsoll.simulation.carrying import as_sold

    if not each.carriers:
        return each.too_slow[MANY_CARRIERS // 2 :]
    assert each.measured is not None
    least = [(slow, as_sold(slow.shape.type.name, each.measured).usd_per_month) for slow in each.too_slow]
    dear = each.carriers[0].usd_per_month
    return [slow for slow, price in least if price is not None and (dear is None or price < dear)]


def _left_out(found: Sequence[Likened]) -> Iterator[Sentence]:
    """Cases that are not likened to a volume, by reason."""
    reasons: dict[str, list[str]] = {}
    for each in found:
        if each.why_not:
            reasons.setdefault(each.why_not, []).append(each.case)
    for why, cases in reasons.items():
        yield Sentence(f"Not compared with volumes, because {why}: {_listed(cases)}.", Tone.NOTE)
