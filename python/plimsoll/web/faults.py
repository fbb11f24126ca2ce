"""Errors of the server that are not errors of Plimsoll, and the status of each error."""

from __future__ import annotations

from plimsoll.errors import PlimsollError, ResultFileError, StoreError, UnknownName, UsageError


class Refused(PlimsollError):
    """A request that is not served; `status` says why."""

    def __init__(self, status: int, message: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.headers = headers or {}


class NotHere(Refused):
    """Something that was asked for by a name that nothing has; what there is instead is nobody else's business."""

    def __init__(self, kind: str, name: str) -> None:
        super().__init__(404, f"there is no {kind} {name!r} here; the list or the history shows what there is")


class NotAllowed(Refused):
    """Nobody is logged in (401), or the token does not allow it (403)."""


def status_of(error: PlimsollError) -> int:
    """The HTTP status that says the same as `error`."""
    if isinstance(error, Refused):
        return error.status
    if isinstance(error, UnknownName):
        return 404
    if isinstance(error, ResultFileError):
        return 422
    if isinstance(error, StoreError):
        return 503
    return 400 if isinstance(error, UsageError) else 500
