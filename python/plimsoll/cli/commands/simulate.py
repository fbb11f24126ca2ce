"""`plimsoll simulate`: what a load gets from a volume, without waiting for it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plimsoll.cli.options import Force, Json, Region

if TYPE_CHECKING:
    from plimsoll.catalog.shape import VolumeShape
    from plimsoll.report.document import Document
    from plimsoll.simulation.choice import Choice
    from plimsoll.simulation.job import Load, Trace
    from plimsoll.simulation.outcome import Outcome

EXAMPLES = (
    "`plimsoll simulate --volume gp2,size=100GiB,instance=m5.large --job randread,depth=32 --duration 8h` · "
    "`plimsoll simulate --volume gp2,size=500GiB --trace app.iolog` · "
    "`plimsoll simulate --compare gp2,gp3,io2 --volume size=500GiB --job randread,rate=2000/s --slo 'p99<10ms'`"
)
NEEDS_ARGUMENTS = True

SPEED = 8e6
"""I/Os that are simulated in a second of one core."""
WITHOUT_LIMIT = 100_000
"""Guess of the rate where nothing limits it."""
ANNOUNCED_FROM_S = 10


def command(
    volume: Annotated[
        list[str] | None,
        typer.Option(
            "--volume",
            metavar="TYPE[,option=value…]",
            help="A volume, such as gp2,size=100GiB; repeat to see several. `plimsoll list volumes`.",
        ),
    ] = None,
    job: Annotated[
        str | None,
        typer.Option("--job", metavar="TEST[,parameter=value…]", help="A block I/O test. Default: randread."),
    ] = None,
    trace: Annotated[
        Path | None,
        typer.Option("--trace", metavar="FILE", help="The load: a trace of observe, blkparse or another tool."),
    ] = None,
    duration: Annotated[
        str | None, typer.Option("--duration", metavar="8h", help="Virtual time. Default: 1h; a trace runs to its end.")
    ] = None,
    compare: Annotated[
        str | None,
        typer.Option("--compare", metavar="gp2,gp3,io2", help="Rank the cheapest of each type that meets --slo."),
    ] = None,
    slo: Annotated[
        str,
        typer.Option("--slo", metavar="p99<10ms", help="Bounds for --compare; join several with commas."),
    ] = "p99<10ms",
    lasts: Annotated[
        str | None,
        typer.Option(
            "--for", metavar="8h", help="How long --slo must hold, starting with full burst credits. Default: for ever."
        ),
    ] = None,
    region: Region = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Also write a report; .html has the charts, .csv the series."
        ),
    ] = None,
    charts: Annotated[
        Path | None, typer.Option("--charts", metavar="DIR", help="Write every chart as SVG and PNG into this folder.")
    ] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Simulate a load on a cloud volume: rates, latency, credits. Says what limits it, and what it costs."""
    from plimsoll.cli.output import refuse_to_replace
    from plimsoll.errors import UsageError
    from plimsoll.report import format_of
    from plimsoll.simulation.job import Trace, checked_duration, load
    from plimsoll.units import parse_duration

    if output is not None:
        format_of(output)
        refuse_to_replace(str(output), force)
    if trace is not None and (job or compare):
        raise UsageError("a trace is a whole load; give it without --job and --compare")
    _refuse_the_others(compare, duration, lasts)
    virtual_ns = None if duration is None else checked_duration(parse_duration(duration))
    if compare is not None:
        needed_ns = None if lasts is None else checked_duration(parse_duration(lasts), "--for")
        _compare(compare, volume or [], load(job, {}), needed_ns, slo, region, (output, charts, json))
        return
    if not volume:
        raise UsageError("say which volume: --volume gp2,size=100GiB; `plimsoll list volumes` shows the types")
    work: Load | Trace = Trace(trace) if trace is not None else load(job, {})
    outcomes = _simulated(volume, work, virtual_ns, region)
    _show_outcomes(outcomes, (output, charts, json))


def _refuse_the_others(compare: str | None, duration: str | None, lasts: str | None) -> None:
    """A simulation has a duration; a comparison is about what lasts, for ever or so long."""
    from plimsoll.errors import UsageError

    if compare is not None and duration is not None:
        raise UsageError(f"--compare has no --duration; say how long it has to last with --for {duration}")
    if compare is None and lasts is not None:
        raise UsageError(f"--for belongs to --compare; how long to simulate is --duration {lasts}")


Where = tuple[Path | None, Path | None, bool]
"""Report file, folder of pictures, JSON."""


def _simulated(volumes: list[str], work: Load | Trace, duration_ns: int | None, region: str | None) -> list[Outcome]:
    from plimsoll.api.simulating import simulated
    from plimsoll.catalog.shape import options_from, volume_shape
    from plimsoll.units import HOUR

    shapes = [volume_shape(options_from(text, "--volume"), "--volume") for text in volumes]
    for shape in shapes:
        _announce(shape, work, duration_ns or HOUR)
    return [simulated(shape, work, duration_ns, region).outcome for shape in shapes]


def _announce(shape: VolumeShape, work: Load | Trace, duration_ns: int) -> None:
    """A word before a simulation that takes a while: there are no results until it is over."""
    from plimsoll.catalog.bounds import Use, burst
    from plimsoll.cli.output import say
    from plimsoll.simulation.job import Load
    from plimsoll.units import SECOND, format_duration

    if not isinstance(work, Load):
        return
    most = burst(shape, Use(work.block_bytes, work.read_share, work.sequential))
    rate = min(work.rate or float("inf"), most.per_second if most else WITHOUT_LIMIT)
    seconds = rate * duration_ns / SECOND / SPEED
    if seconds > ANNOUNCED_FROM_S:
        say(f"{shape.one}: up to {format_duration(seconds * SECOND)} to simulate; Ctrl-C stops")


def _compare(
    types: str, volume: list[str], work: Load, lasts_ns: int | None, slo: str, region: str | None, where: Where
) -> None:
    from plimsoll.catalog.shape import options_from
    from plimsoll.cli.output import print_json, say
    from plimsoll.errors import UsageError
    from plimsoll.report.simulated import choice_document
    from plimsoll.simulation.choice import choose
    from plimsoll.simulation.slo import parse_slo
    from plimsoll.units import SECOND

    names = [name.strip().lower() for name in types.split(",") if name.strip()]
    if not names:
        raise UsageError("--compare names no type; write them like gp2,gp3,io2 (`plimsoll list volumes`)")
    if len(volume) > 1:
        raise UsageError(
            "--compare takes one --volume with what all types share, such as size=500GiB,instance=m5.large"
        )
    shared = options_from(volume[0], "--volume") if volume else {}
    if "type" in shared:
        raise UsageError("--compare names the types; leave the type out of --volume")
    clauses = parse_slo(slo)
    found = choose(names, shared, work, lasts_ns, clauses, region, lambda name: say(f"looking for the cheapest {name}"))
    if where[2]:
        head = {"load": work.words, "slo": [clause.text for clause in clauses], "for_s": lasts_ns and lasts_ns / SECOND}
        print_json({**head, "choices": [_choice_row(each) for each in found]})
    _show(choice_document(found, work.words, ", ".join(clause.text for clause in clauses), lasts_ns), None, where)


def _show_outcomes(outcomes: list[Outcome], where: Where) -> None:
    from plimsoll.api.simulating import outcome_row
    from plimsoll.cli.output import print_json
    from plimsoll.report.simulated import simulation_document

    if where[2]:
        print_json({"simulations": [outcome_row(each, series=True) for each in outcomes]})
    _show(simulation_document(outcomes, short=True), simulation_document(outcomes), where)


def _show(short: Document, full: Document | None, where: Where) -> None:
    """On the terminal, unless JSON is wanted there, and in files."""
    from plimsoll.cli.output import console, say
    from plimsoll.report import format_of, write, write_charts
    from plimsoll.report.renderers.terminal import print_document

    output, charts, json = where
    if not json:
        print_document(short, console())
    if output is not None:
        chosen = format_of(output)
        write(short if chosen in ("terminal", "markdown") else full or short, chosen, output)
        say(f"report: {output}")
    if charts is not None:
        say(f"{len(write_charts(full or short, charts))} pictures in {charts}")


def _choice_row(choice: Choice) -> dict[str, Any]:
    judgement, cheaper = choice.judgement, choice.cheaper
    return {
        "type": choice.type,
        "met": choice.met,
        "until_s": choice.lasts_s,
        "usd_per_month": choice.usd_per_month,
        "headroom": choice.headroom,
        "reasons": [choice.refused] if choice.refused else list(judgement.reasons if judgement else ()),
        "one_step_cheaper": cheaper
        and {
            "volume": cheaper.shape.options,
            "summary": cheaper.shape.summary,
            "usd_per_month": cheaper.usd_per_month,
            "reasons": cheaper.reasons,
        },
        "simulation": _stage_row(choice.outcome) if choice.outcome else None,
    }


def _stage_row(outcome: Outcome) -> dict[str, Any]:
    """What lasts: without a burst, nothing is said of its end."""
    from plimsoll.api.simulating import outcome_row

    found = outcome_row(outcome, series=False)
    return {name: value for name, value in found.items() if name not in ("burst_ends", "credits_last_s")}
