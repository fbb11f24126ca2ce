"""Errors of Python, of libraries and of the machine as one of `plimsoll.errors`: what happened, and what to do."""

from __future__ import annotations

import errno
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from plimsoll import extras
from plimsoll.errors import NO_THREAD, PlimsollError


@contextmanager
def told() -> Iterator[None]:
    """What goes wrong within leaves as an error of `plimsoll.errors`, where one of them says it better."""
    try:
        yield
    except PlimsollError:
        raise
    except Exception as error:
        found = explained(error, scan=False)
        if found is None:
            raise
        raise found from error


def explained(error: Exception, unnamed: str = "a file", *, scan: bool = True) -> PlimsollError | None:
    """The error that says it to a user; None for one that nobody foresaw. `unnamed` is what is used without a name.

    With `scan`, for a program that is about to end, the store that was opened last is looked through for damage. A
    library must not: it may be another thread's, and large.
    """
    if isinstance(error, PlimsollError):
        return error
    if isinstance(error, ImportError) and isinstance(missing := extras.explained(error), PlimsollError):
        return missing
    words = _told_by_limits(error) or _told_by_place(error, unnamed)
    words = words or (_told_by_damage() if scan else "")
    return PlimsollError(words) if words else None


def is_a_limit(error: Exception) -> bool:
    """Whether the machine, or a limit of this process, would not give something."""
    return bool(_told_by_limits(error))


def _told_by_place(error: Exception, unnamed: str) -> str:
    """What could not be read or written."""
    if not isinstance(error, OSError):
        return ""
    return f"cannot use {error.filename or unnamed}: {error.strerror or error}; finished runs are safe in the store"


def _told_by_limits(error: Exception) -> str:
    """What the machine, or a limit of this process, would not give."""
    finished = "finished runs are safe"
    number = error.errno if isinstance(error, OSError) else None
    # Libraries that cannot be mapped: there is address space for nothing more.
    unmapped = isinstance(error, ImportError) and "failed to map segment" in str(error)
    if isinstance(error, MemoryError) or number == errno.ENOMEM or unmapped:
        return (
            f"out of memory; {finished}. Free some, raise the limit of this process (`ulimit -v`, its cgroup), or do "
            "less at once: fewer sessions, smaller files, less depth"
        )
    words = str(error) if isinstance(error, RuntimeError) else ""
    return f"{NO_THREAD}; {finished}" if number == errno.EAGAIN or "can't start new thread" in words else ""


def _told_by_damage() -> str:
    """What is damaged in the store that was opened: a record that is none can trip whoever reads it anywhere."""
    module = sys.modules.get("plimsoll.store.opening")
    if module is None or not module.opened:
        return ""
    from plimsoll.store.checkup import first_damage

    damage = first_damage(module.opened[-1])
    if not damage:
        return ""
    return (
        f"the store is damaged: {damage}. `plimsoll store check` says what can be read, and `plimsoll store rescue "
        "OUT` saves every intact session"
    )
