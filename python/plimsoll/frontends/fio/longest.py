"""fio's `max_latency`: a job with an operation that took longer is ended, and has failed.

Source: fio 3.33, `io_u.c` (`lat_fatal`). The core tells the longest of each interval: what ends the job is at most one
of them old.
"""

from __future__ import annotations

import errno
from dataclasses import dataclass

from plimsoll.errors import UsageError
from plimsoll.frontends.fio import values
from plimsoll.frontends.fio.least import failed
from plimsoll.frontends.fio.section_options import Words
from plimsoll.frontends.side_by_side import Ended
from plimsoll.run.outcome import OneInterval, Progress

KINDS = ("read", "write", "trim")


@dataclass
class Longest:
    """The limit of one job, and the longest operation seen so far."""

    name: str
    limit_ns: int
    seen_ns: int = 0

    def see(self, progress: Progress) -> None:
        """Takes in the last complete interval."""
        if progress["interval"]:
            self._take(progress["interval"])

    def _take(self, interval: OneInterval) -> None:
        found = [row["max_ns"] for kind, row in interval["operations"].items() if kind in KINDS]
        self.seen_ns = max([self.seen_ns, *found])

    def enough(self) -> bool:
        """Whether the job is to end."""
        return self.seen_ns > self.limit_ns

    def judged(self, ended: Ended | None) -> Ended | None:
        """As a failure where any operation took longer, also one of the last interval."""
        if ended is None:
            return None
        for interval in ended.execution.outcome["intervals"]:
            self._take(interval)
        if not self.enough():
            return ended
        reason = f"{self.name}: latency of {self.seen_ns} nsec exceeds specified max ({self.limit_ns} nsec)"
        return failed(ended, reason, errno.ETIMEDOUT)


def longest(words: Words, name: str) -> Longest | None:
    """The limit of a job; nothing where it has none. Raises UsageError."""
    if not words.given("max_latency"):
        return None
    limit_ns = words.read("max_latency", lambda text: values.time_ns(text, "us"))
    if words.given("rate") or words.given("rate_iops"):
        raise UsageError(
            f"{words.section.where}: max_latency with a rate would count the wait for the schedule; keep one of them"
        )
    return Longest(name, limit_ns) if limit_ns else None
