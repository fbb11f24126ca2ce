"""fio's `steadystate`: end a job when a rolling window of its rate is level or has no slope.

Source: fio 3.33 documentation and `steadystate.c`. One sample per second, a window of `steadystate_duration` samples
after `steadystate_ramp_time`; `iops` and `bw` take the largest distance from the mean, `iops_slope` and `bw_slope` the
slope of the least-squares line over the sample index; with `%` both are divided by the mean of the window.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock

from plimsoll.errors import UsageError
from plimsoll.frontends.fio import values
from plimsoll.frontends.fio.section_options import Words
from plimsoll.run.outcome import Progress
from plimsoll.units import SECOND

KINDS = ("iops", "bw", "iops_slope", "bw_slope")


@dataclass
class Steady:
    """The criterion of one job, or of those that are reported together, and what it has seen."""

    kind: str
    limit: float
    percent: bool
    window: int
    ramp: int
    samples: list[tuple[float, float]] = field(default_factory=list)
    """IOPS and bytes per second of each second so far."""
    members: int = 1
    """Jobs whose rates are added."""
    _last: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    """Of each job: time, operations and bytes at the end of its last second."""
    _rates: dict[int, list[tuple[float, float]]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def see(self, progress: Progress, number: int = 0) -> None:
        """Take in a complete second of a job, whatever the length of intervals. Jobs are in threads of their own."""
        now, last = progress.get("so_far"), self._last.get(number, (0, 0, 0))
        if not now or now["elapsed_ns"] - last[0] < SECOND:
            return
        data = [each for kind, each in now["operations"].items() if kind in ("read", "write", "trim")]
        operations, transferred = (sum(each[name] for each in data) for name in ("operations", "bytes"))
        seconds = (now["elapsed_ns"] - last[0]) / SECOND
        with self._lock:
            rate = (operations - last[1]) / seconds, (transferred - last[2]) / seconds
            self._rates.setdefault(number, []).append(rate)
            self._last[number] = (now["elapsed_ns"], operations, transferred)
            self._add_up()

    def _add_up(self) -> None:
        """The next sample is complete once each job has a second for it."""
        while len(self._rates) == self.members and all(len(each) > len(self.samples) for each in self._rates.values()):
            rates = [each[len(self.samples)] for each in self._rates.values()]
            self.samples.append((sum(rate for rate, _ in rates), sum(rate for _, rate in rates)))

    @property
    def judged(self) -> list[tuple[float, float]]:
        """The current window."""
        return self.samples[self.ramp :][-self.window :]

    @property
    def rolling(self) -> list[float]:
        """The rate that is judged, over the current window."""
        return [sample[0 if self.kind.startswith("iops") else 1] for sample in self.judged]

    @property
    def means(self) -> tuple[float, float]:
        """IOPS and bytes per second of the current window."""
        rates = self.judged or [(0.0, 0.0)]
        return sum(each[0] for each in rates) / len(rates), sum(each[1] for each in rates) / len(rates)

    @property
    def criterion(self) -> float:
        """How far the window is from level, in units of the limit; a slope has a sign. 0 before there is a sample."""
        rates = self.rolling
        if not rates:
            return 0.0
        mean = sum(rates) / len(rates)
        found = self.slope if self.kind.endswith("slope") else max(abs(rate - mean) for rate in rates)
        return 100 * found / mean if self.percent and mean else found

    @property
    def slope(self) -> float:
        """Of the least-squares line over the window, per second."""
        rates = self.rolling
        middle = (len(rates) - 1) / 2
        spread = sum((index - middle) ** 2 for index in range(len(rates)))
        return sum((index - middle) * rate for index, rate in enumerate(rates)) / spread if spread else 0.0

    def enough(self) -> bool:
        """Whether the job may end: the window is full and steady."""
        return len(self.rolling) == self.window and abs(self.criterion) < self.limit


def criterion(words: Words) -> Steady | None:
    """The criterion of a job; None unless `steadystate_duration` is given, as with fio."""
    duration = words.read("steadystate_duration", lambda text: values.time_ns(text, "s")) // SECOND
    if not duration:
        return None
    kind, _, limit = (words.text("steadystate") or "").partition(":")
    percent = limit.endswith("%")
    try:
        bare = limit.removesuffix("%")
        number = values.size(bare, words.kb_base) if kind.startswith("bw") and not percent else values.number_of(bare)
    except UsageError:
        number = 0.0
    if kind not in KINDS or number <= 0:
        raise UsageError(
            f"{words.section.where}: steadystate={kind}:{limit}: write {', '.join(KINDS)} and a limit, such as iops:2%"
        )
    ramp = words.read("steadystate_ramp_time", lambda text: values.time_ns(text, "s")) // SECOND
    # fio leaves out the second in which the ramp ends.
    return Steady(kind, number, percent, duration, ramp + 1 if ramp else 0)
