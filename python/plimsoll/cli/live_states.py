"""Where running sessions stand, for other processes of this user: a small file each, in memory where that can be.

A file on the disk that is measured would be one more writer there. Each is replaced whole, and removed at the end; one
whose process was killed stays and says so.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from plimsoll.cli.board import State
from plimsoll.location import home
from plimsoll.targets.owner import is_alive

_MEMORY = Path("/dev/shm")
_STATES: TypeAdapter[State] = TypeAdapter(State)
_LARGEST = 4 << 20
_KEPT_S = 86_400
"""How long a killed session is remembered here; its runs are in the store."""


@dataclass(frozen=True)
class Live:
    """A session with a state, and whether its process is there."""

    state: State
    alive: bool
    path: Path


def folder(*, make: bool = False) -> Path | None:
    """The folder of these files, which only this user can use; None where there is none, or cannot be one."""
    own = hashlib.sha256(str(home()).encode()).hexdigest()[:12]
    for place in (_MEMORY / f"plimsoll-{os.geteuid()}-{own}", home() / "live"):
        with suppress(OSError):
            if make:
                place.mkdir(mode=0o700, exist_ok=True)
            found = place.lstat()
            # The name is known to everybody: a folder that somebody else made there is not ours.
            if stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077:
                return place
    return None


class StateFile:
    """The file of one session. A fault is no reason to end a measurement: then there is no file."""

    def __init__(self, session_id: str) -> None:
        place = folder(make=True)
        self._path = place / f"{session_id}.json" if place else None

    def write(self, state: State) -> None:
        """Put the state in the place of the last one."""
        if self._path is None:
            return
        draft = self._path.with_suffix(f".{os.getpid()}")
        with suppress(OSError):
            draft.write_bytes(_STATES.dump_json(state))
            draft.replace(self._path)

    def remove(self) -> None:
        """The session has ended."""
        if self._path is not None:
            with suppress(OSError):
                self._path.unlink(missing_ok=True)
                # It stays where another session has its file.
                self._path.parent.rmdir()


def read(path: Path) -> Live | None:
    """The state in a file; None where it is gone or is none."""
    try:
        with path.open("rb") as file:
            state = _STATES.validate_json(file.read(_LARGEST))
    except (OSError, ValidationError):
        return None
    return Live(state, is_alive(state.owner), path)


def states() -> list[Live]:
    """Every session with a state, the one that started last first; those that were killed long ago are forgotten."""
    place = folder()
    paths: Iterator[Path] = place.glob("*.json") if place else iter(())
    found = []
    for path in paths:
        live = read(path)
        if live is not None and (live.alive or not _is_old(path)):
            found.append(live)
    return sorted(found, key=lambda live: -live.state.started_ns)


def forget_killed() -> None:
    """Remove what killed sessions left: a new one begins."""
    for live in states():
        if not live.alive:
            with suppress(OSError):
                live.path.unlink()


def _is_old(path: Path) -> bool:
    with suppress(OSError):
        if time.time() - path.stat().st_mtime < _KEPT_S:
            return False
        path.unlink()
    return True
