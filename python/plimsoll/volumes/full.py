"""What a volume ran out of: the kernel gives programs an I/O error, whatever the server's reason was."""

from __future__ import annotations

from pathlib import Path

from plimsoll.errors import TargetError
from plimsoll.location import home
from plimsoll.volumes import control, registry
from plimsoll.volumes.registry import Volume


def no_space_text(volume: Volume) -> str | None:
    """`no space left on /data: 12 writes of volume web failed; …`; None while there was space."""
    failed = 0
    for folder in registry.served_folders(volume):
        try:
            failed += control.ask(folder, {"command": "stats"})["stats"]["plimsoll"]["no_space"]
        except (TargetError, OSError, KeyError):
            continue
    if not failed:
        return None
    many = "1 write" if failed == 1 else f"{failed:,} writes"
    if volume.backing == "memory":
        return f"no space left in memory: {many} of volume {volume.name} failed; use backing=sparse or smaller files"
    what = f"no space left on the disk of {home()}: {many} of volume {volume.name} failed"
    return f"{what}; free some there, or set PLIMSOLL_HOME to a larger disk"


def no_space_text_at(place: Path) -> str | None:
    """The same for the volume that is mounted at `place` or is that device; None where there is none."""
    for volume in registry.volumes():
        if str(place) in (volume.mount, volume.device):
            return no_space_text(volume)
    return None
