"""Opens the result store: brings its tables up to date, and takes in what waits for it."""

from __future__ import annotations

from collections import deque

from sqlalchemy import URL, Engine

from plimsoll.errors import StoreError
from plimsoll.notices import tell
from plimsoll.store import spill
from plimsoll.store.connection import connect, parse_location, translated
from plimsoll.store.intake import taken_in
from plimsoll.store.location import store_location
from plimsoll.store.migrate import bring_up_to_date
from plimsoll.store.read_only import connect_read_only, is_read_only
from plimsoll.store.store import Store

opened: deque[URL] = deque(maxlen=1)
"""The store that was opened last: where an error that nobody foresaw may come from, if that is damaged."""
_INTAKE_WAIT_MS = 2_000
"""How long whoever opens the store for something else waits to take in what waits for it."""


def open_store(url: str | None = None) -> Store:
    """Open the store at `url`, else at PLIMSOLL_STORE, else `results.db` in the state folder; create it if absent.

    `url` is an SQLAlchemy URL or the path of an SQLite file. Finished runs that wait for it are taken in. Raises
    StoreTooNew for a store of a newer version and StoreError for one that cannot be used.
    """
    place = parse_location(store_location(url))
    opened.append(place)
    try:
        engine = _opened(place)
    except StoreError as error:
        if waits := spill.told(place):
            raise type(error)(f"{error}. {waits}") from None
        raise
    store = Store(engine)
    if spill.waiting(place):
        for sentence in taken_in(store.impatient(_INTAKE_WAIT_MS)):
            tell(sentence)
    return store


def _opened(place: URL) -> Engine:
    """Connections to a store whose tables are those of this version."""
    if is_read_only(place):
        return connect_read_only(place)
    engine = connect(place)
    try:
        with translated(engine.url):
            bring_up_to_date(engine)
    except BaseException:
        engine.dispose()
        raise
    return engine
