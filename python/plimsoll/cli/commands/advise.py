"""`plimsoll advise`: from what a system does to the volume to buy."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from plimsoll.cli.options import Force, Json, Quiet, Region, TraceFormat
from plimsoll.cli.streams import LogJson, Otlp, Streams

if TYPE_CHECKING:
    from plimsoll.model import Run, Session
    from plimsoll.run.study import Study
    from plimsoll.traces.advice import whole

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
    form: TraceFormat = None,
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
    log_json: LogJson = None,
    otlp: Otlp = None,
) -> None:
    """Say which cloud volume to buy for a real load, and why."""
    from plimsoll.api.advising import advice_on, asked, counted_as
    from plimsoll.cli.output import console, print_json, refuse_to_replace, say
    from plimsoll.errors import UsageError
    from plimsoll.report import format_of, write
    from plimsoll.report.renderers.terminal import print_document
    from plimsoll.traces.advice.document import advice_document

    if output is not None:
        format_of(output)
        refuse_to_replace(str(output), force)
    if prove and form is not None:
        raise UsageError("--prove replays a trace whose format is recognised by its content; leave --format out")
    streams = _streams(log_json, otlp, prove=prove)
    question = asked(slo, size, current, headroom, growth, provider, sequential=sequential, region=region)
    counted = counted_as(device, rate, query, stat, period)
    found = advice_on(files, counted, question, _unheard if quiet else say, say, form)

    def show(advice: whole.Advice) -> None:
        document = advice_document(advice)
        if json:
            print_json(replace(found, advice=advice).row())
        else:
            print_document(document, console())
        if output is not None:
            write(document, format_of(output), output)
            say(f"report: {output}")

    try:
        proved = _proved(found.advice, files, streams, quiet=quiet) if prove else found.advice
    except KeyboardInterrupt:
        # What is known already is shown all the same.
        show(found.advice)
        raise
    show(proved)


def _streams(log_json: str | None, otlp: str | None, *, prove: bool) -> Streams:
    """Where the events of the proof go. Raises UsageError where one cannot be, before the load is looked through."""
    from plimsoll.errors import UsageError

    streams = Streams(log_json, otlp)
    if not prove and streams != Streams():
        name = "--otlp" if log_json is None else "--log-json"
        raise UsageError(f"{name} tells what is measured, and only --prove measures; add --prove, or leave {name} out")
    with streams.opened():
        return streams


def _proved(advice: whole.Advice, files: list[Path], streams: Streams, *, quiet: bool) -> whole.Advice:
    """With its proof; a session like others, in the store."""
    from plimsoll.cli.output import say
    from plimsoll.cli.progress import observer
    from plimsoll.run.session import run_study
    from plimsoll.store.opening import open_store
    from plimsoll.traces.advice.proof.whole import prove
    from plimsoll.traces.seconds import is_trace

    def measure(study: Study) -> tuple[Session, list[Run]]:
        with open_store() as store, observer(quiet=quiet, streams=streams) as watching:
            session = run_study(study, store, watching)
            return session, store.runs([session.id])

    path = files[0] if is_trace(files) else None
    return replace(advice, proof=prove(advice, path, _unheard if quiet else say, measure))


def _unheard(_: str) -> None:
    """Progress with --quiet."""
