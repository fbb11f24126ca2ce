"""A session as a result file of its own in a folder or bucket that many machines write to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plimsoll.model import Session
    from plimsoll.store.store import Store


def copy_name(session: Session, place: str) -> str:
    """The file of a session below `place`: named by its id, so that a later copy of the same session replaces it."""
    from plimsoll.store.result_file import SUFFIX

    return f"{place.rstrip('/')}/{session.id}{SUFFIX}"


def copy_session(store: Store, session: Session, place: str) -> str:
    """Write the session there; returns the name of its file. Raises StoreError."""
    from plimsoll.errors import StoreError
    from plimsoll.remote import is_remote, sent
    from plimsoll.store import exchange

    name = copy_name(session, place)
    try:
        if not is_remote(place):
            Path(place).mkdir(parents=True, exist_ok=True)
        with sent(name) as path:
            exchange.export(store, [session.id], path)
    except OSError as error:
        raise StoreError(f"cannot write {name}: {error.strerror}; choose another place") from None
    return name
