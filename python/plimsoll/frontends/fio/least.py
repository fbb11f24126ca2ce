"""fio's `rate_min` and `rate_iops_min`: a job that falls below is ended, and has failed.

Source: fio 3.33, `backend.c` (`check_min_rate`). Two seconds are left to settle; from then on each window of
`rate_cycle` is judged on its own, each direction by itself.
"""

from __future__ import annotations

import errno
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from plimsoll.errors import UsageError
from plimsoll.frontends.fio import values
from plimsoll.frontends.fio.section_options import Words
from plimsoll.frontends.side_by_side import Ended
from plimsoll.run.outcome import Progress, SoFar, failure_of, totals_of
from plimsoll.units import MILLISECOND, SECOND

SETTLE_NS = 2 * SECOND
KINDS = ("read", "write", "trim")
COUNTED: Mapping[str, Literal["bytes", "operations"]] = {"rate_min": "bytes", "rate_iops_min": "operations"}
UNITS = {"rate_min": "B/s", "rate_iops_min": " IOPS"}


@dataclass
class Least:
    """The limits of one job, and whether it kept them."""

    name: str
    option: str
    limits: tuple[int, int, int]
    """Per second, for reads, writes and trims; 0: none."""
    cycle_ns: int
    missed: str = ""
    """fio's sentence about the first window below a limit."""
    _last: SoFar | None = None
    _idle_ns: int = 0
    """Until then the window had no operation."""

    def see(self, progress: Progress) -> None:
        """Judges the window that ends here, once it is long enough."""
        now = progress.get("so_far")
        if not now or self.missed or now["elapsed_ns"] < SETTLE_NS:
            return
        if self._last is None:
            self._last = now
        spent_ns = now["elapsed_ns"] - self._last["elapsed_ns"]
        if not any(self._count(now, kind) > self._count(self._last, kind) for kind in KINDS):
            # As with fio, which looks when an operation has come back.
            self._idle_ns = spent_ns
            return
        if spent_ns < max(self.cycle_ns, 1):
            return
        # The operation may have come right after the last look.
        spent_ns = max(self._idle_ns, self.cycle_ns, 1) if self._idle_ns else spent_ns
        for kind, limit in zip(KINDS, self.limits, strict=True):
            rate = int((self._count(now, kind) - self._count(self._last, kind)) * SECOND / spent_ns)
            if rate < limit and kind in now["operations"]:
                unit = UNITS[self.option]
                asked = f"{limit}{unit.removesuffix(' IOPS')}"
                self.missed = self.missed or f"{self.name}: {self.option}={asked} not met, got {rate}{unit}"
        self._last, self._idle_ns = now, 0

    def _count(self, so_far: SoFar, kind: str) -> int:
        return totals_of(so_far, kind)[COUNTED[self.option]]

    def enough(self) -> bool:
        """Whether the job is to end."""
        return bool(self.missed)

    def judged(self, ended: Ended | None) -> Ended | None:
        """As a failure where a window was below the limit."""
        if ended is None or not self.missed:
            return ended
        return failed(ended, self.missed, errno.EIO)


def failed(ended: Ended, reason: str, number: int) -> Ended:
    """The same with an error; what was measured stays."""
    outcome = ended.execution.outcome
    outcome["status"], outcome["error"] = "failed", failure_of(reason, number)
    return ended


def least(words: Words, name: str) -> Least | None:
    """The limits of a job; nothing where it has none. Raises UsageError."""
    given = [option for option in COUNTED if words.given(option)]
    if not given:
        return None
    if len(given) > 1:
        raise UsageError(f"{words.section.where}: rate_min and rate_iops_min cannot be combined; keep one of them")
    limits = _per_second(words, given[0])
    option = given[0].removesuffix("_min")
    if words.given(option):
        for direction, (most, limit) in enumerate(zip(_per_second(words, option), limits, strict=True)):
            if most and most < limit:
                where = words.section.where
                raise UsageError(f"{where}: minimum rate exceeds rate, ddir {direction}; lower {given[0]}")
    return Least(name, given[0], limits, cycle_ns(words))


def _per_second(words: Words, option: str) -> tuple[int, int, int]:
    """Bytes or operations of reads, writes and trims."""
    return words.read(option, lambda text: values.per_direction(text, lambda part: values.size(part, words.kb_base), 0))


def cycle_ns(words: Words) -> int:
    """`rate_cycle`, in ms unless it says otherwise."""
    return words.read("rate_cycle", values.whole) * MILLISECOND
