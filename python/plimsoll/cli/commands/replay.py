"""`plimsoll replay`: a recorded load on any target."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plimsoll.cli.options import Destroy, ForceOutput, Json, Quiet, ReportFile, TraceFormat
from plimsoll.cli.streams import LogJson, Otlp, Streams
from plimsoll.cli.study_options import StudyOptions, takes_study_as

if TYPE_CHECKING:
    from plimsoll.run.study import Study
    from plimsoll.traces.replay import Load

EXAMPLES = (
    "`plimsoll replay load.trace --on nvme=/mnt/a` · "
    "`plimsoll replay load.trace --on a=/mnt/a --on gp3=vol:gp3,size=100GiB --repeats 3` · "
    "`plimsoll replay load.trace --on sda=/dev/sda` (reads only) · "
    "`plimsoll replay load.trace --on a=/mnt/a --space 4GiB --speed 2` · "
    "`plimsoll replay load.trace --on a=/mnt/a --closed` · "
    "`plimsoll replay web.trace db.trace --on a=/mnt/a`"
)
NEEDS_ARGUMENTS = True


@takes_study_as(
    {
        "on": "A target; repeat to compare. Default: the current directory.",
        "mode": "How certain the answer must be: quick (up to 6 blocks), standard (12) or publish (20).",
        "blocks": "At most this many blocks, instead of the mode's limit.",
        "repeats": "Replay it exactly this often on each target. Default with one target: once.",
        "time": "",
        "band": "",
        "title": "",
        "baseline": "",
        "seed": "",
        "noisy_host": "",
    },
    first=("trace", "on", "device", "form", "speed", "closed", "space", "writes"),
)
def command(
    options: StudyOptions,
    trace: Annotated[
        list[Path],
        typer.Argument(
            metavar="TRACE…",
            help="A file of `plimsoll observe`, blkparse or another tool. Several begin together, each with addresses "
            "of its own.",
        ),
    ],
    device: Annotated[
        str | None, typer.Option("--device", metavar="NAME", help="Which device, where the trace is of several.")
    ] = None,
    form: TraceFormat = None,
    speed: Annotated[
        float, typer.Option("--speed", metavar="2", help="How many times faster than it was recorded.")
    ] = 1.0,
    closed: Annotated[
        bool,
        typer.Option(
            "--closed",
            help="As fast as dependencies allow: what the application thought is kept, what it waited is not.",
        ),
    ] = False,
    space: Annotated[
        str | None,
        typer.Option("--space", metavar="4GiB", help="Scale its addresses to so much. Default: what it used."),
    ] = None,
    writes: Annotated[
        bool,
        typer.Option(
            "--writes", help="On a block device, replay writes as well; needs --destroy. Default: reads only."
        ),
    ] = False,
    destroy: Destroy = None,
    output: ReportFile = None,
    force: ForceOutput = False,
    json: Json = False,
    quiet: Quiet = False,
    log_json: LogJson = None,
    otlp: Otlp = None,
) -> None:
    """Replay a trace on targets, in its own times, and compare them.

    Latencies count from when an I/O was due, and how late it was issued is reported.
    """
    from plimsoll.cli.ending import conclude
    from plimsoll.cli.output import check_report_file, say
    from plimsoll.cli.progress import observer
    from plimsoll.run.session import run_study
    from plimsoll.run.workloads.io import needed_alignment
    from plimsoll.store.opening import open_store
    from plimsoll.traces import replay
    from plimsoll.units import parse_size

    check_report_file(output, force)
    load, device = _load(trace, device, form)
    study = _study(options, _title(trace))
    reads_only = not writes and any(target.kind == "device" for target in study.targets)
    region = parse_size(space) if space is not None else None
    how = replay.How(speed, closed, reads_only, region, max(map(needed_alignment, study.targets)))
    shared = replay.parameters(load, device, how)
    for line in replay.said(load, load.device(device), how):
        say(line)
    replay.keep(load)
    with open_store() as store, observer(quiet=quiet, streams=Streams(log_json, otlp)) as watching:
        session = run_study(_with(study, shared), store, watching, destroy or [], None)
        runs = store.runs([session.id])
    conclude(session, runs, output, force=force, json=json, quiet=quiet)


def _load(traces: list[Path], device: str | None, form: str | None) -> tuple[Load, str | None]:
    """What is replayed, and which device of it; of several traces one that is made of them."""
    from plimsoll.cli.output import say
    from plimsoll.errors import UsageError
    from plimsoll.traces import merge, replay

    if len(traces) == 1:
        return replay.look_through(traces[0], form), device
    if form is not None:
        raise UsageError(f"--format {form}: is that of one trace; several are known by their content")
    parts = merge.placed(traces, device)
    for line in merge.said(parts):
        say(line)
    load = merge.merged(parts)
    say(f"as one trace: {load.path}")
    return load, None


def _title(traces: list[Path]) -> str:
    names = [path.name for path in traces]
    return f"replay of {', '.join(names)}" if len(names) <= 3 else f"replay of {len(names)} traces at once"


def _study(options: StudyOptions, title: str) -> Study:
    """The study of a replay, without the load itself."""
    from dataclasses import replace

    alone = len(options.on or ()) < 2
    once = alone and options.repeats is None and options.blocks is None and options.mode is None
    asked = replace(
        options,
        tests=["replay"],
        title=options.title or title,
        repeats=1 if once else options.repeats,
        interleave="blocks",
    )
    return asked.study()


def _with(study: Study, shared: dict[str, Any]) -> Study:
    from dataclasses import replace

    return replace(study, shared={**shared, **study.shared})
