"""`plimsoll advise`: from what a system does to the volume to buy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plimsoll.cli.options import Force, Json, Quiet, Region

if TYPE_CHECKING:
    from plimsoll.model import Run, Session
    from plimsoll.run.study import Study
    from plimsoll.traces.advice.families import Family
    from plimsoll.traces.advice.whole import Advice, Asked
    from plimsoll.traces.series import Series

EXAMPLES = (
    "`plimsoll advise iostat.txt --slo 'p99<10ms' --size 500GiB` · "
    "`plimsoll advise ebs.json --query queries.json --current type=gp2,size=500GiB --growth 40%/y` · "
    "`plimsoll advise r.json w.json rb.json wb.json --rate reads,writes,read_bytes,write_bytes --size 1TiB`"
)
NEEDS_ARGUMENTS = True


Files = Annotated[
    list[Path],
    typer.Argument(
        metavar="LOAD",
        help="A trace, or monitoring of a device: Prometheus, OpenMetrics, CloudWatch, Azure Monitor, Google Cloud "
        "Monitoring, iostat -x -t, sar -d, pmrep -o csv. Several files of one device are joined.",
    ),
]
Slo = Annotated[str, typer.Option("--slo", metavar="p99<10ms", help="Bounds on latency; join several with commas.")]
Size = Annotated[
    str | None,
    typer.Option("--size", metavar="500GiB", help="What the volume has to hold. Default: as much as --current."),
]
Current = Annotated[
    str | None,
    typer.Option(
        "--current",
        metavar="type=gp2,size=500GiB",
        help="The volume that you have, with instance=m5.large where known: what is saved, and how fast bursts can "
        "have been.",
    ),
]
Headroom = Annotated[
    str, typer.Option("--headroom", metavar="30%", help="So much more load than was seen must be carried.")
]
Growth = Annotated[
    str | None, typer.Option("--growth", metavar="40%/y", help="How fast the load grows: says when it breaks.")
]
Provider = Annotated[
    str | None,
    typer.Option("--provider", metavar="aws,gcp,azure", help="Whose volumes. Default: that of --current, else all."),
]
Sequential = Annotated[
    bool, typer.Option("--sequential", help="I/Os follow each other (streams). Default: they go anywhere.")
]
Device = Annotated[
    str | None, typer.Option("--device", metavar="NAME", help="Which device, where the files have several.")
]
Rate = Annotated[
    str | None,
    typer.Option(
        "--rate",
        metavar="reads,…",
        help="Prometheus: what nameless results are rates of (reads, writes, read_bytes, write_bytes, waited_s).",
    ),
]
Query = Annotated[
    Path | None, typer.Option("--query", metavar="FILE", help="CloudWatch: the file of --metric-data-queries.")
]
Stat = Annotated[
    str | None, typer.Option("--stat", metavar="Sum", help="CloudWatch: Sum; Google Cloud: rate or delta.")
]
Period = Annotated[
    str | None,
    typer.Option(
        "--period",
        metavar="5m",
        help="Length of a period, where the file does not say it; or a longer one to sum up to.",
    ),
]
Prove = Annotated[
    bool,
    typer.Option(
        "--prove",
        help="Serve the volume and a cheaper one here, and replay on both, in turns, up to 2 min in which the cheaper "
        "one fails. Takes up to 20 min, and needs root.",
    ),
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Also write a report (.html has charts).")
]


def command(
    files: Files,
    slo: Slo = "p99<10ms",
    size: Size = None,
    current: Current = None,
    headroom: Headroom = "0%",
    growth: Growth = None,
    provider: Provider = None,
    sequential: Sequential = False,
    device: Device = None,
    rate: Rate = None,
    query: Query = None,
    stat: Stat = None,
    period: Period = None,
    region: Region = None,
    prove: Prove = False,
    output: Output = None,
    force: Force = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Say which cloud volume to buy for a real load, and why."""
    from plimsoll.cli.output import console, print_json, refuse_to_replace, say
    from plimsoll.report import format_of, write
    from plimsoll.report.renderers.terminal import print_document
    from plimsoll.traces.advice.document import advice_document
    from plimsoll.traces.advice.growth import parse_growth
    from plimsoll.traces.advice.whole import Asked
    from plimsoll.traces.counters import Options
    from plimsoll.traces.seconds import load
    from plimsoll.units import SECOND, parse_duration

    if output is not None:
        format_of(output)
        refuse_to_replace(str(output), force)
    asked = Asked(
        slo=slo,
        headroom=_headroom(headroom),
        size=None if size is None else _size(size),
        growth_per_month=None if growth is None else parse_growth(growth),
        providers=tuple(_words(provider)),
        current=current,
        region=region,
        sequential=sequential,
    )
    period_s = None if period is None else parse_duration(period) / SECOND
    series = load(files, Options(device, tuple(_words(rate)), query, stat, period_s))
    for note in series.notes:
        say(note)
    advice = _advised(series, asked, quiet=quiet)
    for name, place in _elsewhere(advice):
        say(f"{name} has no prices in {region}: those of its home region, {place}, are taken")

    def show(advice: Advice) -> None:
        document = advice_document(advice)
        if json:
            print_json(_row(advice))
        else:
            print_document(document, console())
        if output is not None:
            write(document, format_of(output), output)
            say(f"report: {output}")

    try:
        proved = _proved(advice, files, quiet=quiet) if prove else advice
    except KeyboardInterrupt:
        # What is known already is shown all the same.
        show(advice)
        raise
    show(proved)


def _words(text: str | None) -> list[str]:
    return [word.strip().lower() for word in (text or "").split(",") if word.strip()]


def _size(text: str) -> str:
    """A size as it was given; nobody means bytes by 500. Raises UsageError."""
    from plimsoll.errors import UsageError
    from plimsoll.units import MIB, parse_size

    if parse_size(text) < MIB:
        raise UsageError(f"--size {text}: less than 1 MiB; write it like 500GiB")
    return text


def _headroom(text: str) -> float:
    """A share from `30%`; 0.3 could be either, so the sign is needed. Raises UsageError."""
    from plimsoll.errors import UsageError

    number, sign, rest = text.strip().partition("%")
    try:
        share = float(number) / 100 if (sign and not rest) or not float(number) else -1.0
    except ValueError:
        share = -1.0
    if not 0 <= share <= 100:
        raise UsageError(f"--headroom {text!r}: write it like 30%")
    return share


def _advised(series: Series, asked: Asked, *, quiet: bool) -> Advice:
    """With a word of progress and the time left where it takes a while."""
    from plimsoll.cli.output import say
    from plimsoll.traces.advice.progress import Progress
    from plimsoll.traces.advice.whole import advise

    return advise(series, asked, Progress((lambda _: None) if quiet else say))


def _proved(advice: Advice, files: list[Path], *, quiet: bool) -> Advice:
    """With its proof; a session like others, in the store."""
    from dataclasses import replace

    from plimsoll.cli.output import say
    from plimsoll.cli.progress import observer
    from plimsoll.run.session import run_study
    from plimsoll.store.store import open_store
    from plimsoll.traces.advice.proof.whole import prove
    from plimsoll.traces.seconds import is_trace

    def measure(study: Study) -> tuple[Session, list[Run]]:
        with open_store() as store, observer(quiet=quiet) as watching:
            session = run_study(study, store, watching)
            return session, store.runs([session.id])

    path = files[0] if is_trace(files) else None
    return replace(advice, proof=prove(advice, path, (lambda _: None) if quiet else say, measure))


def _elsewhere(advice: Advice) -> list[tuple[str, str]]:
    """Providers for which the region that was asked for is none of theirs, with the one that is taken."""
    from plimsoll.catalog.provider import providers
    from plimsoll.prices.book import price_book

    book, region = price_book(), advice.asked.region
    places = [(each.name, book.region(each, region)) for each in providers() if each.name in advice.coverage]
    return [] if region is None else [(name, place) for name, place in places if place != region]


def _row(advice: Advice) -> dict[str, Any]:
    """For programs: base units, USD."""
    from plimsoll.traces.advice.proof.sentences import proof_row
    from plimsoll.traces.advice.sentences import answer, unknowable

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
            "carries": today.too_little is None and today.judgement.met,
        },
        "breaks": advice.breaks
        and {"factor": advice.breaks.factor, "by": advice.breaks.by, "months": advice.breaks_in_months},
        "proof": proof_row(advice),
        "waiting_program": advice.closed and _family(advice.closed),
        "instances_that_cap": advice.machines and list(advice.machines.capped),
        "coverage": {name: {"known": known, "of": total} for name, (known, total) in advice.coverage.items()},
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
