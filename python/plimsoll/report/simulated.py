"""Simulations as a report: the answer in sentences, phases, distributions, cost, and everything over time."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from plimsoll.prices.cost import usd
from plimsoll.report.charts.lines import Line, over_time, time_unit
from plimsoll.report.charts.stretches import Stretch, spec
from plimsoll.report.charts.vega import Vega
from plimsoll.report.charts.zoom import NOTE, is_condensed
from plimsoll.report.document import (
    Block,
    Cell,
    Chart,
    Document,
    Listing,
    Phrase,
    Section,
    Table,
    Tone,
    columns,
    number,
    phrase,
    text,
)
from plimsoll.report.labels import count_text, percent_text
from plimsoll.simulation.choice import Choice
from plimsoll.simulation.outcome import NOTHING, Outcome, Phase
from plimsoll.units import SECOND, format_duration, format_number, format_size, format_value

POINTS = 400
"""Points of a line in a chart; longer series are means of neighbouring intervals."""
SPARK_WIDTH = 50
_SPARKS = "▁▂▃▄▅▆▇█"
_MODEL = (
    "Virtual time: a model with the provider's published limits and measured or assumed latencies; see "
    "`plimsoll list volumes`. The same seed gives the same answer.",
    "Median p50 and p99: those of the intervals of a phase, in the middle. A queue that grows, or a few bad seconds, "
    "show in the p99 of all I/Os below.",
)


def simulation_document(outcomes: Sequence[Outcome], *, short: bool = False) -> Document:
    """One or several volumes under one load."""
    first = outcomes[0]
    over_time: list[Block] = [_sparks(outcomes)] if short else [*_condensed(outcomes), *_charts(outcomes)]
    sections = (
        Section("answer", "Answer", tuple(_sentences(outcomes)), short=True, lead=True),
        Section("phases", "Phases", (_phases(outcomes),), short=True),
        Section("whole", "Over the whole time", (_whole(outcomes),), short=True),
        Section("over-time", "Over time", tuple(over_time), short=True),
    )
    volumes = count_text(len(outcomes), "volume")
    subtitle = f"{volumes} · {format_duration(first.duration_s * SECOND)} of virtual time"
    return Document(f"Simulated: {first.load.words}", subtitle, sections, make_scores=partial(_flat, outcomes))


def choice_document(choices: Sequence[Choice], load: str, wanted: str, lasts_ns: int | None) -> Document:
    """The ranking of volumes that give what is needed, for ever or so long, and why the others do not."""
    best = next((each for each in choices if each.met), None)
    until = "for ever" if lasts_ns is None else f"for {format_duration(lasts_ns)}"
    if best is not None and best.outcome is not None:
        words = f"The cheapest that gives {wanted} {until}: {best.outcome.shape.summary}, {_price(best.outcome)}"
        answer = text(f"{words}{_burst_end(best)}.", tone=Tone.BETTER)
    else:
        answer = text(f"None of these gives {wanted} {until}.", tone=Tone.WORSE)
    sections = (
        Section("answer", "Answer", (answer,), short=True, lead=True),
        Section(
            "ranking",
            "Ranking",
            (_ranking(choices, lasts_ns is not None), *_cheaper(choices), *_failures(choices)),
            short=True,
        ),
    )
    outcomes = [each.outcome for each in choices if each.outcome is not None]
    means = "enough for ever, without burst credits" if lasts_ns is None else f"enough {until}, from full burst credits"
    subtitle = f"{count_text(len(choices), 'type')} · {means}"
    return Document(f"Compared: {load}", subtitle, sections, make_scores=partial(_flat, outcomes))


def _burst_end(choice: Choice) -> str:
    """How long a volume that is not enough for ever is."""
    if choice.stage is None or choice.lasts_s is None:
        return ""
    return f"; {_burst_of(choice)} ends after {_seconds(choice.lasts_s)}, and then it is not enough"


def _burst_of(choice: Choice) -> str:
    instance = choice.stage is not None and choice.stage.whose.startswith("instance")
    return f"the {'instance' if instance else 'volume'}'s burst"


def _seconds(seconds: float) -> str:
    return format_duration(round(seconds) * SECOND)


def _sentences(outcomes: Sequence[Outcome]) -> Iterator[Block]:
    for outcome in outcomes:
        words = [f"{outcome.shape.summary}: {_course(outcome)}."]
        held = [f"{name} {percent_text(round(share, 3))}" for name, share in outcome.limiting_shares.items()]
        replayed = _replayed(outcome)
        words += [] if replayed is None else [replayed]
        words.append(f"Held back, by share of time: {', '.join(held)}.")
        words.append(f"Price: {_price(outcome)}{_per_million(outcome)}.")
        yield text(*words)


def _course(outcome: Outcome) -> str:
    """The phases as one sentence; the p99 at its end is that of all I/Os."""
    p99 = outcome.latency.percentile(99)
    if len(outcome.phases) == 1:
        tail = "" if p99 is None else f" with p99 {format_duration(p99)}"
        return _pace_words(outcome.sustained) + tail + _on_credits(outcome)
    parts = [
        f"{_pace_words(each)} with a median p99 of {format_duration(each.median_p99_ns)}" for each in outcome.phases
    ]
    ends = [format_duration(phase.end_s * SECOND) for phase in outcome.phases[:-1]]
    course = "; ".join(f"{part} until {end}" for part, end in zip(parts, ends, strict=False)) + f"; then {parts[-1]}"
    return course + ("" if p99 is None else f"; p99 of all I/Os {format_duration(p99)}")


def _pace_words(phase: Phase) -> str:
    return f"{format_value(phase.operations, '1/s')} ({format_size(phase.bytes)}/s)"


def _replayed(outcome: Outcome) -> str | None:
    """When the recorded time has ended, and what was left then; None for a made load."""
    replay = outcome.replay
    if replay is None:
        return None
    many = f"{format_number(replay.operations)} I/Os"
    recorded, end = format_duration(replay.recorded_ns), format_duration(outcome.duration_s * SECOND)
    lasts = f"The record ends at {recorded}" if replay.recorded_ns else "The record has no times"
    if replay.done_ns is not None:
        return f"{lasts}; all of its {many} were done at {format_duration(replay.done_ns)}."
    left = f"{format_number(replay.left)} of its {many} were left at {end}"
    if replay.due == replay.operations:
        slow = ": the volume does not keep up" if replay.recorded_ns else ""
        return f"{lasts}; {left}{slow}."
    later = f"{format_number(replay.operations - replay.due)} of its {many} were not due yet"
    undone = f", and {format_number(replay.left)} that were due were not done" if replay.left else ""
    return f"{lasts}; the replay ended at {end}, when {later}{undone}."


def _on_credits(outcome: Outcome) -> str:
    lasts = outcome.credits_last
    if outcome.burst_ends or lasts is None:
        return ""
    return f", on {_whose(lasts[1])} that lasts {format_duration(round(lasts[0]) * SECOND)}"


def _whose(party: str) -> str:
    return "a burst of the instance" if party.startswith("instance") else "a burst of the volume"


def _price(outcome: Outcome) -> str:
    """Never without its date."""
    cost = outcome.cost
    if cost.unknown:
        known = f"; known are prices as of {cost.as_of}" if cost.as_of else ""
        return f"not known for {', '.join(cost.unknown)} in {cost.region}{known}"
    volume = cost.volume_per_month
    parts = [f"{usd(volume)} a month"] if volume is not None and not outcome.shape.type.is_local else []
    if cost.instance_per_month is not None and outcome.shape.instance is not None:
        parts.append(f"{usd(cost.instance_per_month)} a month for {outcome.shape.instance.name}")
    if cost.requests is not None:
        parts.append(f"{usd(cost.requests.usd)} per million requests")
    return f"{', '.join(parts)} (prices as of {cost.as_of}, {cost.region})"


def _per_million(outcome: Outcome) -> str:
    amount = outcome.per_million
    rate = "rate of this burst" if outcome.credits_last and not outcome.burst_ends else "sustained rate"
    return "" if amount is None else f"; {usd(amount)} per million operations at the {rate}"


def _phases(outcomes: Sequence[Outcome]) -> Table:
    rows = [
        (
            phrase(_name(outcome, outcomes)),
            number(phase.start_s * SECOND, "ns", format_duration(phase.start_s * SECOND) if phase.start_s else "0 s"),
            number(phase.end_s * SECOND, "ns"),
            number(phase.operations, "1/s"),
            number(phase.bytes, "B/s"),
            number(phase.median_p50_ns, "ns"),
            number(phase.median_p99_ns, "ns"),
            Phrase(phase.limited_by, Tone.NOTE if phase.limited_by == NOTHING else Tone.PLAIN),
        )
        for outcome in outcomes
        for phase in outcome.phases
    ]
    heads = columns("Volume", ">From", ">To", ">I/Os", ">Throughput", ">Median p50", ">Median p99", "Held back by")
    brief = ("volume", "from", "to", "i_os", "median_p99", "held_back_by")
    return Table("Between the ends of bursts", heads, tuple(rows), _MODEL, brief)


def _whole(outcomes: Sequence[Outcome]) -> Table:
    rows = []
    for outcome in outcomes:
        found = outcome.latency.percentiles()
        price = outcome.cost.volume_per_month
        rows.append(
            (
                phrase(_name(outcome, outcomes)),
                number(outcome.rate, "1/s"),
                *(number(found[name], "ns") for name in ("p50", "p90", "p99", "p99.9", "max")),
                None if price is None else number(price, "USD", usd(price)),
                None if outcome.per_million is None else number(outcome.per_million, "USD", usd(outcome.per_million)),
                phrase(outcome.cost.oldest or "no price"),
            )
        )
    names = (
        "Volume",
        ">I/Os",
        ">p50",
        ">p90",
        ">p99",
        ">p99.9",
        ">max",
        ">$/month",
        ">$/million",
        "Price of",
    )
    notes = (
        "$/month: the volumes, without instance and requests, with the date of the oldest price in it.",
        "$/million: per million operations at the rate of the last phase, "
        "with the instance where one is named, and requests where they are charged.",
    )
    brief = ("volume", "i_os", "p50", "p99", "p99_9", "max", "month", "million", "price_of")
    return Table("All operations", columns(*names), tuple(rows), notes, brief)


def _ranking(choices: Sequence[Choice], until: bool) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for place, choice in enumerate(choices, start=1):
        outcome, price = choice.outcome, choice.usd_per_month
        if outcome is None:
            rows.append((None, phrase(choice.type), None, None, None, None, Phrase("not for sale", Tone.WORSE), None))
            continue
        rows.append(
            (
                number(place, "1") if choice.met else None,
                phrase(outcome.shape.one),
                None if price is None else number(price, "USD", usd(price)),
                phrase(outcome.cost.oldest or "no price"),
                number(outcome.sustained.operations, "1/s"),
                number(outcome.latency.percentile(99), "ns"),
                _enough(choice, until),
                _headroom(choice),
            )
        )
    names = (
        ">Rank",
        "Volume",
        ">$/month",
        "Price of",
        ">I/Os" if until else ">Sustained",
        ">p99",
        "Enough",
        "Headroom",
    )
    notes = (
        "$/month: the volumes without the instance, with requests at this rate where they are charged, "
        "and the date of the oldest price in it.",
        "Headroom: the narrowest limit that lasts over the offered rate; "
        "without a rate, how far the tightest bound is away.",
    )
    return Table("Cheapest first", columns(*names), tuple(rows), notes)


def _enough(choice: Choice, until: bool) -> Phrase:
    if not choice.met:
        return Phrase("no", Tone.WORSE)
    if choice.lasts_s is None:
        return Phrase("yes, for ever" if until else "yes", Tone.BETTER)
    return Phrase(f"until {_burst_of(choice)} ends after {_seconds(choice.lasts_s)}")


def _headroom(choice: Choice) -> Phrase:
    if not choice.met or choice.headroom is None or choice.lasts_s is not None:
        return Phrase("none", Tone.NOTE)
    return phrase(percent_text(math.floor(choice.headroom * 100) / 100))


def _cheaper(choices: Sequence[Choice]) -> Iterator[Block]:
    """What each that is enough fails where it costs one step less."""
    for choice in choices:
        if choice.outcome is None or not choice.met:
            continue
        if choice.cheaper is None:
            words = f"{choice.outcome.shape.one}: no {choice.type} that holds as much is cheaper."
        else:
            price = choice.cheaper.usd_per_month
            money = "" if price is None else f" ({usd(price)})"
            why = "; ".join(choice.cheaper.reasons)
            words = f"One step cheaper, {choice.cheaper.shape.one}{money} is not enough: {why}."
        yield text(words, tone=Tone.NOTE)


def _failures(choices: Sequence[Choice]) -> Iterator[Block]:
    for choice in choices:
        if choice.outcome is None:
            yield text(f"{choice.type}: {choice.refused}", tone=Tone.WORSE)
        elif choice.judgement is not None and not choice.met:
            why = "; ".join(choice.judgement.reasons)
            most = f"{choice.type} at its largest, " if choice.can_grow else ""
            yield text(f"{most}{choice.outcome.shape.summary}: {why}.", tone=Tone.WORSE)


def _name(outcome: Outcome, outcomes: Sequence[Outcome]) -> str:
    """As short as tells the volumes apart."""
    kinds = [each.shape.type.name for each in outcomes]
    return outcome.shape.type.name if kinds.count(outcome.shape.type.name) == 1 else outcome.shape.summary


def _binned(outcome: Outcome, values: Sequence[float], points: int) -> list[tuple[float, float]]:
    every = max(1, -(-len(values) // points))
    starts = range(0, len(values), every)
    parts = ((start * outcome.interval_s, values[start : start + every]) for start in starts)
    return [(time, sum(part) / len(part)) for time, part in parts]


def _sparks(outcomes: Sequence[Outcome]) -> Listing:
    lines = [
        f"{label:<{26}} {_spark(values)}  {first} → {last}"
        for outcome in outcomes
        for label, values, first, last in _spark_rows(outcome, _name(outcome, outcomes))
    ]
    last_s = max(len(outcome.intervals) * outcome.interval_s for outcome in outcomes)
    return Listing(f"0 to {format_duration(last_s * SECOND)}", "\n".join(lines))


def _spark_rows(outcome: Outcome, name: str) -> Iterator[tuple[str, list[float], str, str]]:
    rates = [value for _, value in _binned(outcome, outcome.operations, SPARK_WIDTH)]
    first, last = (format_value(phase.operations, "1/s") for phase in (outcome.phases[0], outcome.phases[-1]))
    yield f"{name} IOPS"[:26], rates, first, last
    for bucket in outcome.used_credits:
        held = [value for _, value in _binned(outcome, outcome.credits(bucket), SPARK_WIDTH)]
        top = outcome.capacities[bucket]
        shares = [percent_text(round(outcome.credits(bucket)[i] / top, 2)) for i in (0, -1)]
        yield f"{name} {_bucket_words(bucket)}"[:26], [*held, top], shares[0], shares[1]


def _bucket_words(bucket: str) -> str:
    where, _, what = bucket.partition(".")
    return f"{'instance ' if where == 'instance' else ''}{what.replace('_', ' ')}"


def _spark(values: Sequence[float]) -> str:
    """Blocks from zero to the largest value; the last value only sets the scale where there is one more than wide."""
    top = max(values) or 1.0
    shown = values[:SPARK_WIDTH]
    return "".join(_SPARKS[min(len(_SPARKS) - 1, int(value / top * len(_SPARKS)))] for value in shown)


def _condensed(outcomes: Sequence[Outcome]) -> Iterator[Block]:
    if is_condensed(sum(len(_binned(outcome, outcome.operations, POINTS)) for outcome in outcomes)):
        yield text(NOTE)


def _charts(outcomes: Sequence[Outcome]) -> Iterator[Chart]:
    names = tuple(_name(outcome, outcomes) for outcome in outcomes)
    data = _phases(outcomes)
    rates = [_binned(outcome, outcome.operations, POINTS) for outcome in outcomes]
    yield _chart("rate", "IOPS", names, data, partial(_lines, rates, names, "1/s", "IOPS"))
    tails = [_binned(outcome, [each["p99_ns"] for each in outcome.intervals], POINTS) for outcome in outcomes]
    yield _chart("p99", "Latency p99", names, data, partial(_lines, tails, names, "ns", "p99"))
    held = [
        (
            i,
            bucket,
            _binned(outcome, [100 * value / outcome.capacities[bucket] for value in outcome.credits(bucket)], POINTS),
        )
        for i, outcome in enumerate(outcomes)
        for bucket in outcome.used_credits
    ]
    if held:
        own = [f"{names[i]}, {_bucket_words(bucket)}" for i, bucket, _ in held]
        left = [points for *_, points in held]
        # One line has no key.
        what = f"{own[0]} left" if len(own) == 1 else "credits left"
        yield _chart("credits", "Share of credits left", names, data, partial(_lines, left, own, "%", what))
    yield _chart("limits", "Held back by", names, data, partial(_limit_lines, outcomes))


def _chart(name: str, title: str, series: tuple[str, ...], data: Table, draw: partial[Vega]) -> Chart:
    return Chart(f"simulated-{name}", title, f"{title} over virtual time.", data, draw, series)


def _lines(lines: Sequence[Sequence[tuple[float, float]]], names: Sequence[str], unit: str, what: str) -> Vega:
    found = [Line(i, "", points) for i, points in enumerate(lines)]
    return Vega(over_time(found, names, unit, what=what))


def _limit_lines(outcomes: Sequence[Outcome]) -> Vega:
    """For each party a row; a bar where it held the volume back."""
    parties = list(dict.fromkeys(name for outcome in outcomes for name in (*outcome.limiting_shares,)))
    names = [_name(outcome, outcomes) for outcome in outcomes]
    unit_s, unit = time_unit(max(outcome.duration_s for outcome in outcomes))
    found = [
        Stretch(parties.index(party), i, start / unit_s, end / unit_s)
        for i, outcome in enumerate(outcomes)
        for start, end, party in _stretches(outcome)
    ]
    return Vega(spec(found, parties, names, unit))


def _stretches(outcome: Outcome) -> Iterable[tuple[float, float, str]]:
    """Runs of intervals with the same party."""
    start, names = 0, outcome.limiting
    for i in range(1, len(names) + 1):
        if i == len(names) or names[i] != names[start]:
            yield start * outcome.interval_s, i * outcome.interval_s, names[start] or NOTHING
            start = i


def _flat(outcomes: Sequence[Outcome]) -> Table:
    """Every interval of every volume: what CSV gets."""
    rows = tuple(
        (
            phrase(_name(outcome, outcomes)),
            number(i * outcome.interval_s, "1"),
            number(outcome.operations[i], "1/s"),
            number(each["bytes"] / outcome.interval_s, "B/s"),
            number(each["p50_ns"], "ns"),
            number(each["p99_ns"], "ns"),
            phrase(outcome.limiting[i]),
        )
        for outcome in outcomes
        for i, each in enumerate(outcome.intervals)
    )
    heads = columns("Volume", ">Start", ">Operations", ">Bytes", ">p50", ">p99", "Limited by")
    return Table("Every interval", heads, rows)
