"""Where finished runs wait while their store cannot be used: one result file for each, beside the registry of sessions.

`$PLIMSOLL_HOME/unstored/STORE/SESSION/RUN.plimsoll.gz`. Where that cannot be written either, because the disk of the
store is full and both lie there, /var/tmp and memory (/dev/shm) are tried. Whoever opens the store next takes them in.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlalchemy import URL

from plimsoll.errors import NotKeepable, PlimsollError, StoreError
from plimsoll.location import home
from plimsoll.model import Run, Session
from plimsoll.store.records import sealed
from plimsoll.store.result_file import SUFFIX, write_results

NAME = "unstored"
_ELSEWHERE = (Path("/var/tmp"), Path("/dev/shm"))
_SESSION = f"session{SUFFIX}"


def spill(url: URL, session: Session, run: Run | None = None) -> Path:
    """Keep a finished run with its session, or how the session stands; returns the folder.

    It is on disk when this returns. Raises StoreError where no place can be written.
    """
    name = _SESSION if run is None else f"{run.id}{SUFFIX}"
    records: list[Session | Run] = [session] if run is None else [session, sealed(run)]
    told = []
    for place in _places():
        folder = place / _key(url) / session.id
        # Twice: who takes files in removes the empty folder, perhaps just now.
        for _ in range(2):
            try:
                _make(place)
                for each in (folder.parent, folder):
                    each.mkdir(mode=0o700, exist_ok=True)
                write_results(folder / name, records)
            except NotKeepable:
                raise
            except (OSError, PlimsollError) as error:
                told.append(str(error))
            else:
                return folder
    raise StoreError(f"no place for a finished run: {'; '.join(dict.fromkeys(told))}")


def waiting(url: URL) -> dict[Path, list[Path]]:
    """The files that wait for this store, by the folder of their session."""
    found: dict[Path, list[Path]] = {}
    for place in _places():
        if not _is_ours(place):
            continue
        for folder in sorted((place / _key(url)).glob("*/")):
            if files := sorted(folder.glob(f"*{SUFFIX}")):
                found[folder] = files
    return found


def everywhere() -> dict[Path, int]:
    """How many files wait for any store, by its folder."""
    folders = [folder for place in _places() if _is_ours(place) for folder in sorted(place.glob("*/"))]
    found = {folder: len(list(folder.glob(f"*/*{SUFFIX}"))) for folder in folders}
    return {folder: count for folder, count in found.items() if count}


def told(url: URL) -> str:
    """Where runs wait for this store and what takes them in, as the end of a message; empty where none does."""
    found = waiting(url)
    if not found:
        return ""
    runs = sum(len(runs_of(files)) for files in found.values())
    count = "1 finished run waits" if runs == 1 else f"{runs:,} finished runs wait"
    return f"{count} for this store in {', '.join(map(str, found))}: the next command that can open it takes them in"


def runs_of(files: list[Path]) -> list[Path]:
    """Those of the files that hold a run."""
    return [file for file in files if file.name != _SESSION]


def remove(files: list[Path]) -> None:
    """What was taken in."""
    for file in files:
        file.unlink(missing_ok=True)
    for folder in {file.parent for file in files}:
        for each in (folder, folder.parent):
            try:
                each.rmdir()
            except OSError:
                break


@contextmanager
def alone(url: URL) -> Iterator[bool]:
    """Whether nobody else is taking in what waits for this store, or has just done so."""
    place = next((place for place in _places() if _is_ours(place) and (place / _key(url)).is_dir()), None)
    if place is None:
        yield False
        return
    lock = place / f".{_key(url)}.lock"
    with open(os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600), "rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        try:
            yield True
        finally:
            # Nothing stays where nothing waits; whoever had the lock file open meanwhile finds nothing to take in.
            if not waiting(url):
                lock.unlink(missing_ok=True)
                with suppress(OSError):
                    place.rmdir()


def _places() -> Iterator[Path]:
    # A home that cannot be made must not keep anybody from reading a store.
    with suppress(PlimsollError):
        yield home() / NAME
    yield from (place / f"plimsoll-{NAME}-{os.geteuid()}" for place in _ELSEWHERE)


def _make(place: Path) -> None:
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not _is_ours(place):
        raise StoreError(f"{place} is not a folder of this user alone")


def _is_ours(place: Path) -> bool:
    """A folder of this user that nobody else can write: /var/tmp is everybody's."""
    try:
        found = place.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o022


def _key(url: URL) -> str:
    """A name for a store: what it is called, and enough of a digest to tell it from others of that name."""
    if url.get_backend_name() == "sqlite":
        called = os.path.realpath(str(url.database))
    else:
        # Who connects makes no difference to where it is.
        called = f"{url.get_backend_name()}://{url.host}:{url.port}/{url.database}"
    name = re.sub(r"[^A-Za-z0-9._-]", "_", called.rpartition("/")[2])[:60].lstrip(".")
    return f"{name}-{hashlib.sha256(called.encode('utf-8', 'surrogateescape')).hexdigest()[:12]}"
