"""What the shell completes beyond commands and options."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

MOST = 50
"""Sessions that are offered, the newest first."""


def session_words(incomplete: str) -> list[tuple[str, str]]:
    """Short ids with titles of the newest sessions that begin so; nothing, rather than an error, without a store."""
    found: list[tuple[str, str]] = []
    # A fault would be printed into the line that is being typed.
    with suppress(Exception):
        found.extend(_sessions(incomplete))
    return found


def database_words(incomplete: str) -> list[str]:
    """Addresses of databases that sessions have measured; nothing, rather than an error, without a store."""
    found: list[str] = []
    with suppress(Exception):
        found.extend(_databases(incomplete))
    return found


def _databases(incomplete: str) -> Iterator[str]:
    from plimsoll.store.opening import open_store
    from plimsoll.store.search import databases

    if _has_store():
        with open_store() as store:
            yield from [each.where for each in databases(store) if each.where.startswith(incomplete)]


def _has_store() -> bool:
    from pathlib import Path

    from plimsoll.store.location import store_location

    place = store_location()
    return "://" in place or Path(place).expanduser().is_file()


def _sessions(incomplete: str) -> Iterator[tuple[str, str]]:
    from plimsoll.store.names import short_id
    from plimsoll.store.opening import open_store

    if not _has_store():
        return
    with open_store() as store:
        for session in store.sessions(limit=MOST):
            short = short_id(session.id)
            if short.startswith(incomplete.lower()):
                yield short, session.title
