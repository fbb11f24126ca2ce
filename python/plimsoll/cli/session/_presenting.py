"""What the commands of `plimsoll session` print of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from plimsoll.model import Session


def as_table(session: Session) -> dict[str, Any]:
    """A session for programs: what names it, and what users said of it."""
    return {"session": session.id, "title": session.title, "tags": list(session.tags), "note": session.note}
