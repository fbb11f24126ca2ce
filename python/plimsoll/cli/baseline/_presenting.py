"""What the commands of `plimsoll baseline` print of a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plimsoll.model import Session


def told(session: Session) -> str:
    """`session 3f9c1b20, 'disk on gp3', of 2026-11-25`."""
    from plimsoll.cli.output import when
    from plimsoll.store.names import short_id

    return f"session {short_id(session.id)}, {session.title!r}, of {when(session.started_ns)}"
