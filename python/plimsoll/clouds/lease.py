"""When everything ends that a session has rented, whatever happens to who rented it.

The end is a moment, not a length: the tags of all that is rented tell it, and a timer on each machine ends it then.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime

from plimsoll.clouds.wanted import Rental
from plimsoll.errors import CloudError, UsageError
from plimsoll.units import SECOND, format_duration

SHORTEST_S = 15 * 60
"""Machines take minutes to boot, and as many to end."""
LONGEST_S = 7 * 24 * 3600


def end_ns(length_s: float) -> int:
    """The end of a lease that begins now, in nanoseconds since 1970, at a whole second. Raises UsageError."""
    if not SHORTEST_S <= length_s <= LONGEST_S:
        raise UsageError(
            f"a lease of {format_duration(length_s * SECOND)} is impossible; "
            f"it may be {format_duration(SHORTEST_S * SECOND)} to {format_duration(LONGEST_S * SECOND)} long"
        )
    # Never longer than was said: what it costs was counted.
    return (time.time_ns() // 10**9 + int(length_s)) * 10**9


def left_s(rental: Rental) -> float:
    """Seconds until its lease ends; negative where it is over."""
    return (rental.lease_end_ns - time.time_ns()) / 1e9


def is_over(lease_end_ns: int | None) -> bool:
    """Whether a lease has ended; never where its end is not known."""
    return lease_end_ns is not None and lease_end_ns <= time.time_ns()


def check(rental: Rental, needed_s: float = 0) -> None:
    """Raises CloudError where the lease ends before something that takes `needed_s` could."""
    if left_s(rental) <= needed_s:
        raise CloudError(
            f"the lease of rental {rental.id} ends at {text(rental.lease_end_ns)}, too early for what comes next; "
            "all that it has rented ends now. Give a longer one with --lease"
        )


def text(lease_end_ns: int) -> str:
    """A moment for readers: `2026-11-27 14:30 UTC`."""
    return datetime.fromtimestamp(lease_end_ns / 1e9, UTC).strftime("%Y-%m-%d %H:%M UTC")


def tag(lease_end_ns: int) -> str:
    """A moment as tags tell it: `2026-11-27T14:30:00Z`."""
    return datetime.fromtimestamp(lease_end_ns // 10**9, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def from_tag(written: str) -> int | None:
    """The moment that a tag tells; None where it tells none."""
    try:
        return int(datetime.strptime(written, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC).timestamp()) * 10**9
    except ValueError:
        return None
