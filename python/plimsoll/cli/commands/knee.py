"""`plimsoll knee`: how much load a place carries before latency breaks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from plimsoll.cli.cluster import Cluster
from plimsoll.cli.options import Destroy, ForceOutput, Json, Quiet, ReportFile
from plimsoll.cli.streams import LogJson, Otlp, Streams
from plimsoll.cli.study_options import RENT, StudyOptions, takes_study_as

if TYPE_CHECKING:
    from plimsoll.run.load_study import LoadStudy

EXAMPLES = (
    "`plimsoll knee randread --on nvme=/mnt/a --depth 1..128` · "
    "`plimsoll knee randread --on a=/mnt/a --on b=/mnt/b --slo 'p99<5ms'` · "
    "`plimsoll knee randwrite --rate 100..20000 --slo 'p99<10ms' --set runtime=5s` · "
    "`plimsoll knee ycsb-a --server postgresql --on pg=/mnt/a --clients 1..128` · "
    "`plimsoll knee study.toml` · `plimsoll run --resume` goes on with an interrupted one"
)
NEEDS_ARGUMENTS = True


Clients = Annotated[
    str | None, typer.Option("--clients", metavar="1..256", help="Search over clients; for disks that is --depth.")
]
Depth = Annotated[
    str | None, typer.Option("--depth", metavar="1..256", help="Search over operations in flight per thread.")
]
Threads = Annotated[str | None, typer.Option("--threads", metavar="1..64", help="Search over threads that issue I/O.")]
Rate = Annotated[
    str | None, typer.Option("--rate", metavar="100..20000", help="Search over arrival rates, operations per second.")
]
Slo = Annotated[
    str | None,
    typer.Option("--slo", metavar="'p99<5ms'", help="Also find the largest load that meets this objective."),
]
Stored = Annotated[
    str | None,
    typer.Option(
        "--stored",
        metavar="1s",
        help="Seconds' worth of I/O that a rested place may deliver beyond its sustained rate: volumes 1s (the "
        "default), a local disk 0s. Runs must last longer.",
    ),
]


@takes_study_as(
    {
        "on": "A target; repeat for more, each has its own load line. Default: the current directory.",
        "mode": "How certain the answer must be: quick (up to 6 rounds), standard (12) or publish (20).",
        "time": "",
        "settings": "For every run; `plimsoll list parameters`.",
        "server": "Database tests: a private server on every directory target.",
        "title": "",
        "seed": "Seed of the order of loads and targets.",
        "noisy_host": "",
        "quick_sizes": "Small sizes, to try it out; the numbers mean little.",
        "provider": "",
        **{name: "" for name in RENT if name != "allocations"},
    },
    first=("test", "on", "clients", "depth", "threads", "rate", "slo", "stored"),
)
def command(
    options: StudyOptions,
    test: Annotated[
        str, typer.Argument(metavar="TEST|STUDY", help="A test, a study with a load line, or a file STUDY.toml.")
    ],
    clients: Clients = None,
    depth: Depth = None,
    threads: Threads = None,
    rate: Rate = None,
    slo: Slo = None,
    stored: Stored = None,
    destroy: Destroy = None,
    output: ReportFile = None,
    force: ForceOutput = False,
    cluster: Cluster = None,
    log_json: LogJson = None,
    otlp: Otlp = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find how much load a target carries before latency rises.

    The answer has the knee, the curve, and with --slo the largest load that meets an objective.
    """
    from dataclasses import replace

    from plimsoll.run.load_study import wanted_load_study

    given = {"clients": clients, "depth": depth, "threads": threads, "rate": rate}
    loads = {name: text for name, text in given.items() if text is not None}
    options = replace(options, tests=[test])
    said = [*options.said(but="tests"), *(f"--{name}" for name in loads)]
    said += [name for name, value in (("--slo", slo), ("--stored", stored)) if value]
    quick, titled = options.quick_sizes, bool(options.title)
    study = wanted_load_study(test, options.study, loads, slo, stored, quick=quick, titled=titled, said=said)
    streams = Streams(log_json, otlp)
    carry_out(study, destroy or [], output, cluster, streams, force=force, json=json, quiet=quiet)


def carry_out(
    study: LoadStudy,
    destroy: list[str],
    output: str | None,
    cluster: str | None,
    streams: Streams,
    *,
    force: bool,
    json: bool,
    quiet: bool,
) -> None:
    """Search, show what was found, and fail where nothing was."""
    from plimsoll.api.measuring import carried_out
    from plimsoll.cli.cluster import machines
    from plimsoll.cli.ending import conclude
    from plimsoll.cli.output import check_report_file
    from plimsoll.cli.progress import observer
    from plimsoll.store.opening import open_store

    check_report_file(output, force)
    with open_store() as store, machines(cluster) as others, observer(quiet=quiet, streams=streams) as watching:
        session = carried_out(study, store, watching, others, destroy=destroy)
        runs = store.runs([session.id])

    conclude(session, runs, output, force=force, json=json, quiet=quiet)
