"""Where Plimsoll keeps its own files on this machine: results, the list of work folders in use, temporary ones."""

from __future__ import annotations

import os
from pathlib import Path

from plimsoll.errors import PlimsollError


def home() -> Path:
    """Folder for Plimsoll's own files, created on first use (mode 0700).

    `$PLIMSOLL_HOME`, else `$XDG_DATA_HOME/plimsoll`, else `~/.local/share/plimsoll`.
    """
    chosen = os.environ.get("PLIMSOLL_HOME")
    data = Path(os.environ.get("XDG_DATA_HOME", ""))
    # The XDG specification says that relative paths must be ignored.
    base = data if data.is_absolute() else Path("~/.local/share")
    path = (Path(chosen) if chosen else base / "plimsoll").expanduser().absolute()
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise PlimsollError(
            f"cannot create {path} for Plimsoll's own files ({error.strerror}); "
            "set PLIMSOLL_HOME to a folder that can be written"
        ) from None
    return path


def temporary() -> Path:
    """The folder of temporary files: `$TMPDIR` and the like, else /tmp or /var/tmp.

    Python's own function tries each with a file, which stays there if the process is killed meanwhile.
    """
    named = [os.environ.get(name, "") for name in ("TMPDIR", "TEMP", "TMP")]
    places = [Path(name).absolute() for name in (*named, "/tmp", "/var/tmp") if name]
    usable = (each for each in places if each.is_dir() and os.access(each, os.W_OK | os.X_OK))
    return next(usable, places[-1])


def trace_place(sha256: str) -> Path:
    """The link to the trace with this content, which plans name by its hash; it may not be there."""
    return home() / "traces" / sha256
