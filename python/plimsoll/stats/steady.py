"""Which part of a run is its steady state, and is there one?

Reads the rate of each second, finds the levels by change points and names the shape. Burst and sustained are two
scores; a change point is never averaged over.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from plimsoll.errors import UsageError
from plimsoll.model import Unit
from plimsoll.stats.changepoints import largest_step, long_run_variance, merged, penalty, segment_ends
from plimsoll.stats.student_t import FloatArray
from plimsoll.units import SECOND, format_change, format_duration, format_percent, format_value

SHORTEST_S = 20.0
"""Shorter runs are not assessed."""

COARSE_FROM_S = 60.0
"""From this length on, bins of 5 s; below, bins of 1 s."""

COARSE_BIN_S, FINE_BIN_S = 5.0, 1.0
FEWEST_BINS = 4
"""Shortest level that is looked for, in bins: 20 s, or 4 s in runs below a minute."""

WINDOW_BINS, WINDOW_SHARE = 12, 0.30
"""A last level counts as steady if it lasts 12 bins (60 s; 12 s in runs below a minute) and 30 % of the run."""

SAME_LEVEL = math.log(1.05)
"""Levels closer than 5 % are one level."""

STEP = -math.log(0.9)
"""A drop of 10 % is a step."""

SIDE_SPAN = 0.25
"""Before and after a step the levels may differ by a quarter of it; a decay differs by more."""

SMALLEST_NOISE = 0.002
"""Relative noise of a bin that is believed at least: a throttled series can be perfectly flat."""

STALLED = 0.01
"""A bin without progress counts as 1 % of the median, so that its log exists."""

FEWEST_CYCLES = 3
TREND = 0.03
"""A change of 3 % over the scored part is a trend, if it is also 3 standard errors from none."""

TREND_T = 3.0


class Shape(StrEnum):
    """The shape of a run."""

    FLAT = "flat"
    WARMUP = "warmup"
    DECAY = "decay"
    STEP_DOWN = "step_down"
    EPISODE = "episode"
    """It left its level once and came back."""
    CYCLIC = "cyclic"
    DRIFT = "drift"
    SHORT = "short"
    SLICES = "slices"
    """Not looked for: other targets worked in between."""


UNCHANGED = frozenset({Shape.FLAT, Shape.SHORT, Shape.SLICES})
"""Of these no change is known."""


@dataclass(frozen=True, slots=True)
class Segment:
    """One level: from, to (s since the start) and its mean rate."""

    start_s: float
    end_s: float
    mean: float


@dataclass(frozen=True, slots=True)
class Regime:
    """The shape of a run and the part of it that may be scored."""

    shape: Shape
    segments: tuple[Segment, ...]
    window_s: tuple[float, float]
    """From, to: the steady part, or the whole run where there is none."""
    score: float
    """Mean rate in the window."""
    burst: float | None
    sustained: float | None
    """The two levels of a step down, each a score of its own; None for other shapes."""
    accepted: bool
    """The score of the window is the steady-state score of the run."""
    course: str
    """What the rate did."""
    scoring: str
    """What of it a run of our own is scored by; empty where that goes without saying."""

    @property
    def sentence(self) -> str:
        """Both. Not for results of others, which bring a score of their own."""
        return f"{self.course}; {self.scoring}" if self.scoring else self.course


@dataclass(frozen=True, slots=True)
class _Series:
    """A run in bins."""

    rates: FloatArray
    interval_s: float
    unit: Unit
    """Of the rates."""
    logs: FloatArray
    """ln of the mean rate of each bin."""
    bin_s: float
    variance: float

    def text(self, rate: float) -> str:
        """A rate as people write it."""
        return format_value(rate, self.unit)

    @property
    def length_s(self) -> float:
        return len(self.rates) * self.interval_s

    def time_s(self, bin_index: int) -> float:
        """Start of a bin; the end of the run after the last, which swallows a rest shorter than a bin."""
        return self.length_s if bin_index >= len(self.logs) else bin_index * self.bin_s

    def mean_rate(self, start_s: float, end_s: float) -> float:
        first, last = round(start_s / self.interval_s), round(end_s / self.interval_s)
        return float(self.rates[first:last].mean())


def classify(rates: Sequence[float], interval_s: float = 1.0, unit: Unit = "1/s", measured_s: float = 0.0) -> Regime:
    """The regime of one run from the rates of its intervals (in `unit`, ≥ 0), all `interval_s` long, in order.

    `measured_s` is the length of the run where that is more than its whole intervals: it is not short for their sake.
    """
    values = np.asarray(rates, dtype=np.float64)
    if not values.size or not (np.isfinite(values) & (values >= 0)).all():
        raise UsageError("a run needs at least one interval, and rates that are not negative")
    length_s = values.size * interval_s
    if max(length_s, measured_s) < SHORTEST_S or not values.any():
        text = f"the run of {_time(length_s)} is too short to tell whether its rate was steady"
        return _regime(Shape.SHORT, [Segment(0.0, length_s, float(values.mean()))], True, text)
    series = _binned(values, interval_s, unit)
    ends = segment_ends(series.logs, penalty(series.logs, series.variance), FEWEST_BINS)
    ends = merged(series.logs, ends, SAME_LEVEL)
    starts = [0, *ends[:-1]]
    segments = [
        Segment(series.time_s(a), series.time_s(b), series.mean_rate(series.time_s(a), series.time_s(b)))
        for a, b in zip(starts, ends, strict=True)
    ]
    return _cyclic(series, segments) or _step_down(series, segments) or _by_last_level(series, segments)


def of_slices(rates: Sequence[float], interval_s: float) -> Regime:
    """The regime of a run in slices, in which no shape is looked for: between them, other targets worked."""
    text = "the run was in slices, between which other targets worked: whether its rate holds was not looked at"
    mean = float(np.mean(rates))
    return _regime(Shape.SLICES, [Segment(0.0, len(rates) * interval_s, mean)], True, text)


def _binned(values: FloatArray, interval_s: float, unit: Unit) -> _Series:
    coarse = values.size * interval_s >= COARSE_FROM_S
    per_bin = max(1, round((COARSE_BIN_S if coarse else FINE_BIN_S) / interval_s))
    bins = values.size // per_bin
    means = values[: bins * per_bin].reshape(bins, per_bin).mean(axis=1)
    positive = means[means > 0]
    logs = np.log(np.maximum(means, STALLED * float(np.median(positive))))
    return _Series(values, interval_s, unit, logs, per_bin * interval_s, long_run_variance(logs, SMALLEST_NOISE))


def _cyclic(series: _Series, segments: list[Segment]) -> Regime | None:
    """Levels that come back: at least half of four or more lie within 5 % of an earlier one that is no neighbour."""
    levels = [math.log(max(segment.mean, 1e-300)) for segment in segments]
    if len(levels) < 4:
        return None
    back = sum(any(abs(level - old) < SAME_LEVEL for old in levels[: max(0, i - 1)]) for i, level in enumerate(levels))
    if back < len(levels) / 2:
        return None
    middle = (max(levels) + min(levels)) / 2
    falls = [
        segment.start_s
        for segment, before, level in zip(segments[1:], levels, levels[1:], strict=False)
        if before > middle >= level
    ]
    cycles = len(falls) - 1
    low, high = math.exp(min(levels)), math.exp(max(levels))
    text = f"the rate goes up and down between {series.text(low)} and {series.text(high)}"
    if cycles < FEWEST_CYCLES:
        seen = "one whole cycle is" if cycles == 1 else "two whole cycles are"
        text += f"; {seen} too few for a mean" if cycles > 0 else "; no whole cycle was seen"
        text += ", so run longer"
        return _regime(Shape.CYCLIC, segments, False, text)
    window = (falls[0], falls[-1])
    scoring = f"scored over {cycles} whole cycles of {_time((window[1] - window[0]) / cycles)}"
    return _regime(Shape.CYCLIC, segments, True, text, window, series.mean_rate(*window), scoring=scoring)


def _step_down(series: _Series, segments: list[Segment]) -> Regime | None:
    """One sudden fall from a burst to a sustained level, both flat."""
    if len(segments) < 2 or _is_drift(series, segments):
        return None
    split, gain = largest_step(series.logs, FEWEST_BINS)
    if not split or gain < 2 * penalty(series.logs, series.variance):
        return None
    drop = float(series.logs[:split].mean() - series.logs[split:].mean())
    at_s = series.time_s(split)
    sides = [s for s in segments if s.end_s <= at_s], [s for s in segments if s.start_s >= at_s]
    if drop < STEP or any(_span(side) > drop * SIDE_SPAN for side in sides):
        return None
    # The bin that holds the step belongs to neither side.
    if not (_is_flat(series, 0, split - 1) and _is_flat(series, split + 1, len(series.logs))):
        return None
    # Nor to either mean, if it is in between: a burst that ends within a bin would be counted as sustained.
    left = split - int(series.logs[split - 1] < series.logs[: split - 1].mean() - SAME_LEVEL)
    entered = split + int(series.logs[split] > series.logs[split + 1 :].mean() + SAME_LEVEL)
    start_s, end_s = series.time_s(entered), series.length_s
    burst, sustained = series.mean_rate(0.0, series.time_s(left)), series.mean_rate(start_s, end_s)
    accepted = end_s - start_s >= _shortest_window(series)
    text = f"the rate fell by {format_percent(1 - sustained / burst)} after {_time(at_s)}:"
    text += f" a burst of {series.text(burst)}, then {series.text(sustained)}"
    scoring = "" if accepted else "the run ended too soon after for a sustained score"
    levels = [Segment(0.0, at_s, burst), Segment(at_s, end_s, sustained)]
    both = (burst, sustained)
    return _regime(Shape.STEP_DOWN, levels, accepted, text, (start_s, end_s), sustained, both, scoring=scoring)


def _span(segments: list[Segment]) -> float:
    """Largest log ratio between two levels; without any, no step can be told, so infinite."""
    means = [max(segment.mean, 1e-300) for segment in segments]
    return math.log(max(means) / min(means)) if means else math.inf


def _by_last_level(series: _Series, segments: list[Segment]) -> Regime:
    """Flat, or a last level that is long and flat enough; else a drift that never settled."""
    start = next((i for i in range(len(series.logs)) if series.time_s(i) >= segments[-1].start_s), 0)
    drifts = _is_drift(series, segments)
    settled = None if drifts else _settled(series, start)
    away = "" if drifts else _away(series, segments)
    if settled is None:
        if away:
            scoring = "too little of the run is left after it for a score, so run longer"
            return _regime(Shape.EPISODE, segments, False, away, scoring=scoring)
        change = math.expm1(series.logs[-FEWEST_BINS:].mean() - series.logs[:FEWEST_BINS].mean())
        text = f"the rate never settled ({format_change(change)} from start to end): no steady state, so run longer"
        return _regime(Shape.DRIFT, segments, False, text)
    window = (series.time_s(settled), series.length_s)
    if len(segments) == 1 and settled == 0:
        return _regime(Shape.FLAT, segments, True, "the rate was steady throughout", window, segments[0].mean)
    before = series.mean_rate(0.0, window[0])
    score = series.mean_rate(*window)
    from_s = _time(window[0])
    if away:
        scoring = f"scored from {from_s} on, after it"
        return _regime(Shape.EPISODE, segments, True, away, window, score, scoring=scoring)
    rising = score >= before
    shape, word = (Shape.WARMUP, "rose") if rising else (Shape.DECAY, "fell")
    text = f"the rate {word} from {series.text(before)} to {series.text(score)} after {from_s}"
    return _regime(shape, segments, True, text, window, score, scoring="scored from then on")


def _away(series: _Series, segments: list[Segment]) -> str:
    """What to say of a rate that left its level once, to one side, and came back to it; else empty."""
    first, between, last = segments[0], segments[1:-1], segments[-1]
    if not between or not min(first.mean, last.mean):
        return ""
    usual = math.sqrt(first.mean * last.mean)
    apart = [math.log(max(each.mean, 1e-300) / usual) for each in between]
    low, high = all(each < -SAME_LEVEL for each in apart), all(each > SAME_LEVEL for each in apart)
    if abs(math.log(first.mean / last.mean)) > SAME_LEVEL or not (low or high):
        return ""
    start_s, end_s = between[0].start_s, between[-1].end_s
    text = f"the rate {'fell' if low else 'rose'} from {series.text(series.mean_rate(0.0, start_s))} to "
    text += f"{series.text(series.mean_rate(start_s, end_s))} for {_time(end_s - start_s)}, after {_time(start_s)}"
    return f"{text}, and came back"


def _time(seconds: float) -> str:
    """A moment or a length of a run; tenths only where whole seconds would say nothing."""
    return format_duration(round(seconds * SECOND) if seconds < 10 else round(seconds) * SECOND)


def _is_drift(series: _Series, segments: list[Segment]) -> bool:
    """A straight line explains the run at least as well as levels do, at the same price per parameter."""
    if len(segments) < 2:
        return False
    count = len(series.logs)
    x = np.arange(count) - (count - 1) / 2
    centred = series.logs - series.logs.mean()
    by_line = float((centred**2).sum() - (x * centred).sum() ** 2 / (x * x).sum())
    ends = [round(segment.end_s / series.bin_s) for segment in segments[:-1]]
    by_levels = sum(float(((part - part.mean()) ** 2).sum()) for part in np.split(series.logs, ends))
    return by_line <= by_levels + penalty(series.logs, series.variance) * (len(segments) - 2)


def _settled(series: _Series, start: int) -> int | None:
    """First bin from `start` on after which the series is flat to the end; None if too little is left."""
    last = len(series.logs)
    while series.length_s - series.time_s(start) >= _shortest_window(series):
        if _is_flat(series, start, last):
            return start
        start += max(1, (last - start) // 10)
    return None


def _is_flat(series: _Series, first: int, last: int) -> bool:
    """No trend from bin `first` to `last` that is both significant and larger than `TREND`."""
    count = last - first
    x = np.arange(count) - (count - 1) / 2
    spread = float((x * x).sum())
    if spread == 0:
        return True
    slope = float((x * series.logs[first:last]).sum()) / spread
    return abs(slope) * count <= TREND or abs(slope) <= TREND_T * math.sqrt(series.variance / spread)


def _shortest_window(series: _Series) -> float:
    """Least length, s, of a level that may be scored."""
    return max(WINDOW_BINS * series.bin_s, WINDOW_SHARE * series.length_s)


def _regime(
    shape: Shape,
    segments: list[Segment],
    accepted: bool,
    course: str,
    window_s: tuple[float, float] | None = None,
    score: float | None = None,
    levels: tuple[float, float] | None = None,
    *,
    scoring: str = "",
) -> Regime:
    whole = (segments[0].start_s, segments[-1].end_s)
    mean = sum(s.mean * (s.end_s - s.start_s) for s in segments) / (whole[1] - whole[0])
    return Regime(
        shape=shape,
        segments=tuple(segments),
        window_s=window_s or whole,
        score=mean if score is None else score,
        burst=levels[0] if levels else None,
        sustained=levels[1] if levels else None,
        accepted=accepted,
        course=course,
        scoring=scoring,
    )
