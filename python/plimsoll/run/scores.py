"""From what the core measured to the scores of a run: one number per metric.

Rates count over the measured time, or over the steady part where a run had a warm-up or a burst in it; a burst that
ended inside the run is a score of its own (`iops_burst`). Latency scores come from the histogram of the whole run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from plimsoll.metrics import DATA_KINDS, METRICS, PERCENTILES, score
from plimsoll.model import Interval, Plan, Score
from plimsoll.run.outcome import Amount, Outcome
from plimsoll.stats.course import rates_of, whole_intervals
from plimsoll.stats.histogram import decode
from plimsoll.stats.steady import Regime, Shape, of_slices
from plimsoll.units import SECOND

SCHEDULE_KEPT = 0.99
"""Share of an open-loop schedule that must have been done for latencies to count."""

AMOUNTS: Mapping[str, Amount] = {"iops": "operations", "throughput": "bytes"}


def scores(
    plan: Plan, outcome: Outcome, histograms: Mapping[str, bytes], intervals: Sequence[Interval]
) -> tuple[Score, ...]:
    """All scores of a run; none where nothing was measured."""
    judged = METRICS.get(plan.metrics[0])
    series = rates_of(intervals, judged.unit if judged else "1/s")
    if not series.values:
        return ()
    regime = of_slices(series.values, series.interval_s) if "slices" in outcome else series.regime()
    named = dict(_rates(outcome, intervals, regime, burst_factor(series.values, regime)))
    if not saturated(outcome):
        named |= dict(_latencies(outcome, histograms))
    return tuple(score(name, value) for name, value in named.items())


def saturated(outcome: Outcome) -> bool:
    """Whether a schedule was not kept: latencies then tell how long the run was, not how the place is."""
    done = sum(outcome["operations"][kind]["operations"] for kind in DATA_KINDS if kind in outcome["operations"])
    return saturated_share(outcome, done)


def saturated_share(outcome: Outcome, done: int) -> bool:
    """Whether so many operations are less than the schedule asked for; False without a schedule."""
    offered = outcome.get("offered_operations")
    return offered is not None and done < SCHEDULE_KEPT * offered


def _rates(
    outcome: Outcome, intervals: Sequence[Interval], regime: Regime, burst: float | None
) -> Iterator[tuple[str, float]]:
    elapsed_s = outcome["elapsed_ns"] / SECOND
    totals = {kind: counts for kind, counts in outcome["operations"].items() if counts["operations"]}
    window = window_factor(intervals, regime)
    data = [totals[kind] for kind in DATA_KINDS if kind in totals]
    for metric, field in AMOUNTS.items():
        if not data:
            break
        rate = sum(counts[field] for counts in data) / elapsed_s
        yield metric, rate * window
        if burst is not None:
            yield f"{metric}_burst", rate * burst
        if len(data) > 1:
            for kind in DATA_KINDS:
                if kind in totals:
                    yield f"{kind}_{metric}", totals[kind][field] / elapsed_s * window
    if "commit" in totals:
        yield "commit_rate", totals["commit"]["operations"] / elapsed_s * window


def burst_factor(series: Sequence[float], regime: Regime) -> float | None:
    """Rate of a burst that ended inside the run over the mean rate of the whole run; None where there was none.

    Told even where the run ended too soon after it for a sustained score.
    """
    if not regime.burst or not regime.sustained:
        return None
    return regime.burst * len(series) / sum(series)


def window_factor(intervals: Sequence[Interval], regime: Regime) -> float:
    """Mean rate inside the regime's window over the mean rate of the whole run.

    The last interval lasts until all is back, which is no part of the measured time: it is in neither.
    """
    # A run that is too short to be assessed has no window, and slices lie apart: their totals say it all.
    if regime.shape in (Shape.SHORT, Shape.SLICES) or not regime.accepted:
        return 1.0
    start_s, end_s = regime.window_s
    whole = whole_intervals(intervals)
    inside = [interval for interval in whole if start_s * SECOND <= interval.start_ns < end_s * SECOND]
    if not inside or len(inside) == len(whole):
        return 1.0

    def mean_rate(part: Sequence[Interval]) -> float:
        operations = sum(part_kind.operations for interval in part for part_kind in interval.operations.values())
        return operations / sum(interval.duration_ns for interval in part)

    return mean_rate(inside) / mean_rate(whole)


def _latencies(outcome: Outcome, histograms: Mapping[str, bytes]) -> Iterator[tuple[str, float]]:
    for kind, encoded in histograms.items():
        totals = outcome["operations"].get(kind)
        if totals and totals["operations"]:
            yield f"{kind}_mean", totals["latency_sum_ns"] / totals["operations"]
        histogram = decode(encoded)
        for name, percent in PERCENTILES.items():
            value = histogram.percentile(percent)
            if value is not None:
                yield f"{kind}_{name}", float(value)
        if histogram.max is not None:
            yield f"{kind}_max", float(histogram.max)
