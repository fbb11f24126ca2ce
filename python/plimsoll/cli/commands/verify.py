"""`plimsoll verify`: did I get what I pay for?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plimsoll.cli.options import Destroy, Force, Json, Quiet
from plimsoll.cli.streams import LogJson, Otlp, Streams

EXAMPLES = (
    "`plimsoll verify /mnt/data --as gp3,iops=4000,throughput=250 --instance m5.large` · "
    "`plimsoll verify /dev/nvme1n1 --as gp2 --runtime 40m` (a device is only read, unless --destroy allows more). "
    "Exit code 0: it delivers, 1: it does not, 3: cannot tell."
)
NEEDS_ARGUMENTS = True
_NO_VERDICT = "interrupted, so there is no verdict; test files were removed. Give the same command again"


def command(
    target: Annotated[str, typer.Argument(metavar="TARGET", help="The place: a directory or block device.")],
    paid: Annotated[
        str | None,
        typer.Option(
            "--as", metavar="TYPE[,option=value…]", help="The volume that is paid for; default size: the device's."
        ),
    ] = None,
    instance: Annotated[
        str | None, typer.Option("--instance", metavar="m5.large", help="The instance type it is attached to.")
    ] = None,
    runtime: Annotated[
        str,
        typer.Option("--runtime", metavar="60s", help="Length of each load; a burst that ends later goes unnoticed."),
    ] = "60s",
    size: Annotated[
        str,
        typer.Option("--size", metavar="1GiB", help="How much of the place is used; more than its cache holds."),
    ] = "1GiB",
    depth: Annotated[
        int | None, typer.Option("--depth", min=1, help="I/Os in flight; default: 4 per 1,000 IOPS, 32 to 256.")
    ] = None,
    destroy: Destroy = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Also write the verdict as a report.")
    ] = None,
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
    log_json: LogJson = None,
    otlp: Otlp = None,
) -> None:
    """Measure whether a place delivers what its type promises. Says what limits it, and for how long."""
    from plimsoll.api.verifying import shape_paid_for, verified
    from plimsoll.catalog.delivery import Answer
    from plimsoll.cli.output import console, print_json, refuse_to_replace, say
    from plimsoll.cli.progress import observer
    from plimsoll.report import format_of, write
    from plimsoll.report.renderers.terminal import print_document
    from plimsoll.report.verified import verified_document
    from plimsoll.run.study import from_words
    from plimsoll.store.opening import open_store
    from plimsoll.units import parse_duration, parse_size

    if output is not None:
        format_of(output)
        refuse_to_replace(str(output), force)
    place = from_words([], [target]).targets[0]
    shape, region_bytes = shape_paid_for(place, paid, instance), parse_size(size)
    streams = Streams(log_json, otlp)
    with open_store() as store, observer(quiet=quiet, interrupted=_NO_VERDICT, streams=streams) as watching:
        found = verified(
            place, shape, parse_duration(runtime), region_bytes, depth, store, watching, destroy=destroy or []
        )
    delivery = found.delivery
    document = verified_document(delivery, found.session.title)
    if json:
        print_json(found.row())
    else:
        print_document(document, console())
    if output is not None:
        write(document, format_of(output), output)
        say(f"report: {output}")
    if delivery.answer is not Answer.YES:
        raise typer.Exit(1 if delivery.answer is Answer.NO else 3)
