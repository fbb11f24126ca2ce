"""How long a session still takes: not one number, for nobody knows yet when it will have seen enough."""

from __future__ import annotations

from dataclasses import dataclass

from plimsoll.units import format_estimate

ALIKE = 1.2
"""Bounds that are no further apart are told as one time."""


@dataclass(frozen=True)
class TimeLeft:
    """`least_ns` if every question is decided as soon as it can be, `most_ns` if none is before the end."""

    least_ns: float
    most_ns: float

    def passed(self, time_ns: float) -> TimeLeft:
        """After some more time."""
        return TimeLeft(max(0.0, self.least_ns - time_ns), max(0.0, self.most_ns - time_ns))

    def within(self, bound_ns: float) -> TimeLeft:
        """Not more than a bound, such as that of --time."""
        bound_ns = max(0.0, bound_ns)
        return TimeLeft(min(self.least_ns, bound_ns), min(self.most_ns, bound_ns))

    def text(self) -> str:
        """`about 40 s left`, or `40 s to 5 min left`."""
        least, most = format_estimate(self.least_ns), format_estimate(self.most_ns)
        if self.most_ns <= ALIKE * self.least_ns or least == most:
            return f"about {most} left"
        return f"{least} to {most} left"
