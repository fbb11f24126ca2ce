"""Where the store is when nobody says."""

from __future__ import annotations

import os

from plimsoll.location import home

STORE_VARIABLE = "PLIMSOLL_STORE"


def store_location(given: str | None = None) -> str:
    """`given`, else the variable PLIMSOLL_STORE, else `results.db` in `home()`: an SQLAlchemy URL or a file path."""
    return given or os.environ.get(STORE_VARIABLE) or str(home() / "results.db")
