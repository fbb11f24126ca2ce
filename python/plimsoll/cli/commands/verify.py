"""`plimsoll verify`: did I get what I pay for?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plimsoll.cli.options import Destroy, Force, Json, Quiet

if TYPE_CHECKING:
    from plimsoll.catalog.delivery import Delivery
    from plimsoll.catalog.shape import VolumeShape
    from plimsoll.model import Target

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
        str, typer.Option("--runtime", metavar="60s", help="Length of each load; a cliff later than that is not seen.")
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
) -> None:
    """Measure a place, and say whether it delivers what its volume type promises, what limits it, and for how long."""
    from plimsoll.catalog.delivery import Answer, judge
    from plimsoll.cli.output import console, print_json, refuse_to_replace, say
    from plimsoll.cli.progress import observer
    from plimsoll.report import format_of, write
    from plimsoll.report.renderers.terminal import print_document
    from plimsoll.report.verified import verified_document
    from plimsoll.run.session import run_study
    from plimsoll.run.study import from_words
    from plimsoll.run.verify import never_written, verification
    from plimsoll.store.store import open_store
    from plimsoll.units import parse_duration, parse_size

    if output is not None:
        format_of(output)
        refuse_to_replace(str(output), force)
    place = from_words([], [target]).targets[0]
    shape = _shape(place, paid, instance)
    writes = place.kind != "device" or bool(destroy)
    region_bytes = parse_size(size)
    empty = never_written(place, region_bytes)
    asked = verification(place, shape, parse_duration(runtime), region_bytes, depth, writes, empty)
    with open_store() as store, observer(quiet=quiet, interrupted=_NO_VERDICT) as watching:
        session = run_study(asked.study, store, watching, destroy or [])
        runs = store.runs([session.id])
    delivery = judge(shape, asked.runs(runs))
    document = verified_document(delivery, asked.study.title)
    if json:
        print_json({"session": session.id, **_row(delivery)})
    else:
        print_document(document, console())
    if output is not None:
        write(document, format_of(output), output)
        say(f"report: {output}")
    if delivery.answer is not Answer.YES:
        raise typer.Exit(1 if delivery.answer is Answer.NO else 3)


def _shape(place: Target, paid: str | None, instance: str | None) -> VolumeShape:
    """What is paid for: said with --as, or what an emulated volume or the target's own `as` says."""
    from plimsoll.catalog.shape import options_from, volume_shape
    from plimsoll.catalog.targets import AS, is_emulated, shape_of
    from plimsoll.errors import UsageError
    from plimsoll.run.verify import size_of, whole_gib
    from plimsoll.targets.volume import volume_options

    if place.kind == "database":
        raise UsageError(f"{place.where} is a database; give the directory or device that its data are on")
    known = shape_of(place)
    if paid is None:
        if known is None and is_emulated(place):
            # Refused with the reason, which `shape_of` keeps to itself.
            return volume_shape(volume_options(place)[0], place.where)
        if known is None:
            raise UsageError("say what is paid for: --as gp3,iops=4000,throughput=250; `plimsoll list volumes`")
        if instance is None or known.options.get("instance") == instance:
            return known
        if is_emulated(place):
            raise UsageError(
                f"--instance {instance}: an emulated volume has the limits of an instance only if it is made on one; "
                f"write it into the target, as in {place.where},instance={instance}"
            )
        return volume_shape({**known.options, "instance": instance}, AS)
    options = options_from(paid, "--as")
    if instance is not None:
        options["instance"] = instance
    if "size" not in options and options.get("type") != "instance-store":
        options["size"] = f"{known.size_gib:g}GiB" if known is not None else whole_gib(size_of(place))
    return volume_shape(options, "--as")


def _row(delivery: Delivery) -> dict[str, Any]:
    """The verdict for programs."""
    return {
        "answer": delivery.answer.value,
        "volume": delivery.shape.options,
        "sentences": delivery.sentences,
        "first_touch": delivery.first_touch,
        "loads": [
            {
                "load": load.role.value,
                "answer": load.answer.value,
                "paid_per_s": load.expected.per_second if load.expected else None,
                "paid_burst_per_s": load.most.per_second if load.most else None,
                "got_per_s": load.rate,
                "burst_per_s": load.burst_rate,
                "burst_ended_s": load.burst_s,
                "p99_ns": load.p99_ns,
                "windows": load.windows,
                "windows_kept": load.kept,
                "limited_by": load.party,
                "why": load.why,
                "measured_s": load.measured_s,
                "credits_last_s": load.lasts_s,
            }
            for load in delivery.loads
        ],
    }
