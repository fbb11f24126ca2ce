"""The errors that users see.

    PlimsollError                exit code 2 unless stated
    ├── UsageError               the request cannot be carried out as written
    │   └── UnknownName          a name that does not exist; suggests the nearest
    ├── TargetError              a place cannot be used
    │   ├── UnsafeTarget         using it could destroy data
    │   └── NotStarted           a private server does not start there: a run has failed, and others go on
    ├── StoreError               the result store
    │   ├── StoreTooNew          written by a newer version
    │   ├── NotKeepable          a record that no store can hold
    │   └── ResultFileError      a result file that is damaged, hostile or not one of ours
    ├── NothingMeasured          exit code 3: no valid run
    └── Cancelled                exit code 130: whoever called the library asked for the end

Every message says what happened, where, and what to do. `GateFailed` (exit code 1) is an answer, not an error.
"""

from __future__ import annotations

from collections.abc import Iterable

from plimsoll.meanings import nearest

NO_THREAD = (
    "no further thread or process can be started: end other programs of this user, raise the limit (`ulimit -u`, "
    "pids.max of the cgroup), or ask for fewer threads"
)


class PlimsollError(Exception):
    """Base of all errors with a message for the user."""

    exit_code = 2


class UsageError(PlimsollError):
    """The request cannot be carried out as written."""


MOST_NAMES, SOME_NAMES = 60, 20
"""So many known names are listed, and so many of even more: all would bury the message."""


class UnknownName(UsageError):
    """A name that does not exist."""

    def __init__(self, kind: str, name: str, known: Iterable[str], where: str = "", hint: str = "") -> None:
        """`kind` is the word for what was looked up ("test", "engine"), `known` the names that exist.

        A `hint` takes the place of the nearest of them.
        """
        self.kind, self.known = kind, sorted(known)
        place = f" in {where}" if where else ""
        super().__init__(f"no {kind} named {name!r}{place}; {hint or _nearest(name, self.known)}")


def _nearest(name: str, names: list[str]) -> str:
    if near := nearest(name, names):
        *others, last = map(repr, near)
        return f"did you mean {', '.join(others)} or {last}?" if others else f"did you mean {last}?"
    if len(names) <= MOST_NAMES:
        return f"known: {', '.join(names) or 'none'}"
    # Those that begin alike are the sizes of an instance family.
    shown = ([each for each in names if each.startswith(name)] or names)[:SOME_NAMES]
    return f"known: {', '.join(shown)} and {len(names) - len(shown):,} more; `plimsoll list` has them all"


class TargetError(PlimsollError):
    """A place cannot be used."""


class UnsafeTarget(TargetError):
    """Using the place could destroy data."""


class NotStarted(TargetError):
    """A private server does not start at the place: the run that needs it has failed, and others go on."""


class CloudError(PlimsollError):
    """A provider refuses something, or cannot be reached."""


class Unanswered(CloudError):
    """The answer to a call is lost: whether it took effect is not known."""


class NotYet(CloudError):
    """Something cannot be deleted while something else uses it, which is about to end."""


class StoreError(PlimsollError):
    """The result store cannot be used."""


class StoreTooNew(StoreError):
    """The store was written by a newer version."""


class NotAStore(StoreError):
    """The database is another program's."""


class NotKeepable(StoreError):
    """A record that no store and no result file can hold."""


class ResultFileError(StoreError):
    """A result file that is damaged, hostile or not one of ours."""


class NothingMeasured(PlimsollError):
    """The session ended without a valid run."""

    exit_code = 3


class Cancelled(PlimsollError):
    """A call of the library was cancelled; `session_id` names what was measured until then, None where nothing was."""

    exit_code = 130

    def __init__(self, message: str, session_id: str | None = None) -> None:
        super().__init__(message)
        self.session_id = session_id
