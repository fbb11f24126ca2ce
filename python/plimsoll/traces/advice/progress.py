"""How far an advice is, for those who wait: a line now and then, with the time left."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from plimsoll.traces.advice.wanted import Work
from plimsoll.units import SECOND, format_estimate

QUIET_S = 5.0
"""Nothing is said of work that ends sooner, nor more often."""


class Progress:
    """Says what was found, at most every few seconds."""

    def __init__(self, say: Callable[[str], None]) -> None:
        """`say` is called from any thread."""
        self.work = Work()
        self._say, self._lock = say, threading.Lock()
        self._start = self._last = time.monotonic()
        self._steps = 0
        self._all = 0

    def expect(self, steps: int) -> None:
        """So many steps are to come."""
        self._all += steps

    def step(self, what: str) -> None:
        """One family is done."""
        with self._lock:
            self._steps += 1
            now = time.monotonic()
            if now - self._last < QUIET_S:
                return
            self._last = now
            left = (now - self._start) / self._steps * max(0, self._all - self._steps)
            rest = f", about {format_estimate(left * SECOND)} left" if self._all > self._steps else ""
            self._say(f"{what}: done; {self.work.operations:,} I/Os simulated{rest}")
