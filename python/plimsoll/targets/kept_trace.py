"""The trace that a plan names by its content's hash: where it is, and whether it is still that."""

from __future__ import annotations

import hashlib
import os
from functools import lru_cache
from pathlib import Path

from plimsoll.location import trace_place


def problem(sha256: str) -> str | None:
    """Why a trace cannot be replayed any more; None where its file has the content of that time."""
    place = trace_place(sha256)
    try:
        found = _content(place, *_identity(place.stat()))
    except OSError:
        return "its trace is no longer where it was: run `plimsoll replay` with the file"
    if found == sha256:
        return None
    return (
        f"its trace {place.resolve()} is not what it was: the file has changed since, and would be another load; put "
        "the old one back, or begin anew with `plimsoll replay`"
    )


def _identity(about: os.stat_result) -> tuple[int, ...]:
    return about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns


@lru_cache(maxsize=16)
def _content(place: Path, *identity: int) -> str:
    """The hash of a file that is looked at again only when it has changed."""
    del identity
    with place.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
