"""`plimsoll.advise`: which volume to buy for a load that was observed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plimsoll.api import faults
from plimsoll.api.arguments import checked
from plimsoll.api.asked import paths_of
from plimsoll.api.charts import Charts
from plimsoll.catalog.provider import providers
from plimsoll.errors import UsageError
from plimsoll.notices import tell
from plimsoll.prices.book import price_book
from plimsoll.report.renderers import terminal
from plimsoll.report.renderers._fragment import fragment
from plimsoll.traces.advice import whole
from plimsoll.traces.advice.document import advice_document
from plimsoll.traces.advice.families import Family
from plimsoll.traces.advice.growth import parse_growth
from plimsoll.traces.advice.headroom import Stage
from plimsoll.traces.advice.progress import Progress
from plimsoll.traces.advice.proof.sentences import proof_row
from plimsoll.traces.advice.sentences import answer, unknowable
from plimsoll.traces.counters import Options
from plimsoll.traces.seconds import load
from plimsoll.units import MIB, SECOND, parse_duration, parse_size

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, eq=False)
class Advice:
    """What to buy for a load, what it costs, what breaks first, and what nobody can know."""

    advice: whole.Advice
    """Everything, in base units."""

    @property
    def answer(self) -> tuple[str, ...]:
        """The sentences that its report begins with; the first one is the answer."""
        return tuple(answer(self.advice))

    @property
    def cannot_know(self) -> tuple[str, ...]:
        """What the load does not say, in sentences."""
        return tuple(unknowable(self.advice))

    @property
    def volume(self) -> Mapping[str, str] | None:
        """The options of the cheapest volume that carries the load if its I/Os came evenly; None where none does."""
        return _options(self.advice.best)

    @property
    def volume_of_bursts(self) -> Mapping[str, str] | None:
        """The same if the I/Os came in the worst bursts; of periods of a second or less, `volume`."""
        return _options(self.advice.best_of_bursts) if self.advice.is_range else self.volume

    @property
    def usd_per_month(self) -> float | None:
        """Price of `volume`; None where there is none."""
        return None if self.advice.best is None else self.advice.best.usd_per_month

    @property
    def charts(self) -> Charts:
        """The charts of its report."""
        return Charts(advice_document(self.advice))

    def row(self) -> dict[str, Any]:
        """As `plimsoll advise --json` writes it; base units, USD."""
        return _row(self.advice)

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas.DataFrame with a row per family and way that the I/Os came (`even`, `bursts`), cheapest first."""
        with faults.told():
            import pandas

        ways = {"even": self.advice.even, "bursts": self.advice.burst or ()}
        nested = ("latency_ns", "volume", "credits", "one_step_cheaper")
        rows = []
        for way, ranked in ways.items():
            for each in map(_family, ranked):
                latency = {f"{name}_ns": value for name, value in (each["latency_ns"] or {}).items()}
                flat = {name: value for name, value in each.items() if name not in nested}
                rows.append({"came": way, **flat, **latency})
        return pandas.DataFrame(rows)

    def __str__(self) -> str:
        return terminal.render(advice_document(self.advice))

    def __repr__(self) -> str:
        return f"<Advice on {self.advice.series.name}: {self.answer[0]}>"

    def _repr_html_(self) -> str:
        return fragment(advice_document(self.advice))


@checked("files")
def advise(
    files: str | PathLike[str] | Iterable[str | PathLike[str]],
    *,
    slo: str = "p99<10ms",
    size: str | None = None,
    current: str | None = None,
    headroom: str = "0%",
    growth: str | None = None,
    provider: str | None = None,
    sequential: bool = False,
    device: str | None = None,
    rate: str | None = None,
    query: str | Path | None = None,
    stat: str | None = None,
    period: str | None = None,
    region: str | None = None,
) -> Advice:
    """Say which cloud volume to buy for a real load, as `plimsoll advise` does.

    `files` are a trace, or monitoring of one device, `slo` bounds on latency, `size` what the volume has to hold
    (`"500GiB"`; as much as `current` by default), `current` the volume there is (`"type=gp2,size=500GiB"`). All are
    written as on the command line. Raises UsageError, UnknownName and TargetError.
    """
    with faults.told():
        paths = [Path(each) for each in paths_of(files)]
        if not paths:
            raise UsageError("no file is named; give a trace, or monitoring of a device")
        question = asked(slo, size, current, headroom, growth, provider, sequential=sequential, region=region)
        counted = counted_as(device, rate, None if query is None else Path(query), stat, period)
        return advice_on(paths, counted, question, lambda _: None)


def advice_on(
    files: list[Path],
    counted: Options,
    question: whole.Asked,
    progress: Callable[[str], None],
    note: Callable[[str], None] = tell,
    form: str | None = None,
) -> Advice:
    """The advice on what files hold, or a trace of this format.

    `progress` hears how far it is, from any thread, `note` what was assumed.
    """
    series = load(files, counted, form)
    for each in series.notes:
        note(each)
    advice = whole.advise(series, question, Progress(progress))
    for name, place in _elsewhere(advice):
        note(f"{name} has no prices in {question.region}: those of its home region, {place}, are taken")
    return Advice(advice)


def asked(
    slo: str,
    size: str | None,
    current: str | None,
    headroom: str,
    growth: str | None,
    provider: str | None,
    *,
    sequential: bool,
    region: str | None,
) -> whole.Asked:
    """The question from its words. Raises UsageError."""
    return whole.Asked(
        slo=slo,
        headroom=_headroom(headroom),
        size=None if size is None else _size(size),
        growth_per_month=None if growth is None else parse_growth(growth),
        providers=tuple(_words(provider)),
        current=current,
        region=region,
        sequential=sequential,
    )


def counted_as(
    device: str | None, rate: str | None, query: Path | None, stat: str | None, period: str | None
) -> Options:
    """What files do not say themselves, from its words. Raises UsageError."""
    period_s = None if period is None else parse_duration(period) / SECOND
    return Options(device, tuple(_words(rate)), query, stat, period_s)


def _options(family: Family | None) -> Mapping[str, str] | None:
    return None if family is None or family.shape is None else family.shape.options


def _words(text: str | None) -> list[str]:
    return [word.strip().lower() for word in (text or "").split(",") if word.strip()]


def _size(text: str) -> str:
    """A size as it was given; nobody means bytes by 500. Raises UsageError."""
    if parse_size(text) < MIB:
        raise UsageError(f"--size {text}: less than 1 MiB; write it like 500GiB")
    return text


def _headroom(text: str) -> float:
    """A share from `30%`; 0.3 could be either, so the sign is needed. Raises UsageError."""
    number, sign, rest = text.strip().partition("%")
    try:
        share = float(number) / 100 if (sign and not rest) or not float(number) else -1.0
    except ValueError:
        share = -1.0
    if not 0 <= share <= 100:
        raise UsageError(f"--headroom {text!r}: write it like 30%")
    return share


def _elsewhere(advice: whole.Advice) -> list[tuple[str, str]]:
    """Providers for which the region that was asked for is none of theirs, with the one that is taken."""
    book, region = price_book(), advice.asked.region
    places = [(each.name, book.region(each, region)) for each in providers() if each.name in advice.coverage]
    return [] if region is None else [(name, place) for name, place in places if place != region]


def _row(advice: whole.Advice) -> dict[str, Any]:
    """For programs: base units, USD."""
    series, today = advice.series, advice.today
    return {
        "answer": list(answer(advice)),
        "cannot_know": list(unknowable(advice)),
        "slo": [each.text for each in advice.clauses],
        "load": {
            "device": series.name,
            "source": series.source,
            "start": series.when(0),
            "periods": series.periods,
            "period_s": series.period_s,
            "observed_s": series.observed_s,
            "operations": advice.demand.operations,
            "operations_per_s": advice.demand.rate,
            "notes": series.notes,
        },
        "lower_bound": None if advice.hidden is None else {"share": advice.hidden.share, "by": advice.hidden.by},
        "even": [_family(each) for each in advice.even],
        "bursts": None if advice.burst is None else [_family(each) for each in advice.burst],
        "today": today
        and {
            "volume": today.shape.options,
            "usd_per_month": today.usd_per_month,
            "carries": today.carries,
            "carries_evenly": today.evenly is None and not today.too_small,
        },
        "breaks": advice.breaks
        and {
            "factor": advice.breaks.factor,
            "by": advice.breaks.by,
            "months": advice.breaks_in_months,
            "load": "bursts" if advice.breaks_in_bursts else "even",
        },
        "headroom": [_stage(each) for each in advice.stages],
        "proof": proof_row(advice),
        "waiting_program": advice.closed and _family(advice.closed),
        "instances_that_cap": advice.machines and list(advice.machines.capped),
        "instances_that_cap_evenly": advice.machines and list(advice.machines.capped_evenly),
        "coverage": {name: {"known": known, "of": total} for name, (known, total) in advice.coverage.items()},
    }


def _stage(each: Stage) -> dict[str, Any]:
    return {
        "factor": each.factor,
        "operations_per_s": each.iops,
        "waiting": each.waiting,
        "p99_ns": None if each.turn is None else each.turn.outcome.latency.percentile(99.0),
        "throttled_s": None if each.turn is None else each.turn.throttled_s,
        "carries": False if each.why_not else None if each.turn is None else True,
        "why": each.why_not or None,
    }


def _family(each: Family) -> dict[str, Any]:
    turn, cost = each.turn, each.cost
    return {
        "family": each.name,
        "provider": each.kind.provider.name,
        "standing": str(each.standing),
        "why": each.why or None,
        "volume": each.shape.options if each.shape else None,
        "usd_per_month": each.usd_per_month,
        "prices_as_of": cost.as_of if cost else None,
        "region": cost.region if cost else None,
        "throttled_s": turn.throttled_s if turn else None,
        "latency_ns": turn.outcome.latency.percentiles() if turn else None,
        "credits": {
            name: dict(zip(("start", "least", "end"), held, strict=True)) for name, held in turn.credits.items()
        }
        if turn
        else None,
        "one_step_cheaper": each.cheaper
        and {
            "volume": each.cheaper.shape.options,
            "usd_per_month": each.cheaper.usd_per_month,
            "why": each.cheaper.why,
        },
    }
