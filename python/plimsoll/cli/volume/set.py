"""`plimsoll volume set`: change a volume while it is in use."""

from __future__ import annotations

from typing import Annotated

import typer

from plimsoll.catalog.options import FOR_LIFE, SHAPE_OPTIONS
from plimsoll.cli.options import Json
from plimsoll.cli.volume._options import GivenOptions, takes

NEEDS_ARGUMENTS = True
EXAMPLES = "`plimsoll volume set data --type gp3 --iops 6000` · `plimsoll volume set data --size 200GiB`"


@takes(SHAPE_OPTIONS, unsaid=FOR_LIFE)
def command(
    given: GivenOptions,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the volume.")],
    json: Json = False,
) -> None:
    """Change type, size or rates of a volume in use. Its credit balance stays."""
    from plimsoll.cli.output import console, print_json, say
    from plimsoll.cli.volume._presenting import as_table, described
    from plimsoll.errors import UsageError
    from plimsoll.volumes.changes import modify
    from plimsoll.volumes.registry import named

    if not given:
        raise UsageError("say what to change, such as --type gp3, --size 200GiB or --iops 6000")
    before = named(name)
    volume = modify(name, given)
    if json:
        print_json(as_table(volume))
    else:
        console().print(described(volume), markup=False)
    if volume.size_bytes > before.size_bytes and volume.file_system is not None:
        say(f"the device grew; grow its file system with {GROW.get(volume.file_system, 'its own tool')}")


GROW = {
    **dict.fromkeys(("ext2", "ext3", "ext4"), "resize2fs DEVICE"),
    "xfs": "xfs_growfs MOUNTPOINT",
    "btrfs": "btrfs filesystem resize max MOUNTPOINT",
}
