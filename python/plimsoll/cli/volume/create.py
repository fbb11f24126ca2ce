"""`plimsoll volume create`: a block device that behaves like a provisioned volume."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plimsoll.cli.options import Json
from plimsoll.cli.volume._shape_options import ShapeOptions, takes_shape

NEEDS_ARGUMENTS = True
EXAMPLES = (
    "`plimsoll volume create data --type gp2 --size 100GiB --instance m5.large --fs xfs --mount /mnt/data` · "
    "`plimsoll volume create fast --type io2 --size 50GiB --iops 10000` · "
    "`plimsoll volume create stripe --type gp3 --size 20GiB --raid 0 --members 4`"
)


@takes_shape
def command(
    shape: ShapeOptions,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the new volume.")],
    fs: Annotated[
        str | None, typer.Option("--fs", metavar="ext4|xfs|btrfs|…", help="Make this file system and mount it.")
    ] = None,
    mount: Annotated[
        Path | None,
        typer.Option("--mount", metavar="DIR", help="Where: an empty or new directory. Default: one of its own."),
    ] = None,
    backing: Annotated[
        str,
        typer.Option(
            "--backing",
            metavar="sparse|memory",
            help="Where its bytes are: a sparse file below PLIMSOLL_HOME, or memory.",
        ),
    ] = "sparse",
    instance_name: Annotated[
        str | None,
        typer.Option("--instance-name", metavar="NAME", help="Volumes with the same one share the instance's limits."),
    ] = None,
    write_cache: Annotated[
        str | None,
        typer.Option(
            "--write-cache", metavar="SIZE", help="A volatile cache whose content a power loss drops; EBS has none."
        ),
    ] = None,
    raid_with: Annotated[
        str,
        typer.Option("--raid-with", metavar="model|mdadm", help="What combines the members: the model, or Linux md."),
    ] = "model",
    json: Json = False,
) -> None:
    """Serve a new volume as a block device, mounted if a file system is named. Needs root, FUSE and loop devices."""
    from plimsoll.cli.output import console, print_json
    from plimsoll.cli.volume._presenting import as_table, described
    from plimsoll.errors import UnknownName
    from plimsoll.units import parse_size
    from plimsoll.volumes.lifecycle import VolumeRequest, create

    if backing not in ("sparse", "memory"):
        raise UnknownName("backing", backing, ("sparse", "memory"))
    if raid_with not in ("model", "mdadm"):
        raise UnknownName("way to combine members", raid_with, ("model", "mdadm"))
    request = VolumeRequest(
        name=name,
        options=shape.given(),
        file_system=fs,
        mount=mount,
        backing="memory" if backing == "memory" else "sparse",
        write_cache_bytes=parse_size(write_cache) if write_cache is not None else 0,
        instance_name=instance_name,
        raid_with_md=raid_with == "mdadm",
    )
    volume = create(request)
    if json:
        print_json(as_table(volume))
    else:
        console().print(described(volume), markup=False)
