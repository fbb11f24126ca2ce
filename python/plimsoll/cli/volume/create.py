"""`plimsoll volume create`: a block device that behaves like a provisioned volume."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plimsoll.catalog.options import SHAPE_OPTIONS, read_options
from plimsoll.cli.options import Json
from plimsoll.cli.volume._options import GivenOptions, takes
from plimsoll.targets.volume import SERVED_OPTIONS

NEEDS_ARGUMENTS = True
EXAMPLES = (
    "`plimsoll volume create data --type gp2 --size 100GiB --instance m5.large --fs xfs --mount /mnt/data` · "
    "`plimsoll volume create fast --type io2 --size 50GiB --iops 10000` · "
    "`plimsoll volume create stripe --type gp3 --size 20GiB --raid 0 --members 4`"
)


@takes({**SHAPE_OPTIONS, **SERVED_OPTIONS})
def command(
    given: GivenOptions,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the new volume.")],
    mount: Annotated[
        Path | None,
        typer.Option("--mount", metavar="DIR", help="Where: an empty or new directory. Default: one of its own."),
    ] = None,
    raid_with: Annotated[
        str,
        typer.Option("--raid-with", metavar="model|mdadm", help="What combines the members: the model, or Linux md."),
    ] = "model",
    json: Json = False,
) -> None:
    """Make a volume and serve it as a block device. With --fs it is mounted. Needs root, FUSE and loop devices."""
    from plimsoll.cli.output import console, print_json
    from plimsoll.cli.volume._presenting import as_table, described
    from plimsoll.errors import UnknownName
    from plimsoll.volumes.lifecycle import VolumeRequest, create

    if raid_with not in ("model", "mdadm"):
        raise UnknownName("way to combine members", raid_with, ("model", "mdadm"))
    served = read_options(SERVED_OPTIONS, given.only(SERVED_OPTIONS), f"volume {name}")
    request = VolumeRequest(
        name=name,
        options=given.only(SHAPE_OPTIONS),
        file_system=served.get("fs"),
        mount=mount,
        backing=served.get("backing", SERVED_OPTIONS["backing"].default),
        write_cache_bytes=served.get("write_cache", SERVED_OPTIONS["write_cache"].default),
        instance_name=served.get("instance_name"),
        raid_with_md=raid_with == "mdadm",
    )
    volume = create(request)
    if json:
        print_json(as_table(volume))
    else:
        console().print(described(volume), markup=False)
