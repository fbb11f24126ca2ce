"""Is a score one of a burst or one that lasts, until when, and what is left afterwards? The one place that decides it.

A pure function of stored runs: the limits of the volume and instance that a target is said to be, the rate that its
runs reached, and falls of the rate inside them. What is not known to end is not said to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from statistics import median

from plimsoll.catalog.bounds import ABOVE, Use, burst, credits_of, sustained, use_of
from plimsoll.catalog.limits import Rate
from plimsoll.catalog.shape import VolumeShape
from plimsoll.catalog.targets import is_emulated, shape_of
from plimsoll.model import Finding, Level, Run, RunStatus, Unit
from plimsoll.stats.course import series_of
from plimsoll.stats.standing import Basis, Standing
from plimsoll.stats.steady import Regime
from plimsoll.units import KIB, SECOND, format_duration, format_value

GUARD = "sustained_level"
"""Under this name the finding stands among those of the guards."""
FELL = 1.5
"""Runs above what lasts, this many times faster than runs at it, are a burst that ended between them."""
FEWEST_AFTER = 2
"""Runs at the end that are at what lasts: one alone may be slow for another reason."""
LARGE_IO = 64 * KIB
"""Requests of this size that reach a device are of neighbouring blocks."""


def standings(runs: Iterable[Run], from_memory: Iterable[tuple[str, str, str]]) -> dict[tuple[str, str], Standing]:
    """What the valid runs of each (case, target) stand on; not of a place of which memory answered."""
    memory = {(case, target) for case, _, target in from_memory}
    found: dict[tuple[str, str], list[Run]] = {}
    for run in runs:
        place = (run.plan.case, run.target.name)
        if run.status is RunStatus.OK and place not in memory:
            found.setdefault(place, []).append(run)
    known = {place: standing(each) for place, each in found.items()}
    return {place: each for place, each in known.items() if each is not None}


def standing(runs: Sequence[Run]) -> Standing | None:
    """What the scores of valid runs of one case on one target stand on, in the order in which these ran.

    None where nothing is known to end: no burst of the place is known, or the load cannot reach one.
    """
    if not runs:
        return None
    shape = shape_of(runs[-1].target)
    cliffs = [regime for run in runs if (regime := _cliff(run)) is not None]
    if shape is None and not cliffs:
        return None
    measured_s = max(_length_s(run) for run in runs)
    found = None if shape is None else _by_credits(shape, runs, measured_s)
    if not cliffs or (found is not None and found.basis is Basis.BURST):
        return found
    if any("imported" in run.facts for run in runs) or not all(regime.accepted for regime in cliffs):
        return Standing(Basis.MIXED, measured_s=measured_s, cliff=True)
    return Standing(Basis.SUSTAINED, median(regime.score for regime in cliffs), measured_s=measured_s, cliff=True)


def finding(runs: Sequence[Run], found: Standing | None) -> Finding | None:
    """That only a burst was measured, as a finding of its own; None where what lasts was seen or is not in doubt."""
    if found is None or found.basis not in (Basis.BURST, Basis.UNKNOWN) or found.lasts_s is None:
        return None
    length = format_duration(round(found.measured_s, 1) * SECOND)
    if found.basis is Basis.UNKNOWN:
        message = (
            f"sustained level not measured: this volume may burst for {found.time} or longer, no run was longer than "
            f"{length}, and its I/Os could not be counted"
        )
    else:
        message = (
            f"sustained level not measured: {format_value(found.rate or 0, '1/s')} depends on burst credits of the "
            f"{found.holder}; full ones last {found.time}, and then {format_value(found.left or 0, '1/s')} are left "
            f"({found.limit}). No run was longer than {length}"
        )
    empty = ", or start without credits (credits=0)" if is_emulated(runs[-1].target) else ""
    return Finding(
        guard=GUARD,
        level=Level.WARN,
        message=message,
        # The same words for every run, so that a report says them once.
        advice=f"Quote such scores as a burst. To measure what lasts, run longer than the burst (runtime=){empty}.",
        values={"lasts_s": found.lasts_s, "measured_s": found.measured_s},
    )


def _by_credits(shape: VolumeShape, runs: Sequence[Run], measured_s: float) -> Standing | None:
    """From the limits of a volume that is known."""
    loads = [load for run in runs if (load := _load(run)) is not None]
    if not loads:
        shortest = _shortest_burst(shape)
        unseen = shortest is not None and measured_s < shortest
        return Standing(Basis.UNKNOWN, lasts_s=shortest, measured_s=measured_s) if unseen else None
    use, exact = loads[-1][0], use_of(runs[-1].plan) is not None
    lasting, most = sustained(shape, use), burst(shape, use)
    if lasting is None or most is None or most.per_second <= lasting.per_second:
        return None
    rates = [rate for _, rate in loads]
    typical = median(rates)
    # What a short run takes from the second in store is no part of the rate that credits hold.
    held = min(typical, most.per_second)
    here = Standing(Basis.BURST, held, lasting.per_second, measured_s=measured_s, limit=lasting.name)
    at_rest = ABOVE * lasting.per_second
    if _ended_between(rates, at_rest):
        return replace(here, basis=Basis.MIXED)
    if typical <= at_rest:
        # What a device counted may be less than what a cache answered: that it lasts would be too much to say.
        return replace(here, basis=Basis.SUSTAINED) if exact else None
    spent = credits_of(shape, use, typical)
    # Above what even a burst and the second that a volume has in store give, something else answered.
    beyond = typical > ABOVE * most.per_second * (1 + 1 / max(measured_s, 1e-3))
    if spent is None or beyond or measured_s >= spent.lasts_s:
        return None
    return replace(here, lasts_s=spent.lasts_s, holder=spent.holder)


def _ended_between(rates: Sequence[float], at_rest: float) -> bool:
    """Whether runs in their order stand on a burst first, and from some run on no longer.

    Spent credits stay spent, so a slow run between fast ones is another disturbance; and one run at the end may be one.
    """
    after = next((place for place, rate in enumerate(reversed(rates)) if rate > at_rest), len(rates))
    before, rest = rates[: len(rates) - after], rates[len(rates) - after :]
    return len(rest) >= FEWEST_AFTER and bool(before) and min(before) > FELL * max(rest)


def _load(run: Run) -> tuple[Use, float] | None:
    """The load of a run and its IOPS: as the test did them, else as the device counted them."""
    use, seconds = use_of(run.plan), _length_s(run)
    if use is not None:
        rate = next((score.value for score in run.scores if score.metric == "iops"), None)
        return None if not rate else (use, rate)
    totals = {
        name: sum(each.device.get(name, 0.0) for each in run.intervals)
        for name in ("reads", "writes", "read_bytes", "write_bytes")
    }
    count, size = totals["reads"] + totals["writes"], totals["read_bytes"] + totals["write_bytes"]
    if not count or not size or not seconds:
        return None
    each = max(512, round(size / count))
    return Use(each, totals["reads"] / count, sequential=each >= LARGE_IO), count / seconds


def _length_s(run: Run) -> float:
    measured = sum(each.duration_ns for each in run.intervals)
    return (measured or max(0, run.ended_ns - run.started_ns)) / SECOND


def _cliff(run: Run) -> Regime | None:
    """The two levels of a run in which a burst ended; own runs have a score for it."""
    if "imported" not in run.facts and not [each for each in run.scores if each.metric.endswith("_burst")]:
        return None
    units: tuple[Unit, Unit] = ("1/s", "B/s")
    if run.plan.metrics and "throughput" in run.plan.metrics[0]:
        units = ("B/s", "1/s")
    series = series_of(run, units[0]) or series_of(run, units[1])
    return None if series is None or series.regime.burst is None else series.regime


def _shortest_burst(shape: VolumeShape) -> float | None:
    """How long the shortest burst that a load could be on lasts at its full rate; None without any."""
    own, other = shape.limits, shape.instance_limits
    times = [
        *_times([own.iops, own.throughput], [None, None], shape.credit_factor),
        *_times([other.iops, other.throughput], [own.iops, own.throughput], shape.credit_factor, shape.members),
    ]
    return min(times, default=None)


def _times(
    rates: Sequence[Rate | None], below: Sequence[Rate | None], factor: float, members: int = 1
) -> Iterator[float]:
    """Times of the bursts; one of an instance counts only where its volumes can ask for more than its baseline."""
    for rate, source in zip(rates, below, strict=True):
        asked = None if source is None else float(source.rate * members)
        if rate is not None and factor and (seconds := rate.burst_seconds(asked)) is not None:
            yield seconds * factor
