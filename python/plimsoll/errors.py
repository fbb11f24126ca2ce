"""The errors that users see.

    PlimsollError                exit code 2 unless stated
    ├── UsageError               the request cannot be carried out as written
    │   └── UnknownName          a name that does not exist; suggests the nearest
    ├── TargetError              a place cannot be used
    │   └── UnsafeTarget         using it could destroy data
    ├── StoreError               the result store
    │   ├── StoreTooNew          written by a newer version
    │   └── ResultFileError      a result file that is damaged, hostile or not one of ours
    └── NothingMeasured          exit code 3: no valid run

Every message says what happened, where, and what to do. `GateFailed` (exit code 1) is an answer, not an error.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class PlimsollError(Exception):
    """Base of all errors with a message for the user."""

    exit_code = 2


class UsageError(PlimsollError):
    """The request cannot be carried out as written."""


class UnknownName(UsageError):
    """A name that does not exist."""

    def __init__(self, kind: str, name: str, known: Iterable[str], where: str = "") -> None:
        """`kind` is the word for what was looked up ("test", "engine"), `known` the names that exist."""
        names = sorted(known)
        near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(names) or 'none'}"
        place = f" in {where}" if where else ""
        super().__init__(f"no {kind} named {name!r}{place}; {hint}")


class TargetError(PlimsollError):
    """A place cannot be used."""


class UnsafeTarget(TargetError):
    """Using the place could destroy data."""


class StoreError(PlimsollError):
    """The result store cannot be used."""


class StoreTooNew(StoreError):
    """The store was written by a newer version."""


class ResultFileError(StoreError):
    """A result file that is damaged, hostile or not one of ours."""


class NothingMeasured(PlimsollError):
    """The session ended without a valid run."""

    exit_code = 3
