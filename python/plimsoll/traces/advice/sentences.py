"""An advice in sentences. The first is the answer: what to buy, what it saves or costs, and what breaks first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plimsoll.prices.cost import usd
from plimsoll.report.labels import count_text, percent_text
from plimsoll.traces.advice.families import Family, Standing
from plimsoll.traces.advice.growth import MOST
from plimsoll.traces.advice.machines import Machines, Own
from plimsoll.traces.advice.whole import Advice
from plimsoll.traces.demand import period_words
from plimsoll.units import SECOND, format_duration, format_number

EQUAL_USD = 0.005
"""Amounts that differ by less are the same."""
A_YEAR = 12


def answer(advice: Advice) -> Iterator[str]:
    """The answer, and what follows from it."""
    yield _first(advice)
    yield from _today(advice)
    yield from _machines(advice)
    yield from _unknown(advice)


def _first(advice: Advice) -> str:
    best, worst = advice.best, advice.best_of_bursts
    least = "at least " if advice.hidden is not None else ""
    tail = f"{_hidden(advice)}{_breaks(advice)}."
    if best is None or best.shape is None:
        nothing = (
            f"No volume of {_providers(advice)} with a published price carries this load within {_objective(advice)}"
        )
        return f"{nothing}{_hidden(advice)}."
    bought = f"{best.shape.one}: {_money(best)}{_against(advice, best)}"
    if not advice.is_range:
        return f"Buy {least}{bought}{tail}"
    every = period_words(advice.series)
    evenly, bursts = f"if the I/Os of each {every} came evenly", "if they came in the worst bursts"
    if worst is None or worst.shape is None:
        return (
            f"Buy {least}{bought}, {evenly}; {bursts}, no volume of {_providers(advice)} with a published price is "
            f"enough{tail}"
        )
    if worst.shape.options == best.shape.options:
        return f"Buy {least}{bought}, whether the I/Os of each {every} came evenly or in the worst bursts{tail}"
    return f"Buy {least}{bought}, {evenly}, up to {worst.shape.one}: {_money(worst)}, {bursts}{tail}"


def _money(family: Family) -> str:
    cost = family.cost
    place = f"prices as of {cost.as_of}, {cost.region}" if cost is not None else "no date"
    return f"{usd(family.usd_per_month or 0.0)} a month ({place})"


def _objective(advice: Advice) -> str:
    return ", ".join(each.text for each in advice.clauses)


def _providers(advice: Advice) -> str:
    *others, last = sorted(advice.coverage) or ["the catalog"]
    return f"{', '.join(others)} or {last}" if others else last


def _against(advice: Advice, best: Family) -> str:
    """What it saves or costs against today."""
    today = advice.today
    if today is None or today.usd_per_month is None or best.usd_per_month is None or best.shape is None:
        return ""
    if best.shape.options.items() <= {**today.shape.options}.items():
        return ", what you have today"
    change = best.usd_per_month - today.usd_per_month
    name = f"today's {today.shape.one.partition(', ')[0]}"
    if abs(change) < EQUAL_USD:
        return f", as much as {name}"
    return f", {usd(abs(change))} {'more' if change > 0 else 'less'} than {name}"


def _hidden(advice: Advice) -> str:
    if advice.hidden is None:
        return ""
    share = percent_text(max(0.001, round(advice.hidden.share, 3)))
    return (
        f"; this is a lower bound, because the device was saturated in {share} of the time ({advice.hidden.by}) and "
        "what was asked of it then is hidden"
    )


def _breaks(advice: Advice) -> str:
    """What breaks first as the load grows."""
    found = advice.breaks
    if found is None:
        return ""
    when = "" if not advice.is_range else " in the worst bursts" if advice.breaks_in_bursts else " if they came evenly"
    if found.factor is None:
        return f"; it carries {MOST:.0f} times the load{when} as well"
    about = "" if found.simulated else "at the latest "
    growth = f"{about}at {percent_text(round(found.factor - 1, 3))} more load"
    months = advice.breaks_in_months
    if months is not None:
        growth += f", {_in_time(round(months))} at this growth"
    return f"; as the load grows, the first limit reached{when} is its {found.by.removeprefix('volume ')}, {growth}"


def _in_time(months: int) -> str:
    """`in 1 year 3 months`; less than one is not told as none."""
    years, rest = divmod(months, A_YEAR)
    told = [count_text(count, unit) for count, unit in ((years, "year"), (rest, "month")) if count]
    return f"in {' '.join(told)}" if told else "within a month"


def _today(advice: Advice) -> Iterator[str]:
    today = advice.today
    if today is None:
        return
    name, load = f"Today's {today.shape.one}", f"it{_headroom(advice)}"
    if today.too_small:
        yield f"{name} holds less than was asked for."
    if today.evenly is not None:
        within = "for ever" if today.evenly.for_ever else f"within {_objective(advice)}"
        yield f"{name} does not carry {load} {within}: {today.evenly.why}."
    elif today.in_bursts is not None:
        yield f"{name} carries {load} if the I/Os came evenly, not in the worst bursts: {today.in_bursts.why}."
    else:
        yield f"{name} carries {load}, too{', even in the worst bursts' if advice.is_range else ''}."


def _headroom(advice: Advice) -> str:
    """What is judged with so much more than was observed says so."""
    return f" with {percent_text(advice.asked.headroom)} headroom" if advice.asked.headroom else ""


def _machines(advice: Advice) -> Iterator[str]:
    if advice.own_machine is not None:
        yield _own_machine(advice, advice.own_machine)
    if advice.machines is not None and advice.best is not None:
        yield _all_machines(advice, advice.machines, advice.best)


def _own_machine(advice: Advice, own: Own) -> str:
    name, load = f"The instance {own.name}", f"this load{_headroom(advice)} by its own limits"
    if own.in_bursts is None:
        return f"Whether the instance {own.name} caps this load is unknown: no source says what it gives to {own.kind}."
    if own.evenly:
        return f"{name} would cap {load}."
    if own.in_bursts:
        return f"{name} would cap {load} in the worst bursts, and not if its I/Os came evenly."
    return f"{name} does not cap {load}{', even in the worst bursts' if advice.is_range else ''}."


def _all_machines(advice: Advice, found: Machines, best: Family) -> str:
    load = f"this load{_headroom(advice)}"
    kinds = f"{found.known:,} current instance types of {best.kind.provider.name}"
    untold = f"; of {found.untold:,} more no source says what they give to {best.name}" if found.untold else ""
    if not found.known:
        whose = best.kind.provider.name
        return (
            f"No source says what the instance types of {whose} give to {best.name}; which would cap {load} is unknown."
        )
    if not found.capped:
        return f"None of the {kinds} would cap {load}{', even in the worst bursts' if advice.is_range else ''}{untold}."
    bursts = f" in the worst bursts, {len(found.capped_evenly):,} of them even if they came evenly"
    money = f"{usd(found.usd_per_month or 0.0)} a month, price as of {found.as_of}"
    cheap = f"; the cheapest that does not, of those with a known price, is {found.cheapest} ({money})"
    if found.cheapest is None:
        cheap = "" if len(found.capped) == found.known else "; no price of the others is known"
    return (
        f"{len(found.capped):,} of {kinds} would cap {load} by their own limits{bursts if advice.is_range else ''}"
        f"{cheap}{untold}."
    )


def _unknown(advice: Advice) -> Iterator[str]:
    unknown = {each.name: each.why for each in advice.even if each.standing is Standing.UNKNOWN}
    unknown |= advice.not_modelled
    if unknown:
        yield f"Unknown, and so not recommended: {'; '.join(f'{name} ({why})' for name, why in unknown.items())}."
    parts = [f"{known} of {total} families of {name}" for name, (known, total) in sorted(advice.coverage.items())]
    if any(known < total for known, total in advice.coverage.values()):
        yield f"Known with price and limits: {', '.join(parts)}."


def unknowable(advice: Advice) -> Iterator[str]:
    """What no number here can say."""
    series = advice.series
    length = format_duration(round(series.observed_s) * SECOND)
    yield f"Beyond the observed time: the load is taken to repeat these {length} for ever."
    if hours := series.unobserved_hours:
        zone = f" ({series.zone})" if series.zone else ""
        yield f"Hours of the day that were not observed: {_hours(hours)}{zone}."
    if advice.is_range:
        yield (
            f"When in each {period_words(series)} its I/Os came: only their sum is known, so the answer is a range. "
            f"{_narrower(advice)}"
        )
    else:
        yield "When in each second its I/Os came: they are taken to be spread over it; a volume stores a second."
    yield _reaction(advice)
    how = "one after the other, as --sequential says" if advice.asked.sequential else "anywhere"
    why = "only the sums of the trace are used" if series.of_trace else "counters do not say it"
    yield (
        f"Where I/Os went: {why}; they are taken to go {how}. A stream counts as less on volumes that merge its I/Os "
        "(st1, sc1)."
    )
    assumed = [each.name for each in advice.even if each.standing is Standing.CARRIES and _is_assumed(each)]
    if assumed:
        yield f"Latencies of {', '.join(assumed)}: no percentiles are published, and the model assumes them."


def _hours(hours: Sequence[int]) -> str:
    """`00 to 08, 17`: stretches of hours."""
    starts = [hour for hour in hours if hour - 1 not in hours]
    ends = [hour for hour in hours if hour + 1 not in hours]
    parts = (f"{a:02}" if a == b else f"{a:02} to {b:02}" for a, b in zip(starts, ends, strict=True))
    return ", ".join(parts)


def _narrower(advice: Advice) -> str:
    if advice.today is None:
        return "--current narrows it: bursts cannot have been faster than today's volume. Shorter periods do, too."
    return "Bursts are taken to be as fast as today's volume allows; shorter periods narrow it."


def _reaction(advice: Advice) -> str:
    """Open and closed loop as two bounds."""
    depth, closed, best = advice.demand.depth, advice.closed, advice.best
    start = "How the program reacts to latency: the answer is for I/Os that come whether others are done or not"
    evenly = " and the I/Os came evenly" if advice.is_range else ""
    if depth is None:
        return f"{start}; how many were in flight was not counted, so there is no bound for a program that waits."
    most = f"never has more than {format_number(depth)} in flight{evenly}"
    if best is None or best.shape is None or closed is None or closed.shape is None:
        return f"{start}."
    if closed.shape.options == best.shape.options:
        return f"{start}; if it waits for them and {most}, it is the same."
    return f"{start}; if it waits for them and {most}, {closed.shape.one}, is enough: {_money(closed)}."


def _is_assumed(family: Family) -> bool:
    from plimsoll.catalog.latencies import latencies

    if family.shape is None:
        return False
    facts = latencies(family.kind.provider.name)
    name = family.kind.latency_on(family.shape.instance)
    return any(facts[name, operation].basis == "assumed" for operation in ("read", "write"))
