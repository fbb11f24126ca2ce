"""How commands show a volume."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from plimsoll.units import format_size
from plimsoll.volumes.registry import Volume


def as_table(volume: Volume) -> dict[str, Any]:
    """A volume for programs; sizes in bytes."""
    return {
        "name": volume.name,
        "summary": volume.summary,
        "device": volume.device,
        "mount_point": volume.mount,
        "file_system": volume.file_system,
        "size_bytes": volume.size_bytes,
        "options": volume.options,
        "instance_name": volume.instance_name,
        "backing": volume.backing,
        "write_cache_bytes": volume.write_cache_bytes,
        "members": list(volume.members),
        "created": datetime.fromtimestamp(volume.created_ns / 1e9, UTC).isoformat(timespec="seconds"),
    }


def described(volume: Volume) -> str:
    """One or two lines for people: what it is and where."""
    lines = [f"{volume.name}: {volume.summary}", f"device {volume.device}, {format_size(volume.size_bytes)}"]
    if volume.mount is not None:
        lines.append(f"{volume.file_system} mounted at {volume.mount}")
    return "\n".join(lines)
