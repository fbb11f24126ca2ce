"""`plimsoll volume list`: what is served here."""

from __future__ import annotations

from plimsoll.cli.options import Json

EXAMPLES = "`plimsoll volume list --json` names device and mount point of each."


def command(json: Json = False) -> None:
    """List the volumes that are served on this machine."""
    from plimsoll.cli.listing import print_list
    from plimsoll.cli.output import print_json, say
    from plimsoll.cli.volume._presenting import as_table
    from plimsoll.volumes.registry import volumes

    found = [volume for volume in volumes() if volume.state == "ready"]
    if json:
        print_json([as_table(volume) for volume in found])
    elif not found:
        say("no volume is served here; `plimsoll volume create --help` shows how to make one")
    else:
        print_list(
            [
                {
                    "volume": volume.name,
                    "what": f"{volume.summary} ({volume.instance_name})" if volume.instance_name else volume.summary,
                    "device": volume.device,
                    "mounted at": volume.mount or "",
                }
                for volume in found
            ]
        )
