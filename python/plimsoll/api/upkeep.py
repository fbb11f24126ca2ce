"""What killed sessions left behind is removed before anything else is done."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from plimsoll.location import home

if TYPE_CHECKING:
    from plimsoll.clouds.sweep import Usable

ENDING_S = 150.0
"""For what a provider takes its time to end; after so long a command goes on with what it was asked for."""


def swept(*, keeping: bool = False) -> Iterator[str]:
    """Remove work folders, drafts and volumes of processes that are gone, and what they rent; a sentence on each.

    A rental that its session can go on with stays within its lease; with `keeping` nothing is said of it, for a command
    that goes on with it, or ends it itself.
    """
    registry = home() / "active"
    if registry.is_dir() and any(registry.iterdir()):
        from plimsoll import drafts
        from plimsoll.targets import workdir

        yield from (*workdir.sweep(), *drafts.sweep())
    volumes = home() / "volumes"
    if volumes.is_dir() and any(not entry.name.startswith(".") for entry in volumes.iterdir()):
        from plimsoll.volumes import lifecycle

        yield from lifecycle.sweep()
    yield from swept_rentals("keep" if keeping else "tell")


def swept_rentals(usable: Usable, session: str = "") -> Iterator[str]:
    """End what killed commands rented, but for what can go on; nothing is said of what `session` goes on with."""
    rentals = home() / "clouds"
    if rentals.is_dir() and any(rentals.iterdir()):
        from plimsoll.clouds import sweep

        yield from sweep.abandoned(ENDING_S, usable, session)
