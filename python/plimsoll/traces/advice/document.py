"""An advice as a report: what to buy, what each family would do, what the load was, and what nobody can know."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from plimsoll.prices.cost import usd
from plimsoll.report.charts.lines import Line, over_growth, over_time
from plimsoll.report.charts.vega import Vega
from plimsoll.report.document import (
    Block,
    Cell,
    Chart,
    Document,
    Phrase,
    Section,
    Sentence,
    Table,
    Text,
    Tone,
    columns,
    number,
    phrase,
    text,
)
from plimsoll.report.labels import percent_text
from plimsoll.traces.advice.families import Family, Standing
from plimsoll.traces.advice.headroom import Stage
from plimsoll.traces.advice.proof.sentences import proof_blocks
from plimsoll.traces.advice.sentences import answer, unknowable
from plimsoll.traces.advice.whole import Advice
from plimsoll.traces.demand import period_words
from plimsoll.traces.series import Floats
from plimsoll.units import SECOND, format_duration

POINTS = 400
_TONES = {Standing.CARRIES: Tone.BETTER, Standing.FAILS: Tone.WORSE, Standing.UNKNOWN: Tone.UNKNOWN}
_NOTES = (
    "$/month: the volume without an instance, with the observed requests where these are charged, and the date of the "
    "oldest price in it.",
    "Throttled: time in which I/Os waited for the volume's limits, in one turn of the observed time.",
    "Credits: the least that is left in a turn, of full ones; they are not fewer at its end than at its start.",
)

_PERCENTS = (50.0, 99.0, 99.9)
_GROWTH = (
    "Wait for limits: the share of I/Os that come faster than the volume's limits let them through. A load that "
    "plainly exceeds a limit is not simulated, nor is one with too many I/Os for it.",
)


def advice_document(advice: Advice) -> Document:
    """The whole advice."""
    sentences = list(answer(advice))
    tone = Tone.WORSE if advice.best is None else Tone.BETTER
    lead = Text((Sentence(sentences[0], tone), *(Sentence(each) for each in sentences[1:])))
    proof = tuple(proof_blocks(advice))
    sections = [
        Section("answer", "Answer", (lead,), short=True, lead=True),
        *([Section("proof", "Proof", proof, short=True, lead=True)] if proof else []),
        Section("families", "Families", tuple(_families(advice)), short=True, lead=True),
        Section("headroom", "As the load grows", tuple(_headroom(advice))),
        Section("unknown", "What this cannot know", (text(*unknowable(advice)),), short=True, lead=True),
        Section("load", "The load", tuple(_load(advice)), short=True),
    ]
    subtitle = f"{advice.series.source} · {', '.join(each.text for each in advice.clauses)} · for ever"
    title = f"What to buy for {advice.series.name}"
    sections = [each for each in sections if each.blocks]
    return Document(title, subtitle, tuple(sections), make_scores=partial(_flat, advice))


def _families(advice: Advice) -> Iterator[Block]:
    if advice.burst is None:
        yield _ranking("Cheapest first", advice.even)
        yield from _cheaper(advice.even)
    else:
        every = period_words(advice.series)
        yield _ranking(f"If the I/Os of each {every} came evenly: cheapest first", advice.even)
        yield from _cheaper(advice.even)
        yield _ranking(f"If the I/Os of each {every} came in the worst bursts", advice.burst, notes=False)
        yield from _cheaper(advice.burst)


def _ranking(caption: str, ranked: Sequence[Family], *, notes: bool = True) -> Table:
    rows = tuple(_row(each) for each in ranked)
    heads = columns("Volume", ">$/month", "Price of", ">Throttled", ">p50", ">p99", ">p99.9", ">Credits", "Carries it")
    brief = ("volume", "month", "p99", "throttled", "carries_it")
    return Table(caption, heads, rows, _NOTES if notes else (), brief)


def _row(each: Family) -> tuple[Cell, ...]:
    if each.standing is not Standing.CARRIES or each.turn is None or each.shape is None:
        brief = {Standing.FAILS: "no", Standing.UNKNOWN: "unknown"}[each.standing]
        why = Phrase(f"{brief}: {each.why}", _TONES[each.standing])
        return (phrase(each.name), None, None, None, None, None, None, None, why)
    latency = each.turn.outcome.latency
    throttled = each.turn.throttled_s * SECOND
    least = [low for _, low, _ in each.turn.credits.values()]
    return (
        phrase(each.shape.one),
        number(each.usd_per_month, "USD", usd(each.usd_per_month or 0.0)),
        phrase(each.cost.oldest if each.cost else "no price"),
        number(throttled, "ns", format_duration(throttled)),
        *(number(latency.percentile(percent) or latency.max, "ns") for percent in _PERCENTS),
        number(min(least), "1", percent_text(math.floor(min(least) * 100) / 100)) if least else None,
        Phrase("yes", Tone.BETTER),
    )


def _headroom(advice: Advice) -> Iterator[Block]:
    """The curve of the volume of which it was asked what breaks first."""
    found = advice.best_of_bursts if advice.breaks_in_bursts else advice.best
    if not advice.stages or found is None or found.shape is None:
        return
    when = f" in the worst bursts of each {period_words(advice.series)}" if advice.breaks_in_bursts else ""
    heads = columns("Load", ">IOPS", ">Wait for limits", ">Throttled", ">p50", ">p99", ">p99.9", "Carries it")
    brief = ("load", "iops", "p99", "carries_it")
    caption = f"{found.shape.one}{when}"
    table = Table(caption, heads, tuple(map(_stage, advice.stages)), _GROWTH, brief)
    yield table
    rows = tuple((phrase(_more(each)), number(each.waiting, "1", percent_text(each.waiting))) for each in advice.stages)
    yield Chart(
        "advised-headroom",
        "I/Os that wait as the load grows",
        f"Share of the I/Os that wait for the limits of {found.shape.one}{when}, against how much the load has grown.",
        Table("I/Os that wait", columns("Load", ">Wait for limits"), rows),
        partial(_growth_chart, advice.stages),
        ("waiting",),
    )


def _more(each: Stage) -> str:
    return "as it was" if each.factor == 1 else f"+{percent_text(round(each.factor - 1, 3))}"


def _stage(each: Stage) -> tuple[Cell, ...]:
    answer = Phrase(f"no: {each.why_not}", Tone.WORSE) if each.why_not else Phrase("yes", Tone.BETTER)
    first = (phrase(_more(each)), number(each.iops, "1/s"), number(each.waiting, "1", percent_text(each.waiting)))
    if each.turn is None:
        told = answer if each.why_not else Phrase("its limits allow it", Tone.UNKNOWN)
        return (*first, None, None, None, None, told)
    latency, throttled = each.turn.outcome.latency, each.turn.throttled_s * SECOND
    return (
        *first,
        number(throttled, "ns", format_duration(throttled)),
        *(number(latency.percentile(percent) or latency.max, "ns") for percent in _PERCENTS),
        answer,
    )


def _growth_chart(found: Sequence[Stage]) -> Vega:
    line = Line(0, "", [(each.factor - 1, 100 * each.waiting) for each in found])
    return Vega(over_growth([line], ("waiting",), "%", what="I/Os that wait"))


def _cheaper(ranked: Sequence[Family]) -> Iterator[Block]:
    """What each that carries the load fails where it costs one step less."""
    words = []
    for each in ranked:
        if each.standing is Standing.CARRIES and each.cheaper is not None:
            price = each.cheaper.usd_per_month
            money = "" if price is None else f" ({usd(price)})"
            words.append(f"One step cheaper, {each.cheaper.shape.one}{money}, is not enough: {each.cheaper.why}.")
    if words:
        yield text(*words, tone=Tone.NOTE, short=False)


def _load(advice: Advice) -> Iterator[Block]:
    series, demand = advice.series, advice.demand
    seen = series.observed
    rates = series.operations[seen] / series.period_s
    rows: list[tuple[Cell, ...]] = []
    for name, values, unit in (
        ("IOPS", rates, "1/s"),
        ("Bytes per second", series.bytes[seen] / series.period_s, "B/s"),
    ):
        parts = (values.mean(), np.percentile(values, 50), np.percentile(values, 99), values.max())
        rows.append((phrase(name), *(number(float(part), unit) for part in parts)))
    if series.depth is not None:
        depth = series.depth[seen]
        rows.append(
            (
                phrase("I/Os in flight"),
                *(number(float(each), "1") for each in (depth.mean(), np.percentile(depth, 50))),
                *(number(float(each), "1") for each in (np.percentile(depth, 99), depth.max())),
            )
        )
    heads = columns("Of all periods", ">Mean", ">Median", ">p99", ">Highest")
    reads = percent_text(round(float(demand.reads.sum()) / demand.operations, 3))
    notes = (f"{reads} of the I/Os are reads. {series.span[0].upper()}{series.span[1:]}.", *_sentences(series.notes))
    table = Table("By period", heads, tuple(rows), notes)
    yield table
    yield Chart(
        "advised-load",
        "IOPS",
        "IOPS over the observed time, with the highest period of each stretch.",
        table,
        partial(_chart, rates, float(series.period_s)),
        ("mean", "highest"),
    )


def _sentences(notes: Sequence[str]) -> Iterator[str]:
    for note in notes:
        yield f"{note[0].upper()}{note[1:]}."


def _chart(rates: Floats, period_s: float) -> Vega:
    every = max(1, -(-len(rates) // POINTS))
    parts = [(i * period_s, rates[i : i + every]) for i in range(0, len(rates), every)]
    means = Line(0, "", [(time, float(part.mean())) for time, part in parts])
    if every == 1:
        return Vega(over_time([means], ("mean",), "1/s", what="IOPS"))
    tops = Line(1, "", [(time, float(part.max())) for time, part in parts])
    return Vega(over_time([means, tops], ("mean", "highest"), "1/s", what="IOPS"))


def _flat(advice: Advice) -> Table:
    """Every family: what CSV gets."""
    parts = [("even", advice.even), *([("bursts", advice.burst)] if advice.burst is not None else [])]
    heads = columns("Load", "Family", "Standing", ">USD per month", "Volume", "Why")
    rows = tuple(
        (
            phrase(name),
            phrase(each.name),
            phrase(str(each.standing)),
            number(each.usd_per_month, "USD"),
            phrase(each.shape.one if each.shape else ""),
            phrase(each.why),
        )
        for name, ranked in parts
        for each in ranked
    )
    return Table("Every family", heads, rows)
