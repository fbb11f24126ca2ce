"""`plimsoll volume delete`: no trace is left."""

from __future__ import annotations

from typing import Annotated

import typer

NEEDS_ARGUMENTS = True
EXAMPLES = "`plimsoll volume delete data` · `plimsoll volume delete --all --force`"


def command(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME…]", help="Names of volumes.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every volume.")] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Also while programs use it: they get I/O errors from then on.")
    ] = False,
) -> None:
    """Remove volumes with all their data. Mount, device, server and files are gone."""
    from plimsoll.cli.output import say
    from plimsoll.errors import UsageError
    from plimsoll.volumes.lifecycle import delete
    from plimsoll.volumes.registry import named, volumes

    if bool(names) == everything:
        raise UsageError("name the volumes to delete, or say --all")
    wanted = [volume.name for volume in volumes()] if everything else [named(name).name for name in names or []]
    for name in wanted:
        if everything and all(volume.name != name for volume in volumes()):
            # A member of an array, deleted with it.
            continue
        delete(name, force=force)
        say(f"deleted volume {name}")
