"""Where results are kept: the state folder and the URL of the store."""

from __future__ import annotations

import os
from pathlib import Path

STORE_VARIABLE = "PLIMSOLL_STORE"


def home() -> Path:
    """The folder of everything Plimsoll keeps: PLIMSOLL_HOME, else `plimsoll` in the user's data folder."""
    chosen = os.environ.get("PLIMSOLL_HOME")
    if chosen:
        return Path(chosen).expanduser()
    data = os.environ.get("XDG_DATA_HOME")
    # The XDG specification says that relative paths must be ignored.
    base = Path(data) if data and Path(data).is_absolute() else Path.home() / ".local" / "share"
    return base / "plimsoll"


def store_location(given: str | None = None) -> str:
    """`given`, else the variable PLIMSOLL_STORE, else `results.db` in `home()`: an SQLAlchemy URL or a file path."""
    return given or os.environ.get(STORE_VARIABLE) or str(home() / "results.db")
