"""Volumes whose buckets and credits are as they were at the start whenever a run begins.

What comes before its measured part, such as laying out a file, goes past the model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from plimsoll.targets.chain import Chain
from plimsoll.volumes import control, registry


def restarted_below(chain: Chain) -> tuple[Path, ...]:
    """The folders of such volumes below a place."""
    below = set(registry.folders_below(chain))
    return tuple(
        folder
        for volume in registry.volumes()
        if volume.restart
        for folder in registry.served_folders(volume)
        if folder in below
    )


def restart(folders: Sequence[Path]) -> None:
    """They begin anew."""
    _all(folders, {"command": "restart"})


@contextmanager
def bypassed(folders: Sequence[Path]) -> Iterator[None]:
    """Nothing waits for these volumes meanwhile; afterwards they begin anew."""
    if not folders:
        yield
        return
    _all(folders, {"command": "bypass", "on": True})
    try:
        yield
    finally:
        _all(folders, {"command": "restart"}, {"command": "bypass", "on": False})


def _all(folders: Sequence[Path], *commands: dict[str, object]) -> None:
    for command in commands:
        for folder in folders:
            control.ask(folder, command)
