"""fio's `steadystate`: end a job when a rolling window of its rate is level or has no slope.

Source: fio 3.33 documentation and `steadystate.c`. One sample per second, a window of `steadystate_duration` samples
after `steadystate_ramp_time`; `iops` and `bw` take the largest distance from the mean, `iops_slope` and `bw_slope` the
slope of the least-squares line over the sample index; with `%` both are divided by the mean of the window.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from plimsoll.errors import UsageError
from plimsoll.frontends.fio import values
from plimsoll.frontends.fio.jobs import Words
from plimsoll.units import KIB, SECOND

KINDS = ("iops", "bw", "iops_slope", "bw_slope")


@dataclass
class Steady:
    """The criterion of one job, and what it has seen."""

    kind: str
    limit: float
    percent: bool
    window: int
    ramp: int
    samples: list[tuple[float, float]] = field(default_factory=list)
    """IOPS and KiB/s of each second so far."""
    _last: tuple[int, int, int] = (0, 0, 0)
    """Time, operations and bytes at the end of the last one."""

    def see(self, progress: Mapping[str, Any]) -> None:
        """Take in a second that is complete, whatever the length of intervals."""
        now = progress.get("so_far")
        if not now or now["elapsed_ns"] - self._last[0] < SECOND:
            return
        data = [each for kind, each in now["operations"].items() if kind in ("read", "write", "trim")]
        operations, transferred = (sum(each[name] for each in data) for name in ("operations", "bytes"))
        seconds = (now["elapsed_ns"] - self._last[0]) / SECOND
        self.samples.append(((operations - self._last[1]) / seconds, (transferred - self._last[2]) / seconds / KIB))
        self._last = (now["elapsed_ns"], operations, transferred)

    @property
    def rolling(self) -> list[float]:
        """The rate that is judged, over the current window."""
        column = 0 if self.kind.startswith("iops") else 1
        return [sample[column] for sample in self.samples[self.ramp :]][-self.window :]

    @property
    def criterion(self) -> float:
        """How far the window is from level, in units of the limit."""
        rates = self.rolling
        mean = sum(rates) / len(rates)
        if self.kind.endswith("slope"):
            middle = (len(rates) - 1) / 2
            spread = sum((index - middle) ** 2 for index in range(len(rates)))
            found = abs(sum((index - middle) * rate for index, rate in enumerate(rates)) / spread) if spread else 0.0
        else:
            found = max(abs(rate - mean) for rate in rates)
        return 100 * found / mean if self.percent and mean else found

    def enough(self) -> bool:
        """Whether the job may end: the window is full and steady."""
        return len(self.rolling) == self.window and self.criterion < self.limit


def criterion(words: Words) -> Steady | None:
    """The criterion of a job; None unless `steadystate_duration` is given, as with fio."""
    duration = words.read("steadystate_duration", lambda text: values.time_ns(text, "s")) // SECOND
    if not duration:
        return None
    kind, _, limit = (words.text("steadystate") or "").partition(":")
    try:
        number = float(limit.removesuffix("%"))
    except ValueError:
        number = 0.0
    if kind not in KINDS or number <= 0:
        raise UsageError(
            f"{words.section.where}: steadystate={kind}:{limit}: write {', '.join(KINDS)} and a limit, such as iops:2%"
        )
    ramp = words.read("steadystate_ramp_time", lambda text: values.time_ns(text, "s")) // SECOND
    return Steady(kind, number, limit.endswith("%"), duration, ramp)
